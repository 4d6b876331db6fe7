/**
 * The joint density of sending rate and one-way delay that the controller LCC learns, on a grid (Fig. 1 of the
 * LCC paper; see src/papers/README.md).
 */
import { CoreError, type CoreModule } from './load.js';

export interface DensityOptions {
  /** The number of points on the rate axis, from 2 to 256. Default 64. */
  rates?: number;
  /** The number of points on the delay axis, from 2 to 256. Default 64. */
  delays?: number;
  /** The lowest and the highest rate of the grid. Default: the range of the density. */
  rateBps?: readonly [from: number, to: number];
  /** The lowest and the highest delay of the grid. Default: the range of the density. */
  delayUs?: readonly [from: number, to: number];
}

export interface Density {
  /** The points on the rate axis, evenly spaced. */
  ratesBps: number[];
  /**
   * The points on the delay axis, which shows one-way delays. The clock offset is unknown, so the smallest
   * one-way delay is assumed to be half of the smallest RTT.
   */
  delaysUs: number[];
  /**
   * The density, in 1 / (bit/s · µs). The value at the point (rate, delay) is `values[delay * ratesBps.length +
   * rate]`, where `rate` and `delay` are indices.
   */
  values: Float64Array;
}

const DEFAULT_POINTS = 64;
const MOST_POINTS = 256;

function checkCount(name: 'rates' | 'delays', count: number): void {
  if (Number.isInteger(count) && count >= 2 && count <= MOST_POINTS) return;
  throw new CoreError(`${name}: expected an integer from 2 to ${MOST_POINTS}, got ${count}`, name);
}

const points = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));

/**
 * The density that a sender half in the core has learnt. Null if its controller learns none, and before the
 * first feedback. Throws a CoreError that names the invalid option.
 */
export function readDensity(core: CoreModule, half: number, options: DensityOptions): Density | null {
  const { rates = DEFAULT_POINTS, delays = DEFAULT_POINTS } = options;
  checkCount('rates', rates);
  checkCount('delays', delays);
  const size = 4 + rates * delays;
  const buffer = core.abi.ccs_input_buffer(size);
  const ends = [...(options.rateBps ?? [NaN, NaN]), ...(options.delayUs ?? [NaN, NaN])];
  core.doubles(buffer, ends.length).set(ends);
  const found = core.abi.ccs_density(half, rates, delays);
  if (found < 0) throw core.lastError();
  if (found === 0) return null;
  const result = core.doubles(buffer, size);
  const [rateFrom = 0, rateTo = 0, delayFrom = 0, delayTo = 0] = result;
  return {
    ratesBps: points(rateFrom, rateTo, rates),
    delaysUs: points(delayFrom, delayTo, delays),
    values: result.slice(4),
  };
}
