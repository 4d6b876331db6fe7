/**
 * A quantity over two logarithmic axes, drawn as a map like Fig. 5 of the ToN paper (see src/papers/README.md).
 * The map has one point for each combination of the axes' values. Points vary randomly with the seed, so the
 * maximum is determined from means of three by three points. The result contains the maximum and all points that
 * are not significantly lower.
 */
import { axisOf, cellKey, type CellParams } from './cells.js';
import { SIGNIFICANCE_LEVEL, type CellValues } from './claims.js';
import { quantityKey } from './metrics.js';
import type { Axis, Scenario, SurfaceSpec } from './scenario.js';
import { normalTail, summarise, tailProbability } from './statistics.js';

export interface SurfaceAxis {
  name: string;
  label: string;
  values: readonly number[];
}

export interface SurfacePoint {
  x: number;
  y: number;
  value: number;
}

/** Whether a paper's claim about the map's slopes holds. */
export interface SlopeResult {
  id: string;
  says: string;
  where: string;
  holds: boolean;
  p: number;
}

export interface Surface {
  x: SurfaceAxis;
  y: SurfaceAxis;
  /** The labels of the values of a third axis. The map is the sum of one scaled map for each of these values. */
  over: readonly string[];
  /**
   * The value at x.values[i], y.values[j] is values[i * y.values.length + j], the mean of three by three
   * points. NaN if none of these points has a number.
   */
  values: readonly number[];
  /**
   * The standard deviation of a single point, estimated from the difference between each point and the mean
   * of its four neighbours.
   */
  noise: number;
  maximum: SurfacePoint;
  /**
   * `highest`: the points that are not significantly lower than the maximum (5 %, one-sided). `maximumX` and
   * `maximumY`: the ranges of x and y over these points.
   */
  highest: readonly SurfacePoint[];
  maximumX: readonly [low: number, high: number];
  maximumY: readonly [low: number, high: number];
  /** Absent if the scenario names no published point. */
  published?: SurfacePoint & { where: string; read: 'text' | 'figure'; isMaximum: boolean };
  slopes: readonly SlopeResult[];
}

/** `mirroredP` uses only every APART-th point along each axis, since neighbouring points are correlated. */
const APART = 4;
/**
 * `cornerP` compares two square blocks of points: one in a corner, one around a point. This is the width of a
 * block as a fraction of the axis.
 */
const CORNER = 1 / 8;
/** The 95 % quantile of the standard normal distribution. */
const SURELY = 1.645;

class Grid {
  constructor(
    readonly values: readonly number[],
    readonly width: number,
    readonly height: number,
  ) {}

  at(i: number, j: number): number {
    const isInside = i >= 0 && i < this.width && j >= 0 && j < this.height;
    return isInside ? (this.values[i * this.height + j] ?? NaN) : NaN;
  }

  map(value: (i: number, j: number) => number): Grid {
    const values = Array.from({ length: this.width * this.height }, (_, index) =>
      value(Math.floor(index / this.height), index % this.height),
    );
    return new Grid(values, this.width, this.height);
  }
}

const mean = (values: readonly number[]): number => summarise(values).mean;

function neighbours(grid: Grid, i: number, j: number): number[] {
  const around = [grid.at(i - 1, j), grid.at(i + 1, j), grid.at(i, j - 1), grid.at(i, j + 1)];
  return around.filter(Number.isFinite);
}

const smoothed = (grid: Grid): Grid =>
  grid.map((i, j) => mean([-1, 0, 1].flatMap((di) => [-1, 0, 1].map((dj) => grid.at(i + di, j + dj)))));

/**
 * The standard deviation of a single point, estimated from the difference between each point and the mean of its
 * four neighbours. On a smooth map, the variance of this difference is 5/4 of the variance of a point. 0 if no point has
 * four neighbours, since the noise is then unknown.
 */
function noiseOf(grid: Grid): number {
  const squares = grid.values.flatMap((value, index) => {
    const around = neighbours(grid, Math.floor(index / grid.height), index % grid.height);
    const differs = around.length === 4 ? value - mean(around) : NaN;
    return Number.isFinite(differs) ? [differs ** 2] : [];
  });
  return squares.length === 0 ? 0 : Math.sqrt(mean(squares) / 1.25);
}

/** Scales the values so that they range from 0 to 1. Equal values become 0: they add nothing to a sum of maps. */
function normalised(grid: Grid): Grid {
  const finite = grid.values.filter(Number.isFinite);
  const [low, high] = finite.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
  const scale = high > low ? 1 / (high - low) : 0;
  return grid.map((i, j) => (grid.at(i, j) - low) * scale);
}

const numbersOf = ({ name, label, values }: Axis): SurfaceAxis => ({
  name,
  label: label ?? name,
  values: values.map(({ at = NaN }) => at),
});

/** The index of the value that is closest to `wanted` on a logarithmic scale. */
function nearest(values: readonly number[], wanted: number): number {
  const distance = (value: number): number => Math.abs(Math.log(value / wanted));
  return values.reduce((best, value, i) => (distance(value) < distance(values[best] ?? NaN) ? i : best), 0);
}

