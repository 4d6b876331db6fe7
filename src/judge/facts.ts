/**
 * The facts about a window of a record, from both ends of its paths. The rules of cause_rules.ts use these
 * facts.
 */
import { capacityBits, type Window } from '../calls/metrics.js';
import { boundBps } from '../calls/record/bounds.js';
import { pageName } from '../calls/record/names.js';
import type {
  CallRecord,
  EndpointRecord,
  OutboundStats,
  RecordNotice,
  StatsSample,
} from '../calls/record/record.js';
import type { DropReason } from '../core/index.js';
import type { PacketRecord } from '../link/packet_log.js';
import { capacityBitsIn, pathMetrics, samplesIn, type CallMetrics } from './call_metrics.js';
import type { MachineState } from '../machine/index.js';
import { detectorFacts, type DetectorFacts } from './detector.js';
import { outboundGrowth } from './growth.js';
import { keyFrameWait, type KeyFrameWait } from './key_frames.js';
import { lateSecondsIn, machineIn, type LateSeconds } from './machine.js';
import { missingMedia } from './media.js';
import { receivedCurve, sentCurve, TRAILING_US } from './rate_curve.js';
import { routingOf, type Routing } from './routing.js';
import {
  callEndUs,
  checkKept,
  linkSides,
  packetsIn,
  pathConnectedUs,
  sidesOf,
  type LinkSide,
  type Path,
} from './view.js';

export interface Facts {
  metrics: CallMetrics;
  /**
   * The first page in the record that is at an end of these paths and was closed or crashed; null if there is no such
   * page.
   */
  endedPage: { id: number; url: string; why: string; timeUs: number } | null;
  /** If nothing is connected: the first notice of level `error`. Otherwise null. */
  errorNotice: RecordNotice | null;
  connected: boolean;
  /** The number of peer connections in the record. */
  endpoints: number;
  /** The latest state of each of these connections, in words. */
  stateText: string;
  /** Null without a shaper. */
  routing: Routing | null;
  sendersUnderTest: number;
  /** Whether any of the paths carried media or data. */
  hasMedia: boolean;
  /** Whether the senders have a video stream; null while a sender's streams are unknown. */
  hasVideo: boolean | null;
  /** Whether any of the senders has ever had a video stream. */
  hadVideo: boolean;
  /**
   * Sum of the limits (maxBitrate, `b=`) of the video sections that are sent. Null if a section has no limit, or if
   * no video is sent.
   */
  capBps: number | null;
  /**
   * `cpuLimitedShare`, `bandwidthLimitedShare`: the fractions of the senders' video samples with the
   * qualityLimitationReason `cpu` or `bandwidth`, 0 to 1.
   */
  cpuLimitedShare: number;
  bandwidthLimitedShare: number;
  /** Dropped packets; null without the link's record of them. */
  drops: { random: number; full: number; aqm: number } | null;
  /** The periods in which packets waited but the link carried nothing. */
  stalls: { totalUs: number; longestUs: number };
  /**
   * The mean sent rate, the mean capacity and the total length of the periods in which more was sent than the link
   * can carry. Null if there were no such periods.
   */
  excess: { sentBps: number; capacityBps: number; durationUs: number } | null;
  /** Bytes that the senders retransmitted. */
  resentBytes: number;
  /**
   * The longest time in which a receiver got packets and requested a key frame, but decoded no frame; null if
   * there was no such time.
   */
  keyFrameWait: KeyFrameWait | null;
  /** What the shadow's detector reported; null without a shadow. */
  detector: DetectorFacts | null;
  /**
   * Whether every video source of the senders delivered no frame in the window, or had stopped at the window's end;
   * false if unknown.
   */
  sourceStopped: boolean;
  /** Whether the machine was too busy for the call. */
  machine: MachineState;
  /**
   * The number of measured seconds in the window, the number of late seconds among them, and the largest
   * lateness. A second counts as late if its lateness reached the limit for a busy machine.
   */
  lateSeconds: LateSeconds;
  /**
   * The longest time in which no media packet reached the link; 0 if packets are unknown. This includes the time
   * before the first media packet in the window, and the time after the last one.
   */
  pausedUs: number;
  /**
   * `nowBps`: the received rate over the last two seconds. `beforeBps`: the rate over the two seconds before
   * those. Null if either rate is unknown.
   */
  growth: { beforeBps: number; nowBps: number } | null;
}

