/**
 * The evidence for an incident's cause: the samples of the affected stream from before and around the beginning of
 * the incident.
 */
import { boundBps } from '../../calls/record/bounds.js';
import { mateOf } from '../../calls/record/connections.js';
import type { CallRecord, EndpointRecord } from '../../calls/record/record.js';
import { median } from '../../calls/percentile.js';
import { machineIn } from '../machine.js';
import type { MachineState } from '../../machine/index.js';
import { detectorFacts, leastWaitMs, longestWaitMs, type DetectorFacts } from '../detector.js';
import { BEFORE_US, HIGHEST_US } from './falls.js';
import type { IncidentKind, StreamId } from './incident.js';
import { LOSS_DECREASES } from '../loss_thresholds.js';
import { linkFacts, type LinkFacts } from './sides.js';
import type { Look } from './stream_looks.js';

/**
 * The search for an incident's cause covers the time from LEAD_US before the incident begins until TRAIL_US after its
 * beginning.
 */
export const LEAD_US = 2.5e6;
export const TRAIL_US = 2.5e6;
/**
 * Used instead of TRAIL_US if nothing arrives or nothing is decoded. This time is long enough for another
 * connectivity check, and for the receiver to request a key frame (Chromium first waits three seconds for a frame).
 */
export const QUIET_TRAIL_US = 6e6;
/**
 * A queue that is found within this time after heavy loss is assumed to have existed before the loss. A later queue
 * may consist of retransmissions.
 */
const BESIDE_LOSS_US = 0.5e6;
/**
 * A queue grows before the rate falls. Therefore the detector's signals are used only until this long after the
 * incident began. The same holds for delays in the link's queue, except if the incident is a delay rise.
 */
const DETECTED_US = 0.5e6;
/** The usual values come from the time between USUAL_US + LEAD_US and LEAD_US / 2 before the incident. */
const USUAL_US = 6e6;
/**
 * The scatter of values is measured over this longer time, since connectivity checks come only every two and a
 * half seconds.
 */
const SCATTERED_US = 20e6;
/** Samples are kept for this long, so that the usual values before a slow fall are still known. */
export const KEPT_US = HIGHEST_US + BEFORE_US + QUIET_TRAIL_US;

export interface Evidence {
  kind: IncidentKind;
  stream: StreamId;
  endpoint: EndpointRecord;
  fromUs: number;
  /**
   * `before` and `after`: the rates for a fall, the delays in ms for a rise; for a freeze, 0 and its length in
   * ms.
   */
  before: number;
  after: number;
  /** The time up to which data are available. */
  untilUs: number;
  /**
   * `usual`: the samples before the incident that define usual values. `around`: the samples around its
   * beginning.
   */
  usual: readonly Look[];
  around: readonly Look[];
  /** All samples from USUAL_US before `around` until the end of `around`. */
  recent: readonly Look[];
  /** The samples of a longer time before the incident, which show how much values usually scatter. */
  past: readonly Look[];
  /** The samples of `around` since the incident began. */
  since: readonly Look[];
  machine: MachineState;
  /** What the link did to the stream; null if the record contains no link that carries the stream. */
  link: LinkFacts | null;
  /** Whether the record contains the far side's end of the connection. If not, the far side may be a server. */
  isFarSideKnown: boolean;
  /**
   * What the overuse detector of the shadow (a controller that runs alongside the call) reported on a received
   * stream. Null for a sent stream, or without reports.
   */
  detector: DetectorFacts | null;
  /**
   * How much longer than usual the frames of a received stream waited, in ms. Null for a sent stream, or if the
   * shadow saw too few frames.
   */
  queueMs: number | null;
  /**
   * The shortest wait of a received frame just after heavy loss, in ms above the usual wait. Null for a sent stream,
   * if there was no such loss, or if the shadow saw too few frames.
   */
  queueBesideLossMs: number | null;
}

export interface Begun {
  kind: IncidentKind;
  stream: StreamId;
  fromUs: number;
  before: number;
  after: number;
  /** The time until which the earlier state was usual; absent if it was usual until the incident began. */
  usualUntilUs?: number | undefined;
}

/** How long after an incident's beginning the search for its cause continues. */
export function trailUs(looks: readonly Look[], fromUs: number): number {
  const since = looks.filter(({ timeUs }) => timeUs > fromUs && timeUs <= fromUs + TRAIL_US);
  const isQuiet =
    since.length > 0 && since.slice(-2).every(({ bytesIn, decoded }) => bytesIn === 0 || decoded === 0);
  return isQuiet ? QUIET_TRAIL_US : TRAIL_US;
}

const within = (looks: readonly Look[], fromUs: number, toUs: number): Look[] =>
  looks.filter(({ timeUs }) => timeUs > fromUs && timeUs <= toUs);

/** The samples that define what was usual, and those that define how much values scatter. */
function usualLooks(
  looks: readonly Look[],
  { fromUs, usualUntilUs }: Begun,
): Pick<Evidence, 'usual' | 'past'> {
  if (usualUntilUs !== undefined) {
    const usual = within(looks, usualUntilUs - BEFORE_US, usualUntilUs);
    return { usual, past: usual };
  }
  const toUs = fromUs - 0.5 * LEAD_US;
  return {
    usual: within(looks, fromUs - LEAD_US - USUAL_US, toUs),
    past: within(looks, toUs - SCATTERED_US, toUs),
  };
}

