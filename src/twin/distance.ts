/**
 * How far a call and its twin are apart, series by series. Both are averaged over each second of the call, values
 * counting for as long as they hold; single frames, which fill and empty a queue many times a second, have no common
 * clock. A second in which either has no value is left out.
 */
import { sampled, type TimedValues } from '../calls/sampled.js';

export type { TimedValues } from '../calls/sampled.js';

/** A stretch of time in which the two were averaged. */
export interface Second {
  fromUs: number;
  call: number;
  twin: number;
}

export interface Distance {
  /** Averages over all seconds. */
  call: number;
  twin: number;
  /** The average of twin less call. */
  offset: number;
  /** The average of the differences without their signs. */
  apart: number;
  /** `apart` as a share of the call's average; null where that is 0. */
  relative: number | null;
  /** Where they part most. */
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

/** Null where there is no second in which both have values. */
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