/** Shorter pauses do not count as stalls. */
const LEAST_STALL_US = 100_000;
/**
 * The window is cut into slices of SLICE_US. A slice counts as excess if its sent rate was above EXCESS times
 * the capacity.
 */
const SLICE_US = 500_000;
const EXCESS = 1.05;

function shareLimitedBy(samples: readonly StatsSample[], reason: string): number {
  const videos = samples.flatMap(({ outbound }) => outbound.filter(({ kind }) => kind === 'video'));
  const known = videos.filter(({ qualityLimitationReason }) => qualityLimitationReason !== '');
  const limited = known.filter(({ qualityLimitationReason }) => qualityLimitationReason === reason);
  return known.length === 0 ? 0 : limited.length / known.length;
}

/** The video streams in each sender's latest sample. */
const videoStreams = (senders: readonly EndpointRecord[]): StatsSample['outbound'] =>
  senders.flatMap(({ samples }) => (samples.at(-1)?.outbound ?? []).filter(({ kind }) => kind === 'video'));

/** Whether each video source delivered no new frame in the given samples, or had stopped in the last sample. */
function sourceStopped(samples: readonly StatsSample[]): boolean {
  const streams = new Map<number, OutboundStats[]>();
  for (const { outbound } of samples)
    for (const stats of outbound)
      if (stats.kind === 'video') streams.set(stats.ssrc, [...(streams.get(stats.ssrc) ?? []), stats]);
  const looks = [...streams.values()].filter((list) => list.length > 1);
  return looks.length > 0 && looks.every((list) => isStopped(list) || standsStill(list));
}

const isStopped = (looks: readonly OutboundStats[]): boolean =>
  ['ended', 'none'].includes(looks.at(-1)?.trackState ?? '');

const standsStill = (looks: readonly OutboundStats[]): boolean =>
  looks.every(({ sourceFrames }) => sourceFrames === looks[0]?.sourceFrames);

function capOf(senders: readonly EndpointRecord[]): number | null {
  const caps = senders.flatMap((sender) => {
    const streams = videoStreams([sender]);
    const sections = new Set(streams.map(({ mid }) => mid));
    return [...sections].map((section) => boundBps(streams.filter(({ mid }) => mid === section)));
  });
  return caps.length > 0 && caps.every(Number.isFinite) ? caps.reduce((sum, value) => sum + value, 0) : null;
}

/** How each reason to drop a packet is counted. */
const COUNTED_AS: Readonly<Record<DropReason, keyof NonNullable<Facts['drops']>>> = {
  'random-loss': 'random',
  'queue-full': 'full',
  overlimit: 'full',
  codel: 'aqm',
  pie: 'aqm',
};

function countDrops(packets: readonly PacketRecord[]): NonNullable<Facts['drops']> {
  const drops = { random: 0, full: 0, aqm: 0 };
  for (const { dropped } of packets) if (dropped !== null) drops[COUNTED_AS[dropped]]++;
  return drops;
}

const noteStall = (stalls: Facts['stalls'], us: number): void => {
  stalls.totalUs += us;
  stalls.longestUs = Math.max(stalls.longestUs, us);
};

/**
 * The periods between samples of the queue (`rows`) in which packets of any traffic waited, but none passed.
 */
