/**
 * Metrics of how well a call used its bottleneck, from the shaper's record of every packet:
 *
 * - utilisation: bits that left the bottleneck in a window, divided by the integral of the capacity over the
 *   window;
 * - queuing delay: per packet, from reaching the queue to the start of its transmission; percentiles by
 *   nearest rank;
 * - loss ratio: bytes dropped (by chance or by the queue) over bytes offered;
 * - time to 90 %: from the start until the rate over the trailing 2 s reaches 90 % of the capacity; only
 *   packets that left the bottleneck after the start count.
 */
import type { CapacityStep } from '../core/link.js';
import type { PacketRecord } from '../link/packet_log.js';
import { percentiles } from './percentile.js';

/** IPv4 and UDP headers; sizes of packets at the link include them. */
export const IP_UDP_HEADER_BYTES = 28;

const TRAILING_US = 2e6;
const CONVERGED = 0.9;
const SHORT_QUEUE_US = 50_000;
/** The queue is short again once its delay has stayed below SHORT_QUEUE_US for this time. */
const STAYS_SHORT_US = 1e6;

/** A window of time, in microseconds on the clock of the records. `toUs` belongs to the window, `fromUs` does not. */
export interface Window {
  fromUs: number;
  toUs: number;
}

/** Three percentiles in milliseconds; null if there were no packets. */
export interface Percentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export interface StepMetrics {
  /** Seconds from the first packet to the step. */
  at_s: number;
  capacity_bps: number;
  /** Null during an outage, which is a step to a capacity of 0. */
  utilisation: number | null;
  /**
   * Seconds from the step until the rate reached 90 % of the capacity; null if the rate stayed lower until
   * the next step.
   */
  time_to_90pct_s: number | null;
  drops: number;
  /**
   * Seconds from the step to the start of the first second in which the queuing delay stayed below 50 ms; null
   * if there was no such second, and during an outage.
   */
  queue_below_50ms_after_s: number | null;
}

export interface LinkMetrics {
  /** Over the last two thirds of the run. Null if the capacity was 0 all this time. */
  utilisation: number | null;
  /** Over the last two thirds of the run. */
  queue_delay_ms: Percentiles;
  /** The loss ratio over the whole run. */
  loss_ratio: number;
  /**
   * Seconds from the first packet until the rate reached 90 % of the capacity; null if the rate stayed lower
   * until the first change of the capacity.
   */
  time_to_90pct_s: number | null;
  /** Dropped packets over the whole run. */
  drops: number;
  steps: StepMetrics[];
}

const finiteOrNull = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

/** The 50th, 95th and 99th percentiles; null if there are no values. */
export function threePercentiles(values: Iterable<number>): Percentiles {
  const [p50, p95, p99] = percentiles(values, [50, 95, 99]).map(finiteOrNull);
  return { p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null };
}

/**
 * Bits that the link can carry in a window. `steps` is in time order. Before the first step, the capacity of
 * the first step applies.
 */
export function capacityBits(steps: readonly CapacityStep[], { fromUs, toUs }: Window): number {
  return steps.reduce((bits, { atUs, capacityBps }, i) => {
    const endUs = Math.min(toUs, steps[i + 1]?.atUs ?? Infinity);
    const us = endUs - Math.max(fromUs, i === 0 ? -Infinity : atUs);
    return us > 0 ? bits + (capacityBps * us) / 1e6 : bits;
  }, 0);
}

function departedIn(records: readonly PacketRecord[], { fromUs, toUs }: Window): PacketRecord[] {
  return records.filter(({ departUs, dropped }) => dropped === null && departUs > fromUs && departUs <= toUs);
}

const bytesOf = (records: readonly PacketRecord[]): number =>
  records.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);

/** Null if the capacity was 0 during all of the window: no share of nothing can be used. */
export function utilisation(
  records: readonly PacketRecord[],
  steps: readonly CapacityStep[],
  window: Window,
): number | null {
  return shareOfCapacity(bytesOf(departedIn(records, window)), steps, window);
}

/** The share of a window's capacity that these bytes took; null if the capacity was 0 during all of the window. */
export function shareOfCapacity(
  bytes: number,
  steps: readonly CapacityStep[],
  window: Window,
): number | null {
  const bits = capacityBits(steps, window);
  return bits > 0 ? (bytes * 8) / bits : null;
}

