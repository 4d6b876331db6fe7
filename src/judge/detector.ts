/**
 * Reads what the overuse detectors of shadows reported. A shadow is a controller that runs alongside a call
 * without controlling it.
 */
import type { TraceBatch } from '../core/index.js';
import { tableSpec } from '../core/schema.js';
import type { Window } from '../calls/metrics.js';
import type { CallRecord, EndpointRecord } from '../calls/record/record.js';

export interface DetectorFacts {
  groups: number;
  /** Fraction of the packet groups at which the detector signalled overuse. */
  overuseShare: number;
  /** The largest value of the detector's adaptive threshold γ. */
  gammaMs: number;
}

const { columns: COLUMNS } = tableSpec('group');
const column = (name: string): number => COLUMNS.findIndex((each) => each.name === name);
const TIME = column('time_us');
const SIGNAL = column('signal');
const GAMMA = column('gamma_ms');
const DELAY = column('one_way_delay_us');
const OVERUSE = COLUMNS[SIGNAL]?.values?.indexOf('overuse');

/**
 * Whether no row of a batch is in a window. The rows of a batch are in time order, since only GCC records packet
 * groups, a shadow has one GCC, and the clock of a controller never runs backwards.
 */
function isOutside({ rows, columns }: TraceBatch, { fromUs, toUs }: Window): boolean {
  const times = columns[TIME] ?? [];
  return (times[0] ?? NaN) > toUs || (times[rows - 1] ?? NaN) <= fromUs;
}

/**
 * Yields the trace batches of the table `group` (packet groups) that have rows in a window, for each shadow of the given
 * endpoints. Batches outside the window are left out unread: a long call has many, and each of its incidents looks at
 * a few seconds.
 */
function* groupsOf(
  { shadows }: CallRecord,
  receivers: readonly EndpointRecord[],
  window: Window,
): Generator<readonly TraceBatch[]> {
  const ids = new Set(receivers.map(({ id }) => id));
  for (const { endpoint, batches } of shadows)
    if (ids.has(endpoint))
      yield batches.filter((batch) => batch.table === 'group' && !isOutside(batch, window));
}

/**
 * Summarises the detectors' reports in a window. The reports concern the streams that the given endpoints received.
 * Null if there is no report.
 */
export function detectorFacts(
  record: CallRecord,
  receivers: readonly EndpointRecord[],
  window: Window,
): DetectorFacts | null {
  const { fromUs, toUs } = window;
  let [groups, overuses, gammaMs] = [0, 0, 0];
  for (const batches of groupsOf(record, receivers, window)) {
    for (const { rows, columns } of batches) {
      for (let row = 0; row < rows; row++) {
        const timeUs = columns[TIME]?.[row] ?? NaN;
        if (!(timeUs > fromUs && timeUs <= toUs)) continue;
        groups++;
        if (columns[SIGNAL]?.[row] === OVERUSE) overuses++;
        gammaMs = Math.max(gammaMs, columns[GAMMA]?.[row] ?? 0);
      }
    }
  }
  return groups === 0 ? null : { groups, overuseShare: overuses / groups, gammaMs };
}

/**
 * A single frame may be late for many reasons, but a queue delays all frames. So each second is represented by
 * the lowest delay of its frames, if it has enough frames.
 */
const QUEUE_US = 1e6;
const LEAST_FRAMES = 3;

/** Yields the arrival time and the delay of each packet group in a window, for each shadow of an endpoint. */
function* delaysOf(
  record: CallRecord,
  receiver: EndpointRecord,
  window: Window,
): Generator<{ timeUs: number; delayUs: number }[]> {
  const { fromUs, toUs } = window;
  for (const batches of groupsOf(record, [receiver], window)) {
    const delays: { timeUs: number; delayUs: number }[] = [];
    for (const { rows, columns } of batches) {
      for (let row = 0; row < rows; row++) {
        const timeUs = columns[TIME]?.[row] ?? NaN;
        if (timeUs > fromUs && timeUs <= toUs) delays.push({ timeUs, delayUs: columns[DELAY]?.[row] ?? NaN });
      }
    }
    yield delays;
  }
}

/** The lowest delay of the frames of each second that has enough frames. */
function leastDelays(frames: readonly { timeUs: number; delayUs: number }[]): number[] {
  const seconds = new Map<number, { count: number; leastUs: number }>();
  for (const { timeUs, delayUs } of frames) {
    const second = Math.floor(timeUs / QUEUE_US);
    const { count, leastUs } = seconds.get(second) ?? { count: 0, leastUs: Infinity };
    seconds.set(second, { count: count + 1, leastUs: Math.min(leastUs, delayUs) });
  }
  return [...seconds.values()].filter(({ count }) => count >= LEAST_FRAMES).map(({ leastUs }) => leastUs);
}

/**
 * The longest queuing delay of frames in a window, in ms. This is the highest per-second minimum of the frame delay
 * in the window, minus the lowest per-second minimum since `usualFromUs`. Null if no second of the window has enough
 * frames.
 */
export function longestWaitMs(
  record: CallRecord,
  receiver: EndpointRecord,
  { fromUs, toUs }: Window,
  usualFromUs: number,
): number | null {
  let longest: number | null = null;
  for (const frames of delaysOf(record, receiver, { fromUs: usualFromUs, toUs })) {
    const inWindow = leastDelays(frames.filter(({ timeUs }) => timeUs > fromUs));
    if (inWindow.length === 0) continue;
    const waitMs = (Math.max(...inWindow) - Math.min(...leastDelays(frames))) / 1e3;
    longest = Math.max(longest ?? 0, waitMs);
  }
  return longest;
}

/**
 * The shortest queuing delay of a frame in a window, in ms. This is the lowest frame delay in the window, minus the
 * lowest per-second minimum since `usualFromUs`. Null if no frame arrived in the window, or if no second has enough
 * frames.
 */
export function leastWaitMs(
  record: CallRecord,
  receiver: EndpointRecord,
  { fromUs, toUs }: Window,
  usualFromUs: number,
): number | null {
  let least: number | null = null;
  for (const frames of delaysOf(record, receiver, { fromUs: usualFromUs, toUs })) {
    const delays = frames.filter(({ timeUs }) => timeUs > fromUs).map(({ delayUs }) => delayUs);
    const usual = leastDelays(frames);
    if (delays.length === 0 || usual.length === 0) continue;
    const waitMs = Math.max(0, Math.min(...delays) - Math.min(...usual)) / 1e3;
    least = Math.min(least ?? Infinity, waitMs);
  }
  return least;
}
