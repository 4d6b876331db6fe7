/**
 * Measures, for each series, how much a call and its twin (its simulation) differ. Both series are averaged over each
 * second of the call; each value applies until the next value. Shorter intervals cannot be compared: single frames
 * fill and empty a queue many times a second, and the call's frames are not in step with the twin's. Seconds in which
 * one of the two series has no value are left out.
 */
import { sampled, type TimedValues } from '../calls/sampled.js';

export type { TimedValues } from '../calls/sampled.js';

/** One second of the call. `call` and `twin` are the averages of the two series over this second. */
export interface Second {
  fromUs: number;
  call: number;
  twin: number;
}

export interface Distance {
  /** `call` and `twin`: the averages of each, over all seconds in which both have values. */
  call: number;
  twin: number;
  /** The average of twin minus call. */
  offset: number;
  /** The average of the absolute differences. */
  apart: number;
  /** `apart` as a fraction of the call's average; null if that average is 0. */
  relative: number | null;
  /** The second in which the call and the twin differ most. */
  most: Second;
}

const SECOND_US = 1e6;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function seconds(values: TimedValues, window: { fromUs: number; toUs: number }): ReadonlyMap<number, number> {
  const ticks = new Map<number, number[]>();
  for (const { atUs, value } of sampled(values, window)) {
    const second = Math.floor((atUs - window.fromUs) / SECOND_US);
    ticks.set(second, [...(ticks.get(second) ?? []), value]);
  }
  return new Map([...ticks].map(([second, each]) => [second, mean(each)]));
}

/** The distance between two series; null if there is no second in which both have values. */
export function distanceOf(
  call: TimedValues,
  twin: TimedValues,
  window: { fromUs: number; toUs: number },
): Distance | null {
  const simulated = seconds(twin, window);
  const both = [...seconds(call, window)].flatMap(([second, value]): Second[] => {
    const other = simulated.get(second);
    const fromUs = window.fromUs + second * SECOND_US;
    return other === undefined ? [] : [{ fromUs, call: value, twin: other }];
  });
  const gap = ({ call: a, twin: b }: Second): number => Math.abs(b - a);
  const [first, ...others] = both;
  if (first === undefined) return null;
  const average = mean(both.map((each) => each.call));
  const apart = mean(both.map(gap));
  return {
    call: average,
    twin: mean(both.map((each) => each.twin)),
    offset: mean(both.map((each) => each.twin - each.call)),
    apart,
    relative: average === 0 ? null : apart / average,
    most: others.reduce((most, each) => (gap(each) > gap(most) ? each : most), first),
  };
}
