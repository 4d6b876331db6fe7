/**
 * Reads `getStats` reports, without side effects. A field that the browser omits becomes NaN or null. There are two
 * exceptions for video: the lost packets of a receiver and the header bytes become 0.
 */

/** IPv4 and UDP headers of a packet; getStats counts neither. */
export const IP_UDP_HEADER_BYTES = 28;

type Fields = Record<string, unknown>;

function* entries(report: RTCStatsReport, type: string): Generator<Fields> {
  for (const [, stat] of report as ReadonlyMap<string, Fields>) if (stat['type'] === type) yield stat;
}

function* ofKind(report: RTCStatsReport, type: string, kind: 'video' | 'audio'): Generator<Fields> {
  for (const stat of entries(report, type))
    if (stat['kind'] === undefined || stat['kind'] === kind) yield stat;
}

/** Yields only the statistics about video, since a controller's target does not include audio. */
const video = (report: RTCStatsReport, type: string): Generator<Fields> => ofKind(report, type, 'video');

/** The codec of a stream in lower case, such as `vp8`. */
function codecOf(report: RTCStatsReport, stream: Fields | undefined): string | null {
  for (const codec of entries(report, 'codec'))
    if (codec['id'] === stream?.['codecId'] && typeof codec['mimeType'] === 'string')
      return codec['mimeType'].replace(/^.*\//, '').toLowerCase();
  return null;
}

function number(stat: Fields | undefined, name: string): number {
  const value = stat?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : NaN;
}

function first(all: Iterable<Fields>): Fields | undefined {
  for (const stat of all) return stat;
  return undefined;
}

/** Cumulative counters of a video receiver; `bytesReceived` counts all bytes on the wire, with headers. */
export interface InboundCounters {
  /** When the browser read the counters, in milliseconds of the Unix epoch. */
  epochMs: number;
  packetsReceived: number;
  packetsLost: number;
  bytesReceived: number;
}

/** Returns null if the browser has no counters of a video receiver, or omits required fields. */
export function readInbound(report: RTCStatsReport): InboundCounters | null {
  const stat = first(video(report, 'inbound-rtp'));
  const packetsReceived = number(stat, 'packetsReceived');
  const bytes = number(stat, 'bytesReceived');
  const epochMs = number(stat, 'timestamp');
  if (Number.isNaN(packetsReceived + bytes + epochMs)) return null;
  const headers = number(stat, 'headerBytesReceived');
  const lost = number(stat, 'packetsLost');
  return {
    epochMs,
    packetsReceived,
    packetsLost: lost || 0,
    bytesReceived: bytes + (headers || 0) + IP_UDP_HEADER_BYTES * packetsReceived,
  };
}

/** The candidate pair that carries the packets. */
function selectedPair(report: RTCStatsReport): Fields | undefined {
  const chosen = first(entries(report, 'transport'))?.['selectedCandidatePairId'];
  for (const pair of entries(report, 'candidate-pair')) {
    if (pair['id'] === chosen || (chosen === undefined && pair['nominated'] === true)) return pair;
  }
  return undefined;
}

/** What the browser reports about a video sender; NaN where it reports nothing. */
export interface OutboundCounters {
  /** Cumulative; counts all bytes on the wire, with headers. */
  sentBytes: number;
  packetsSent: number;
  /** Cumulative losses, from the receiver reports. */
  packetsLost: number;
  rttUs: number;
  browserEstimateBps: number;
  /**
   * `sourceFrames`: the number of frames that the source has given to the encoder. `epochMs`: the time of this count,
   * in milliseconds of the Unix epoch.
   */
  sourceFrames: number;
  epochMs: number;
}

/** Returns null if the browser has no counters of a video sender, or omits the sent bytes or packets. */
export function readOutbound(report: RTCStatsReport): OutboundCounters | null {
  let sentBytes = NaN;
  let packetsSent = 0;
  for (const stat of video(report, 'outbound-rtp')) {
    const bytes = number(stat, 'bytesSent');
    const packets = number(stat, 'packetsSent');
    if (Number.isNaN(bytes + packets)) continue;
    const headers = number(stat, 'headerBytesSent');
    sentBytes = (sentBytes || 0) + bytes + (headers || 0) + IP_UDP_HEADER_BYTES * packets;
    packetsSent += packets;
  }
  if (Number.isNaN(sentBytes)) return null;
  const pair = selectedPair(report);
  const source = first(video(report, 'media-source'));
  return {
    sentBytes,
    packetsSent,
    packetsLost: lostOf(report),
    rttUs: number(pair, 'currentRoundTripTime') * 1e6,
    browserEstimateBps: number(pair, 'availableOutgoingBitrate'),
    sourceFrames: number(source, 'frames'),
    epochMs: number(source, 'timestamp'),
  };
}

/** The losses of all video streams of a sender, as the receiver reported them; NaN before the first report. */
function lostOf(report: RTCStatsReport): number {
  const lost = [...video(report, 'remote-inbound-rtp')]
    .map((stat) => number(stat, 'packetsLost'))
    .filter((packets) => !Number.isNaN(packets));
  return lost.reduce((sum, packets) => (sum || 0) + packets, NaN);
}

/** What the browser reports about the picture at a receiver. */
export interface PictureCounters {
  fps: number;
  framesDecoded: number;
  freezeCount: number;
  totalFreezesDurationS: number;
  width: number;
  height: number;
  codec: string | null;
}

export function readPicture(report: RTCStatsReport): PictureCounters {
  const stat = first(video(report, 'inbound-rtp'));
  return {
    fps: number(stat, 'framesPerSecond'),
    framesDecoded: number(stat, 'framesDecoded'),
    freezeCount: number(stat, 'freezeCount'),
    totalFreezesDurationS: number(stat, 'totalFreezesDuration'),
    width: number(stat, 'frameWidth'),
    height: number(stat, 'frameHeight'),
    codec: codecOf(report, stat),
  };
}

/** A video sender's encoder input, and its codec. */
export interface SourcePicture {
  width: number;
  height: number;
  fps: number;
  codec: string | null;
}

export function readSource(report: RTCStatsReport): SourcePicture {
  const stat = first(video(report, 'media-source'));
  return {
    width: number(stat, 'width'),
    height: number(stat, 'height'),
    fps: number(stat, 'framesPerSecond'),
    codec: codecOf(report, first(video(report, 'outbound-rtp'))),
  };
}

/**
 * What the browser reports about a video sender's encoder: the current resolution and frame rate, and counters since
 * the call began. A field is NaN or null if the browser does not report it.
 */
export interface EncoderCounters {
  width: number;
  height: number;
  fps: number;
  framesEncoded: number;
  /** The sum of the quantisation parameters (QP) of all encoded frames. */
  qpSum: number;
  /** `nacks` and `plis`: the numbers of NACK and PLI messages from the receiver. */
  nacks: number;
  plis: number;
  /** `none`, `cpu`, `bandwidth` or `other`. */
  limitedBy: string | null;
}

/** Returns null if the browser has no video sender. */
export function readEncoder(report: RTCStatsReport): EncoderCounters | null {
  const stat = first(video(report, 'outbound-rtp'));
  if (stat === undefined) return null;
  const reason = stat['qualityLimitationReason'];
  return {
    width: number(stat, 'frameWidth'),
    height: number(stat, 'frameHeight'),
    fps: number(stat, 'framesPerSecond'),
    framesEncoded: number(stat, 'framesEncoded'),
    qpSum: number(stat, 'qpSum'),
    nacks: number(stat, 'nackCount'),
    plis: number(stat, 'pliCount'),
    limitedBy: typeof reason === 'string' ? reason : null,
  };
}

/** Received bytes of audio on the wire, with headers; NaN if the browser does not report them. */
export function readAudioBytes(report: RTCStatsReport): number {
  const stat = first(ofKind(report, 'inbound-rtp', 'audio'));
  const headers = IP_UDP_HEADER_BYTES * number(stat, 'packetsReceived') + number(stat, 'headerBytesReceived');
  return number(stat, 'bytesReceived') + headers;
}

/** Finds the longest freeze by watching how the totals grow; `see` has to be called often. */
export class FreezeWatch {
  longestS = 0;
  #count = 0;
  #totalS = 0;

  see({ freezeCount, totalFreezesDurationS }: PictureCounters): void {
    if (Number.isNaN(freezeCount + totalFreezesDurationS)) return;
    if (freezeCount > this.#count)
      this.longestS = Math.max(this.longestS, totalFreezesDurationS - this.#totalS);
    this.#count = freezeCount;
    this.#totalS = totalFreezesDurationS;
  }
}

/** Calls `work` every `intervalMs`, never concurrently; a rejection goes to `failed`. */
export function poll(
  intervalMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): () => void {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    work()
      .catch(failed)
      .finally(() => (busy = false));
  }, intervalMs);
  return () => clearInterval(timer);
}
