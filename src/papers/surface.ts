/** The report on an experiment whose cells are the points of a surface: its schema, figure and text. */
import * as v from 'valibot';

import type { CurveFigure, FigureAxis } from '../figures/figure.js';
import type { Surface, SurfaceAxis } from '../scenario/index.js';

const axis = v.object({ name: v.string(), label: v.string(), values: v.array(v.number()) });
const range = v.tuple([v.number(), v.number()]);
const point = { x: v.number(), y: v.number(), value: v.nullable(v.number()) };

export const surfaceSchema = v.object({
  x: axis,
  y: axis,
  /**
   * The labels of the values of a third axis. For each of these values there is a map, which is scaled to the
   * range from 0 to 1. The map in this report is the sum of these maps.
   */
  over: v.array(v.string()),
  /**
   * values[i * y.values.length + j] is the value at x.values[i], y.values[j]: the mean of three by three
   * points around that position.
   */
  values: v.array(v.nullable(v.number())),
  /** The standard deviation of a single point's value, before three by three points are averaged. */
  noise: v.number(),
  maximum: v.object(point),
  /**
   * The x and y of all points that are not significantly lower than the maximum. `maximum_x` and `maximum_y` are
   * the ranges of x and y over these points.
   */
  highest: v.array(v.tuple([v.number(), v.number()])),
  maximum_x: range,
  maximum_y: range,
  /** Absent if the scenario names no published point. */
  published: v.optional(v.object({ ...point, where: v.string(), read: v.string(), is_maximum: v.boolean() })),
});

export type SurfaceReport = v.InferOutput<typeof surfaceSchema>;

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
const rounded = (value: number): number | null => finite(Number(value.toPrecision(5)));
const axisOf = ({ name, label, values }: SurfaceAxis): SurfaceReport['x'] => ({
  name,
  label,
  values: [...values],
});

export function surfaceReport(surface: Surface): SurfaceReport {
  const { x, y, over, values, noise, maximum, highest, maximumX, maximumY, published } = surface;
  return {
    ...{ x: axisOf(x), y: axisOf(y), over: [...over], values: values.map(rounded), noise },
    maximum: { ...maximum, value: rounded(maximum.value) },
    highest: highest.map((point) => [point.x, point.y]),
    ...{ maximum_x: [...maximumX], maximum_y: [...maximumY] },
    ...(published !== undefined && {
      published: {
        ...{ x: published.x, y: published.y, value: rounded(published.value) },
        ...{ where: published.where, read: published.read, is_maximum: published.isMaximum },
      },
    }),
  };
}

const short = (value: number): string => String(Number(value.toPrecision(2)));

/** The position of the map's maximum as text, and the position that the paper gives, if there is one. */
export function maximumText({
  x,
  y,
  maximum,
  maximum_x: atX,
  maximum_y: atY,
  published,
}: SurfaceReport): string {
  const found = (label: string, at: number, [low, high]: readonly number[]): string =>
    `${label} = ${short(at)} (${short(low ?? NaN)} to ${short(high ?? NaN)})`;
  const highest = `highest at ${found(x.label, maximum.x, atX)}, ${found(y.label, maximum.y, atY)}`;
  if (published === undefined) return highest;
  return `${highest}; published: ${x.label} = ${published.x}, ${y.label} = ${published.y}, which is ${published.is_maximum ? '' : 'not '}among the points that are lower by no more than chance`;
}

/**
 * A shade is the relative height of a value, from 0 to 1, raised to this power. So the highest values, which
 * matter most, differ most in their shades.
 */
const CONTRAST = 3;
/** Shades are rounded to multiples of 1 / STEPS. The borders between them form contour lines. */
const STEPS = 12;

/** The shade of each point, from 0 to 1. */
function shades({ values }: SurfaceReport): number[] {
  const known = values.flatMap((value) => value ?? []);
  const [low, high] = known.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
  return values.map((value) =>
    value === null || !(high > low)
      ? 0
      : Math.round(((value - low) / (high - low)) ** CONTRAST * STEPS) / STEPS,
  );
}

const logarithmic = ({ label, values }: SurfaceReport['x']): FigureAxis => ({
  ...{ label, unit: '', logarithmic: true },
  ...{ min: values[0] ?? NaN, max: values.at(-1) ?? NaN },
});

/** Sorts the points by x, since figures draw lines from left to right. */
const byX = (points: SurfaceReport['highest']): [number, number][] => [...points].sort((a, b) => a[0] - b[0]);

export function surfaceFigure(surface: SurfaceReport, title: string): CurveFigure {
  const { x, y, maximum, highest, published } = surface;
  return {
    kind: 'curves',
    title,
    x: logarithmic(x),
    y: logarithmic(y),
    series: [
      { label: 'highest', look: 'markers', colour: 1, points: [[maximum.x, maximum.y]] },
      { label: 'lower by no more than chance', look: 'markers', colour: 2, points: byX(highest) },
    ],
    density: { x: x.values, y: y.values, values: shades(surface) },
    ...(published !== undefined && { published: [{ x: published.x, series: 0, value: published.y }] }),
  };
}

const BLOCKS = ' ·░▒▓█';
const WIDEST = 60;

/** The map as lines of characters for a terminal, with the largest y at the top. */
export function surfaceLines(surface: SurfaceReport): string[] {
  const { x, y } = surface;
  const shade = shades(surface);
  const step = Math.ceil(x.values.length / WIDEST);
  const columns = x.values.map((_, i) => i).filter((i) => i % step === 0);
  // Uses half as many rows as columns, since a character is about twice as high as it is wide.
  const rows = y.values.map((_, j) => j).filter((j) => j % (2 * step) === 0);
  const lines = rows.reverse().map((j) => {
    const blocks = columns.map((i) => {
      const level = shade[i * y.values.length + j] ?? 0;
      return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(level * BLOCKS.length))];
    });
    return `  ${short(y.values[j] ?? NaN).padStart(8)} ${blocks.join('')}`;
  });
  const ends = `${short(x.values[0] ?? NaN)}${' '.repeat(Math.max(1, columns.length - 10))}${short(x.values.at(-1) ?? NaN)}`;
  return [
    `  ${y.label} over ${x.label}; darker is higher`,
    ...lines,
    `  ${' '.repeat(9)}${ends}`,
    `  ${maximumText(surface)}`,
  ];
}
