/** Pure functions that read `getStats` reports. A number that the browser omits becomes NaN. */
import type { InboundStats, OutboundStats, RelayAddress, StatsSample } from './protocol.js';

type Fields = Readonly<Record<string, unknown>>;

function number(stat: Fields | undefined, name: string): number {
  const value = stat?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : NaN;
}

function text(stat: Fields | undefined, name: string): string {
  const value = stat?.[name];
  return typeof value === 'string' ? value : '';
}

/** The entries of a getStats report, which can be looked up by id or by type. */
class Report {
  readonly #byId = new Map<string, Fields>();
  readonly #byType = new Map<string, Fields[]>();

  constructor(report: RTCStatsReport) {
    report.forEach((value: unknown) => {
      const stat = value as Fields;
      const type = text(stat, 'type');
      this.#byId.set(text(stat, 'id'), stat);
      const same = this.#byType.get(type);
      if (same === undefined) this.#byType.set(type, [stat]);
      else same.push(stat);
    });
  }

  all(type: string): readonly Fields[] {
    return this.#byType.get(type) ?? [];
  }

  by(id: string): Fields | undefined {
    return this.#byId.get(id);
  }

  /** The candidate pair that each transport uses. */
  pairs(): Fields[] {
    const chosen: Fields[] = [];
    for (const transport of this.all('transport')) {
      const pair = this.by(text(transport, 'selectedCandidatePairId'));
      if (pair !== undefined) chosen.push(pair);
    }
    if (chosen.length > 0) return chosen;
    return this.all('candidate-pair').filter(
      (pair) => pair['selected'] === true || pair['nominated'] === true,
    );
  }
}

const kindOf = (stat: Fields): 'video' | 'audio' =>
  text(stat, 'kind') === 'audio' || text(stat, 'mediaType') === 'audio' ? 'audio' : 'video';

interface Beside {
  /** The far side's latest report about the stream. */
  heard: Fields | undefined;
  codec: string;
  timeUs(epochMs: number): number;
}

interface SendingBeside extends Beside {
  source: Fields | undefined;
  sending: Sending;
}

function outbound(stat: Fields, { heard, codec, timeUs, source, sending }: SendingBeside): OutboundStats {
  return {
    ssrc: number(stat, 'ssrc'),
    kind: kindOf(stat),
    mid: text(stat, 'mid'),
    codec,
    bytesSent: number(stat, 'bytesSent'),
    headerBytesSent: number(stat, 'headerBytesSent'),
    packetsSent: number(stat, 'packetsSent'),
    retransmittedBytesSent: number(stat, 'retransmittedBytesSent'),
    framesEncoded: number(stat, 'framesEncoded'),
    framesPerSecond: number(stat, 'framesPerSecond'),
    frameWidth: number(stat, 'frameWidth'),
    frameHeight: number(stat, 'frameHeight'),
    rid: text(stat, 'rid'),
    encodingIndex: number(stat, 'encodingIndex'),
    scalabilityMode: text(stat, 'scalabilityMode'),
    active: stat['active'] !== false,
    targetBps: number(stat, 'targetBitrate'),
    qualityLimitationReason: text(stat, 'qualityLimitationReason'),
    maxBitrateBps: sending.maxBitrateBps,
    sectionBoundBps: sending.sectionBoundBps,
    trackState: sending.trackState,
    trackPaused: sending.trackPaused,
    keyFramesEncoded: number(stat, 'keyFramesEncoded'),
    sourceFrames: number(source, 'frames'),
    nackCount: number(stat, 'nackCount'),
    pliCount: number(stat, 'pliCount'),
    firCount: number(stat, 'firCount'),
    totalPacketSendDelayS: number(stat, 'totalPacketSendDelay'),
    totalEncodeTimeS: number(stat, 'totalEncodeTime'),
    packetsSentWithEct1: number(stat, 'packetsSentWithEct1'),
    packetsLost: number(heard, 'packetsLost'),
    fractionLost: number(heard, 'fractionLost'),
    roundTripTimeS: number(heard, 'roundTripTime'),
    reportTimeUs: timeUs(number(heard, 'timestamp')),
  };
}

function inbound(stat: Fields, { heard, codec, timeUs }: Beside): InboundStats {
  return {
    ssrc: number(stat, 'ssrc'),
    kind: kindOf(stat),
    mid: text(stat, 'mid'),
    codec,
    frameWidth: number(stat, 'frameWidth'),
    frameHeight: number(stat, 'frameHeight'),
    keyFramesDecoded: number(stat, 'keyFramesDecoded'),
    framesDropped: number(stat, 'framesDropped'),
    totalDecodeTimeS: number(stat, 'totalDecodeTime'),
    nackCount: number(stat, 'nackCount'),
    retransmittedPacketsReceived: number(stat, 'retransmittedPacketsReceived'),
    jitterS: number(stat, 'jitter'),
    packetsReceivedWithEct1: number(stat, 'packetsReceivedWithEct1'),
    packetsReceivedWithCe: number(stat, 'packetsReceivedWithCe'),
    remotePacketsSent: number(heard, 'packetsSent'),
    reportTimeUs: timeUs(number(heard, 'timestamp')),
    bytesReceived: number(stat, 'bytesReceived'),
    headerBytesReceived: number(stat, 'headerBytesReceived'),
    packetsReceived: number(stat, 'packetsReceived'),
    packetsLost: number(stat, 'packetsLost'),
    framesReceived: number(stat, 'framesReceived'),
    framesDecoded: number(stat, 'framesDecoded'),
    pliCount: number(stat, 'pliCount'),
    framesPerSecond: number(stat, 'framesPerSecond'),
    freezeCount: number(stat, 'freezeCount'),
    totalFreezesDurationS: number(stat, 'totalFreezesDuration'),
    jitterBufferDelayS: number(stat, 'jitterBufferDelay'),
    jitterBufferEmittedCount: number(stat, 'jitterBufferEmittedCount'),
  };
}