function slopeOf(
  grid: Grid,
  slope: SurfaceSpec['slopes'][number],
  at: { i: number; j: number; noise: number },
): SlopeResult {
  const { id, says, where } = slope;
  const p = slope.kind === 'higher-where-x-is-larger' ? mirroredP(grid, at) : cornerP(grid, at);
  return { id, says, where, holds: p < SIGNIFICANCE_LEVEL, p };
}

/**
 * The p-value of the claim that the map is higher at (a, b) than at (b, a) for a > b. Compares only points that
 * are no farther from the diagonal than `point`. Both axes must have the same values.
 */
function mirroredP(grid: Grid, point: { i: number; j: number }): number {
  const differences: number[] = [];
  const farthest = point.i - point.j;
  for (let i = 0; i < grid.width; i += APART)
    for (let j = i % APART; j < i; j += APART)
      if (i - j <= farthest) differences.push(grid.at(i, j) - grid.at(j, i));
  return tailProbability(differences) ?? NaN;
}

/**
 * The p-value of the claim that the map is lower in the corner with the largest x and the smallest y than around
 * the point (i, j).
 */
function cornerP(grid: Grid, { i, j, noise }: { i: number; j: number; noise: number }): number {
  const size = Math.max(2, Math.round(grid.width * CORNER));
  const block = (fromI: number, fromJ: number): number[] =>
    Array.from({ length: size * size }, (_, k) =>
      grid.at(fromI + Math.floor(k / size), fromJ + (k % size)),
    ).filter(Number.isFinite);
  const [corner, about] = [block(grid.width - size, 0), block(i - (size >> 1), j - (size >> 1))];
  const error = noise * Math.sqrt(1 / corner.length + 1 / about.length);
  return normalTail((mean(about) - mean(corner)) / error);
}

/** Computes the map of a scenario's surface. Throws ConfigError for an unknown axis. */
export function surfaceOf(scenario: Scenario, spec: SurfaceSpec, results: readonly CellValues[]): Surface {
  const axis = (name: string): Axis => axisOf(scenario, name, 'surface');
  const [x, y, over] = [axis(spec.x), axis(spec.y), axis(spec.over)];
  const byCell = new Map(results.map((result) => [cellKey(result.cell), result.values]));
  const key = quantityKey(spec);
  const valueAt = (cell: CellParams): number => mean(byCell.get(cellKey(cell))?.get(key) ?? []);
  // The key of a cell depends on the order of its axes, so this uses the scenario's order.
  const ordered = (cell: Record<string, string>): CellParams =>
    Object.fromEntries((scenario.axes ?? []).map(({ name }) => [name, cell[name] ?? '']));
  const empty = new Grid([], x.values.length, y.values.length);
  const parts = over.values.map((part) =>
    normalised(
      empty.map((i, j) =>
        valueAt(
          ordered({
            [x.name]: x.values[i]?.name ?? '',
            [y.name]: y.values[j]?.name ?? '',
            [over.name]: part.name,
          }),
        ),
      ),
    ),
  );
  const total = empty.map((i, j) => parts.reduce((sum, part) => sum + part.at(i, j), 0));
  return described(spec, { x: numbersOf(x), y: numbersOf(y), over }, total);
}

function described(
  spec: SurfaceSpec,
  { x, y, over }: { x: SurfaceAxis; y: SurfaceAxis; over: Axis },
  total: Grid,
): Surface {
  const grid = smoothed(total);
  const noise = noiseOf(total);
  const points = grid.values.map((value, index): SurfacePoint => ({
    ...{ x: x.values[Math.floor(index / grid.height)] ?? NaN, y: y.values[index % grid.height] ?? NaN },
    value,
  }));
  const maximum = points.reduce((best, point) => (point.value > best.value ? point : best), {
    ...{ x: NaN, y: NaN, value: -Infinity },
  });
  // The maximum and the other points are means of nine points each, so their standard deviation is noise / 3.
  const least = maximum.value - (SURELY * Math.SQRT2 * noise) / 3;
  const highest = points.filter(({ value }) => value >= least);
  const ends = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  return {
    ...{
      x,
      y,
      over: over.values.map(({ name, label = name }) => label),
      values: grid.values,
      noise,
      maximum,
    },
    highest,
    maximumX: ends(highest.map((point) => point.x)),
    maximumY: ends(highest.map((point) => point.y)),
    ...judged(spec, { x, y, total, grid, noise, least }),
  };
}

/** The published point and the paper's claims about the slopes around it. */
function judged(
  { published, slopes }: SurfaceSpec,
  map: { x: SurfaceAxis; y: SurfaceAxis; total: Grid; grid: Grid; noise: number; least: number },
): Pick<Surface, 'published' | 'slopes'> {
  if (published === undefined) return { slopes: [] };
  const { x, y, total, grid, noise, least } = map;
  const [i, j] = [nearest(x.values, published.x), nearest(y.values, published.y)];
  const value = grid.at(i, j);
  return {
    published: { ...published, value, isMaximum: value >= least },
    slopes: slopes.map((slope) => slopeOf(total, slope, { i, j, noise })),
  };
}