/**
 * Seconds from `window.fromUs` until 90 % of `capacityBps` was reached; null if that did not happen in the
 * window.
 */
export function timeTo90(
  records: readonly PacketRecord[],
  capacityBps: number,
  window: Window,
): number | null {
  const departed = departedIn(records, window);
  const neededBytes = (CONVERGED * capacityBps * TRAILING_US) / 1e6 / 8;
  let bytes = 0;
  let oldest = 0;
  for (const { departUs, sizeBytes } of departed) {
    bytes += sizeBytes;
    for (
      let first = departed[oldest];
      first && first.departUs <= departUs - TRAILING_US;
      first = departed[oldest]
    ) {
      bytes -= first.sizeBytes;
      oldest++;
    }
    if (bytes >= neededBytes) return (departUs - window.fromUs) / 1e6;
  }
  return null;
}

/**
 * Seconds from `window.fromUs` to the start of the first second in which the queuing delay stayed below 50 ms;
 * null if there was no such second.
 */
export function timeToShortQueue(records: readonly PacketRecord[], window: Window): number | null {
  let sinceUs = window.fromUs;
  for (const { departUs, queueDelayUs } of departedIn(records, window)) {
    if (departUs - sinceUs >= STAYS_SHORT_US) break;
    if (queueDelayUs >= SHORT_QUEUE_US) sinceUs = departUs;
  }
  return window.toUs - sinceUs >= STAYS_SHORT_US ? (sinceUs - window.fromUs) / 1e6 : null;
}

/**
 * The capacity at the start of a run, followed by the later changes, in whole microseconds since the start: the
 * clock has fractions of them, which would otherwise show as a step "at 3.9999999999999996 s".
 */
export function stepsSince(
  changes: readonly { timeUs: number; capacityBps: number }[],
  fromUs: number,
): CapacityStep[] {
  const first = changes.findLastIndex(({ timeUs }) => timeUs <= fromUs);
  return changes
    .slice(Math.max(0, first))
    .map(({ timeUs, capacityBps }) => ({ atUs: Math.max(0, Math.round(timeUs - fromUs)), capacityBps }));
}

/**
 * The metrics of a run.
 * @param records in the order of departure
 * @param steps the capacity, with times from the start of the run
 * @param run from the first packet to the end
 */
export function linkMetrics(
  records: readonly PacketRecord[],
  steps: readonly CapacityStep[],
  run: Window,
): LinkMetrics {
  const absolute = steps.map(({ atUs, capacityBps }) => ({ atUs: run.fromUs + atUs, capacityBps }));
  const lastTwoThirds = { fromUs: run.fromUs + (run.toUs - run.fromUs) / 3, toUs: run.toUs };
  // A packet that is offered exactly at the start counts: the run starts with the first packet.
  const offered = records.filter(({ offeredUs }) => offeredUs >= run.fromUs && offeredUs <= run.toUs);
  const dropped = offered.filter((record) => record.dropped !== null);
  const measured = departedIn(records, lastTwoThirds).map(({ queueDelayUs }) => queueDelayUs / 1e3);
  const stepMetrics = absolute.map(({ atUs, capacityBps }, i): StepMetrics => {
    const window = { fromUs: atUs, toUs: Math.min(run.toUs, absolute[i + 1]?.atUs ?? Infinity) };
    return {
      at_s: (steps[i]?.atUs ?? 0) / 1e6,
      capacity_bps: capacityBps,
      utilisation: utilisation(records, absolute, window),
      time_to_90pct_s: timeTo90(records, capacityBps, window),
      drops: dropped.filter(({ departUs }) => departUs >= window.fromUs && departUs < window.toUs).length,
      queue_below_50ms_after_s: capacityBps > 0 ? timeToShortQueue(records, window) : null,
    };
  });
  return {
    utilisation: utilisation(records, absolute, lastTwoThirds),
    queue_delay_ms: threePercentiles(measured),
    loss_ratio: offered.length === 0 ? 0 : bytesOf(dropped) / bytesOf(offered),
    time_to_90pct_s: stepMetrics[0]?.time_to_90pct_s ?? null,
    drops: dropped.length,
    steps: stepMetrics.filter(({ at_s }) => at_s * 1e6 < run.toUs - run.fromUs),
  };
}