/** Sums a count over some entries; NaN if no entry has it. */
function sum(stats: readonly Fields[], name: string): number {
  const values = stats.map((stat) => number(stat, name)).filter((value) => !Number.isNaN(value));
  return values.length === 0 ? NaN : values.reduce((all, value) => all + value, 0);
}

/**
 * Describes a candidate pair by the types and protocols of its candidates. Their addresses are left out,
 * because they are private to the page.
 */
function routeOf(report: Report, pair: Fields | undefined): string {
  const kinds = ['localCandidateId', 'remoteCandidateId'].map((end) => {
    const candidate = report.by(text(pair, end));
    return [text(candidate, 'candidateType'), text(candidate, 'protocol')].filter(Boolean).join('/');
  });
  return kinds.filter(Boolean).join(' ');
}

/**
 * The traffic of all candidate pairs whose far end is not the link. `remote` is the far end with most of this
 * traffic; its address is '' if the browser hides it.
 */
interface Outside {
  bytesSent: number;
  bytesReceived: number;
  remote: RelayAddress | null;
}

const NO_LINK: Outside = { bytesSent: NaN, bytesReceived: NaN, remote: null };

function outsideOf(report: Report, relay: RelayAddress | null): Outside {
  if (relay === null) return NO_LINK;
  const outside: Outside = { bytesSent: 0, bytesReceived: 0, remote: null };
  let most = 0;
  for (const pair of report.all('candidate-pair')) {
    const candidate = report.by(text(pair, 'remoteCandidateId'));
    const remote = { address: text(candidate, 'address'), port: number(candidate, 'port') };
    const isLink = remote.port === relay.port && (remote.address === '' || remote.address === relay.address);
    const [sent, received] = [number(pair, 'bytesSent') || 0, number(pair, 'bytesReceived') || 0];
    if (isLink || sent + received === 0) continue;
    outside.bytesSent += sent;
    outside.bytesReceived += received;
    if (sent + received > most) [most, outside.remote] = [sent + received, remote];
  }
  return outside;
}

export interface Reading {
  sample: StatsSample;
  /** The far end with most of the traffic that bypasses the link; null if all traffic passes through the link. */
  astray: RelayAddress | null;
}

/** What getStats does not report about a stream that is sent. */
export type Sending = Pick<OutboundStats, 'maxBitrateBps' | 'sectionBoundBps' | 'trackState' | 'trackPaused'>;

/**
 * Returns what getStats does not report about a stream that is sent. `mid` names its media section. With simulcast,
 * `rid` names its encoding or, if its encodings have no rids, `index` is the position of its encoding.
 */
export type SendingOf = (mid: string, rid: string, index: number) => Sending;

/** Reads a report that was taken at `nowMs` (milliseconds since the Unix epoch). */
export function readSample(
  stats: RTCStatsReport,
  originEpochMs: number,
  nowMs: number,
  { sendingOf, relay }: { sendingOf: SendingOf; relay: RelayAddress | null },
): Reading {
  const report = new Report(stats);
  const pairs = report.pairs();
  const [pair] = pairs;
  const reports = [...report.all('remote-inbound-rtp'), ...report.all('remote-outbound-rtp')];
  const heard = new Map(reports.map((stat) => [text(stat, 'localId'), stat]));
  const takenMs = number(pair ?? report.all('transport')[0], 'timestamp');
  const timeMs = Math.abs(takenMs - nowMs) < 1000 ? takenMs : nowMs;
  const outside = outsideOf(report, relay);
  const timeUs = (epochMs: number): number => Math.round((epochMs - originEpochMs) * 1000);
  // All times in the report are on one clock, which may have stepped since the page was loaded.
  const stepMs = Number.isNaN(takenMs) ? 0 : timeMs - takenMs;
  const beside = (stat: Fields): Beside => ({
    heard: heard.get(text(stat, 'id')),
    codec: text(report.by(text(stat, 'codecId')), 'mimeType').replace(/^[a-z]+\//i, ''),
    timeUs: (epochMs) => timeUs(epochMs + stepMs),
  });
  const sample: StatsSample = {
    timeUs: timeUs(timeMs),
    outbound: report.all('outbound-rtp').map((stat) =>
      outbound(stat, {
        ...beside(stat),
        source: report.by(text(stat, 'mediaSourceId')),
        sending: sendingOf(text(stat, 'mid'), text(stat, 'rid'), number(stat, 'encodingIndex') || 0),
      }),
    ),
    inbound: report.all('inbound-rtp').map((stat) => inbound(stat, beside(stat))),
    availableOutgoingBps: number(pair, 'availableOutgoingBitrate'),
    rttS: number(pair, 'currentRoundTripTime'),
    checksAnswered: number(pair, 'responsesReceived'),
    route: routeOf(report, pair),
    routeChanges: sum(report.all('transport'), 'selectedCandidatePairChanges'),
    bytesSent: sum(report.all('candidate-pair'), 'bytesSent'),
    bytesReceived: sum(report.all('candidate-pair'), 'bytesReceived'),
    outsideBytesSent: outside.bytesSent,
    outsideBytesReceived: outside.bytesReceived,
    dataBytesSent: sum(report.all('data-channel'), 'bytesSent'),
    dataBytesReceived: sum(report.all('data-channel'), 'bytesReceived'),
  };
  return { sample, astray: outside.remote };
}