function stalledRows({ direction }: LinkSide, window: Window): Facts['stalls'] {
  checkKept(direction, window);
  const { rows } = direction;
  const { fromUs, toUs } = window;
  const stalls = { totalUs: 0, longestUs: 0 };
  let sinceUs: number | null = null;
  let last: (typeof rows)[number] | undefined;
  const end = (timeUs: number): void => {
    if (sinceUs !== null && timeUs - sinceUs >= LEAST_STALL_US) noteStall(stalls, timeUs - sinceUs);
    sinceUs = null;
  };
  for (const row of rows) {
    if (row.time_us <= fromUs || row.time_us > toUs) continue;
    const stands = last !== undefined && last.queue_bytes > 0 && row.delivered_bytes === last.delivered_bytes;
    if (stands) sinceUs ??= last?.time_us ?? null;
    else end(last?.time_us ?? 0);
    last = row;
  }
  end(last?.time_us ?? 0);
  return stalls;
}

/**
 * The periods in which a packet waited but the link transmitted nothing. Each period begins at the previous departure
 * or, if the packet arrived later, at this arrival. The period ends when the packet's transmission begins.
 */
function stalledPackets({ direction }: LinkSide, window: Window): Facts['stalls'] {
  const stalls = { totalUs: 0, longestUs: 0 };
  const steps = direction.capacity.map(({ timeUs, capacityBps }) => ({ atUs: timeUs, capacityBps }));
  const bps = (capacityBits(steps, window) * 1e6) / (window.toUs - window.fromUs);
  let lastUs = window.fromUs;
  for (const { offeredUs, departUs, sizeBytes, dropped } of packetsIn(direction, null, window)) {
    if (dropped !== null) continue;
    const pauseUs = departUs - Math.max(lastUs, offeredUs) - (bps > 0 ? (sizeBytes * 8e6) / bps : 0);
    lastUs = departUs;
    if (pauseUs >= LEAST_STALL_US) noteStall(stalls, pauseUs);
  }
  return stalls;
}

/**
 * Takes stalls from the samples of the queue, since they cover all traffic. Without such samples, takes
 * stalls from the packets.
 */
const stallsOf = (side: LinkSide, window: Window): Facts['stalls'] =>
  side.direction.rows.length > 0 ? stalledRows(side, window) : stalledPackets(side, window);

function excessOf(record: CallRecord, paths: readonly Path[], window: Window): Facts['excess'] {
  const sent = sentCurve(record, paths);
  let [sentBits, capacity, durationUs] = [0, 0, 0];
  for (let fromUs = window.fromUs; fromUs + SLICE_US <= window.toUs; fromUs += SLICE_US) {
    const slice = { fromUs, toUs: fromUs + SLICE_US };
    const bits = capacityBitsIn(record, paths, slice);
    const offered = (sent.rateBps(slice) * SLICE_US) / 1e6;
    if (bits === null || !(offered > EXCESS * bits)) continue;
    sentBits += offered;
    capacity += bits;
    durationUs += SLICE_US;
  }
  if (durationUs === 0) return null;
  return { sentBps: (sentBits * 1e6) / durationUs, capacityBps: (capacity * 1e6) / durationUs, durationUs };
}

/** Connectivity checks and RTCP are smaller than this. */
const LEAST_MEDIA_BYTES = 300;

/** The longest time in which no media reached the links. */
function longestPauseUs(sides: readonly LinkSide[], window: Window): number {
  if (sides.length === 0) return 0;
  const times = sides
    .flatMap(({ direction, flows }) => packetsIn(direction, flows, window))
    .filter(({ sizeBytes }) => sizeBytes >= LEAST_MEDIA_BYTES)
    .map(({ offeredUs }) => offeredUs);
  const ends = [window.fromUs, ...times.sort((a, b) => a - b), window.toUs];
  return ends.slice(1).reduce((longest, timeUs, i) => Math.max(longest, timeUs - (ends[i] ?? timeUs)), 0);
}