export function evidenceOf(
  record: CallRecord,
  endpoint: EndpointRecord,
  looks: readonly Look[],
  begun: Begun,
): Evidence {
  const { fromUs } = begun;
  const untilUs = looks.at(-1)?.timeUs ?? fromUs;
  const window = { fromUs: fromUs - LEAD_US, toUs: Math.min(untilUs, fromUs + trailUs(looks, fromUs)) };
  const around = within(looks, window.fromUs, window.toUs);
  const isReceived = begun.stream.direction === 'receive';
  const usualFromUs = window.fromUs - USUAL_US;
  const lossy = around.find((look) => lossOf([look], begun.stream.direction) > LOSS_DECREASES);
  const besideLoss = lossy && { fromUs: lossy.timeUs, toUs: lossy.timeUs + BESIDE_LOSS_US };
  return {
    ...begun,
    endpoint,
    untilUs,
    ...usualLooks(looks, begun),
    around,
    recent: within(looks, fromUs - LEAD_US - USUAL_US, window.toUs),
    since: around.filter(({ timeUs }) => timeUs >= fromUs),
    machine: machineIn(record, window),
    link: linkFacts(
      record,
      begun,
      { fromUs: window.fromUs, toUs: begun.kind === 'delay-rise' ? window.toUs : fromUs + DETECTED_US },
      usualFromUs,
    ),
    isFarSideKnown: mateOf(record, endpoint.id) !== undefined,
    detector: isReceived
      ? detectorFacts(record, [endpoint], { fromUs: window.fromUs, toUs: fromUs + DETECTED_US })
      : null,
    queueMs: isReceived ? longestWaitMs(record, endpoint, window, usualFromUs) : null,
    queueBesideLossMs:
      isReceived && besideLoss ? leastWaitMs(record, endpoint, besideLoss, usualFromUs) : null,
  };
}

/** The median of a value over samples; NaN if the value is unknown in all of them. */
export const usualOf = (looks: readonly Look[], value: (look: Look) => number): number =>
  median(looks.map(value).filter(Number.isFinite));

/** The scatter of a value: the median of the distances from the median. */
export function scatterOf(looks: readonly Look[], value: (look: Look) => number): number {
  const middle = usualOf(looks, value);
  return usualOf(looks, (look) => Math.abs(value(look) - middle));
}

export const greatest = (looks: readonly Look[], value: (look: Look) => number): number =>
  Math.max(...looks.map(value).filter(Number.isFinite));

export const least = (looks: readonly Look[], value: (look: Look) => number): number =>
  Math.min(...looks.map(value).filter(Number.isFinite));

interface LossCount {
  lost: number;
  /** The packets that were sent (by a sender) or expected (by a receiver). */
  of: number;
}

export function lossCount(looks: readonly Look[], direction: StreamId['direction']): LossCount {
  const lost = looks.reduce((sum, look) => sum + look.lost, 0);
  const packets = looks.reduce((sum, look) => sum + look.packets, 0);
  return { lost, of: direction === 'send' ? packets : packets + lost };
}

/** The loss ratio of the packets that were sent or expected in these samples. */
export function lossOf(looks: readonly Look[], direction: StreamId['direction']): number {
  const { lost, of } = lossCount(looks, direction);
  return of > 0 ? lost / of : 0;
}

/** The stream's layer whose receiver reports show the longest round trip; undefined if no report shows one. */
function slowestLayer({ sent }: Look): Look['sent'][number] | undefined {
  const [first, ...more] = sent.filter(({ roundTripTimeS }) => Number.isFinite(roundTripTimeS));
  return more.reduce(
    (slow, each) => (each.roundTripTimeS > (slow?.roundTripTimeS ?? 0) ? each : slow),
    first,
  );
}

/** The round-trip time of a sample, in ms: from RTCP if available, else from connectivity checks. */
export const rttMs = (look: Look): number => (slowestLayer(look)?.roundTripTimeS ?? look.sample.rttS) * 1e3;

/**
 * The samples with a new measurement of the round trip. Without a new measurement, a sample repeats the latest
 * measurement.
 */
export function rttMeasured(looks: readonly Look[]): Look[] {
  const isNew = (look: Look, before: Look): boolean =>
    rttMs(look) !== rttMs(before) ||
    slowestLayer(look)?.reportTimeUs !== slowestLayer(before)?.reportTimeUs ||
    (slowestLayer(look) === undefined && look.checksAnswered > 0);
  return looks.filter((look, i) => {
    const before = looks[i - 1];
    return Number.isFinite(rttMs(look)) && (before === undefined || isNew(look, before));
  });
}

export const targetBps = ({ sent }: Look): number => {
  const known = sent.map(({ targetBps: bps }) => bps).filter(Number.isFinite);
  return known.length === 0 ? NaN : known.reduce((sum, bps) => sum + bps, 0);
};

/** The limit on the stream's bitrate; NaN if there is none. */
export const capBps = ({ sent }: Look): number => boundBps(sent);

/** The fraction of the samples for which `holds` returns true; 0 without samples. */
export const share = (looks: readonly Look[], holds: (look: Look) => boolean): number =>
  looks.length === 0 ? 0 : looks.filter(holds).length / looks.length;

/** Whether an encoder reports `reason` as its qualityLimitationReason. */
export const isLimitedBy =
  (reason: string) =>
  ({ sent }: Look): boolean =>
    sent.some(({ qualityLimitationReason }) => qualityLimitationReason === reason);