function growthOf(record: CallRecord, paths: readonly Path[], { toUs }: Window): Facts['growth'] {
  const curve = receivedCurve(record, paths);
  const end = Math.min(toUs, curve.knownUntilUs);
  const [nowBps, beforeBps] = [end, end - TRAILING_US].map((until) =>
    curve.rateBps({ fromUs: until - TRAILING_US, toUs: until }),
  );
  return Number.isFinite(nowBps) && Number.isFinite(beforeBps)
    ? { nowBps: nowBps ?? NaN, beforeBps: beforeBps ?? NaN }
    : null;
}

function endedPageOf(
  record: CallRecord,
  endpoints: readonly EndpointRecord[],
  { toUs }: Window,
): Facts['endedPage'] {
  const ids = new Set(endpoints.map(({ page }) => page));
  for (const { id, url, ended } of record.pages) {
    if (ended && ended.timeUs <= toUs && ids.has(id)) return { id, url, ...ended };
  }
  return null;
}

const hadVideo = ({ samples }: EndpointRecord): boolean =>
  samples.some(({ outbound }) => outbound.some(({ kind }) => kind === 'video'));

/** For example `page 1 connecting, page 2 new`. */
const statesText = (endpoints: readonly EndpointRecord[]): string =>
  endpoints
    .map(({ page, states }) => `${pageName(page)} ${states.at(-1)?.state ?? 'without a state'}`)
    .join(', ');

/** Gathers everything that may explain the behaviour of the given paths in a window. */
export function gatherFacts(record: CallRecord, all: readonly Path[], window: Window): Facts {
  // Connections that ended before the window explain it only if no other was left.
  const lasting = all.filter((path) => (callEndUs(record, [path]) ?? Infinity) > window.fromUs);
  const paths = lasting.length > 0 ? lasting : all;
  const senders = sidesOf(paths, 'sender');
  const endpoints = [...senders, ...sidesOf(paths, 'receiver')];
  const sides = linkSides(record, paths);
  const stalls = sides.map((side) => stallsOf(side, window));
  const samples = senders.flatMap((endpoint) => samplesIn(endpoint, window));
  const connected = all.some((path) => pathConnectedUs(path) !== null);
  const notices = [...record.notices, ...record.endpoints.flatMap((endpoint) => endpoint.notices)];
  return {
    metrics: pathMetrics(record, all, window),
    endedPage: endedPageOf(record, endpoints, window),
    errorNotice: connected ? null : (notices.find(({ level }) => level === 'error') ?? null),
    connected,
    endpoints: record.endpoints.length,
    stateText: statesText(record.endpoints),
    routing: routingOf(record, all),
    sendersUnderTest: senders.length,
    hasMedia: missingMedia(paths, window, 'any', null) === null,
    hasVideo: senders.some(({ samples: all }) => all.length === 0) ? null : videoStreams(senders).length > 0,
    hadVideo: senders.some((sender) => hadVideo(sender)),
    capBps: capOf(senders),
    cpuLimitedShare: shareLimitedBy(samples, 'cpu'),
    bandwidthLimitedShare: shareLimitedBy(samples, 'bandwidth'),
    drops:
      sides.length === 0
        ? null
        : countDrops(sides.flatMap(({ direction, flows }) => packetsIn(direction, flows, window))),
    stalls: {
      totalUs: Math.max(0, ...stalls.map(({ totalUs }) => totalUs)),
      longestUs: Math.max(0, ...stalls.map(({ longestUs }) => longestUs)),
    },
    excess: excessOf(record, paths, window),
    resentBytes: senders.reduce(
      (bytes, sender) =>
        bytes + outboundGrowth(sender, window, ({ retransmittedBytesSent }) => retransmittedBytesSent),
      0,
    ),
    keyFrameWait: keyFrameWait(sidesOf(paths, 'receiver').map((each) => samplesIn(each, window))),
    detector: detectorFacts(record, sidesOf(paths, 'receiver'), window),
    sourceStopped: sourceStopped(samples),
    machine: machineIn(record, window),
    lateSeconds: lateSecondsIn(record, window),
    pausedUs: longestPauseUs(sides, window),
    growth: growthOf(record, paths, window),
  };
}
