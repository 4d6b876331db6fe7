/** Figures of metrics over cells (combinations of axis values): bars, box plots, lines. */
import { axisOf, cellLabel, type CellParams } from '../scenario/cells.js';
import type { Bar, BarFigure, Box, BoxFigure, CurveFigure, Figure, FigureAxis } from './figure.js';
import { BOX, METRICS } from '../scenario/metrics.js';
import { publishedMark, type CellResults } from './cell_results.js';
import type { Axis, Picture, Quantity, Scenario } from '../scenario/scenario.js';

type Of<Kind extends Picture['kind']> = Extract<Picture, { kind: Kind }>;
type Arranged = Of<'bars' | 'boxes'>;

const DISTRIBUTION_LABELS = {
  probe_queue_delay: 'queuing delay',
  rtt: 'RTT',
  queue_delay: 'one-way queuing delay',
  owd_queue_delay: 'one-way delay less propagation',
  e2e_queue_delay: 'one-way delay from the encoder, less propagation',
} as const;

/** How a metric is displayed: in per cent, kbps, … */
interface Shown {
  axis: FigureAxis;
  scale: number;
}

function shown(metric: string, logarithmic: boolean): Shown {
  const { unit = '1', description } = { ...METRICS.get(metric), description: '' };
  const label = `${metric.replace(/_(bps|ms|s)$/, '').replaceAll('_', ' ')}${description}`;
  const [text, scale] = {
    ratio: ['%', 100] as const,
    bps: ['kbps', 1e-3] as const,
    ms: ['ms', 1] as const,
    s: ['s', 1] as const,
    '1': ['', 1] as const,
  }[unit];
  return { axis: { label, unit: text, ...(logarithmic ? { logarithmic } : { min: 0 }) }, scale };
}

/** How a metric is displayed on a linear axis. */
export const metricAxis = (metric: string): Shown => shown(metric, false);

const valueName = (axis: Axis, name: string | undefined): string => {
  const { name: plain, label } = axis.values.find((value) => value.name === name) ?? { name: '' };
  return label ?? plain;
};
const axisName = ({ name, label }: Axis): string => label ?? name;
/**
 * The name of a series, such as `C 0.5 Mbps`. If a value begins with a number, the name of its axis is put before it.
 */
const seriesName = (axis: Axis, value: string): string => {
  const text = valueName(axis, value);
  return /^[\d.]/.test(text) ? `${axisName(axis)} ${text}` : text;
};

/**
 * Groups the cells that have the same values on all axes except `axes`. The `label` of a group shows these values.
 */
function panels(
  scenario: Scenario,
  cells: readonly CellResults[],
  axes: readonly string[],
): { label: string; cells: CellResults[] }[] {
  const found = new Map<string, CellResults[]>();
  for (const cell of cells) {
    if (!axes.every((axis) => axis in cell.params)) continue;
    const rest = Object.fromEntries(Object.entries(cell.params).filter(([axis]) => !axes.includes(axis)));
    const label = cellLabel(scenario, rest);
    found.set(label, [...(found.get(label) ?? []), cell]);
  }
  // A single panel needs no label, since there is no other panel.
  return [...found].map(([label, members]) => ({ label: found.size > 1 ? label : '', cells: members }));
}

/** The axis values that occur in the cells, in the order of the axis. */
function present(axis: Axis, cells: readonly CellResults[]): string[] {
  const used = new Set(cells.map(({ params }) => params[axis.name]));
  return axis.values.map(({ name }) => name).filter((name) => used.has(name));
}

const titled = (title: string, panel: string): string => (panel === '' ? title : `${title} – ${panel}`);

/** Arranges cells into groups and series. `make` turns each cell into a bar or a box. */
function arrange<T>(
  scenario: Scenario,
  { group_by: groupBy, series: seriesBy }: Arranged,
  cells: readonly CellResults[],
  make: (cell: CellResults) => T | null,
): { x: string; groups: string[]; series: { label: string; items: (T | null)[] }[] } {
  const groupAxis = axisOf(scenario, groupBy, 'pictures.group_by');
  const groups = present(groupAxis, cells);
  const at = (wanted: CellParams): T | null => {
    const cell = cells.find(({ params }) =>
      Object.entries(wanted).every(([axis, value]) => params[axis] === value),
    );
    return cell === undefined ? null : make(cell);
  };
  const along = (fixed: CellParams): (T | null)[] =>
    groups.map((group) => at({ ...fixed, [groupBy]: group }));
  const seriesAxis = seriesBy === undefined ? null : axisOf(scenario, seriesBy, 'pictures.series');
  const series =
    seriesAxis === null
      ? [{ label: 'measured', items: along({}) }]
      : present(seriesAxis, cells).map((name) => ({
          label: seriesName(seriesAxis, name),
          items: along({ [seriesAxis.name]: name }),
        }));
  return { x: axisName(groupAxis), groups: groups.map((name) => valueName(groupAxis, name)), series };
}

const axesUsed = ({ group_by, series }: Arranged): string[] =>
  series === undefined ? [group_by] : [group_by, series];

export function barFigures(
  scenario: Scenario,
  picture: Of<'bars'>,
  cells: readonly CellResults[],
): BarFigure[] {
  const { axis, scale } = shown(picture.metric, picture.scale === 'log');
  return panels(scenario, cells, axesUsed(picture)).map(({ label, cells: members }) => {
    const { x, groups, series } = arrange(scenario, picture, members, (cell): Bar | null => {
      const { mean, sd, n, ci95 } = cell.summary(picture);
      if (!Number.isFinite(mean)) return null;
      const published = publishedMark(scenario, picture, cell.params, scale);
      const verdict = cell.verdict?.(picture);
      return {
        mean: mean * scale,
        sd: Number.isFinite(sd) ? sd * scale : 0,
        n,
        ...(verdict !== undefined && { verdict }),
        ...(n > 1 && { ci95: ((ci95[1] - ci95[0]) / 2) * scale }),
        ...(published && { published }),
      };
    });
    return {
      kind: 'bars',
      title: titled(picture.title ?? axis.label, label),
      y: axis,
      x,
      groups,
      metric: picture.metric,
      series: series.map(({ label: name, items }) => ({ label: name, bars: items })),
    };
  });
}

export function boxFigures(
  scenario: Scenario,
  picture: Of<'boxes'>,
  cells: readonly CellResults[],
): BoxFigure[] {
  const { distribution, flow, window, scale } = picture;
  const about = { ...(flow !== undefined && { flow }), ...(window !== undefined && { window }) };
  const quantity = (statistic: string): Quantity => ({
    metric: `${distribution}_${statistic}_ms`,
    ...about,
  });
  const title = DISTRIBUTION_LABELS[distribution];
  return panels(scenario, cells, axesUsed(picture)).map(({ label, cells: members }) => {
    const { x, groups, series } = arrange(scenario, picture, members, (cell): Box | null => {
      const means = BOX.map((statistic) => cell.summary(quantity(statistic)).mean);
      if (!means.every(Number.isFinite)) return null;
      const [p5 = NaN, p25 = NaN, p50 = NaN, p75 = NaN, p95 = NaN] = means;
      const published = (['p5', 'p50', 'p95'] as const).flatMap((at) => {
        const mark = publishedMark(scenario, quantity(at), cell.params);
        return mark === undefined ? [] : [{ at, mark }];
      });
      return { p5, p25, p50, p75, p95, ...(published.length > 0 && { published }) };
    });
    return {
      kind: 'boxes',
      title: titled(picture.title ?? title, label),
      y: { label: title, unit: 'ms', ...(scale === 'log' ? { logarithmic: true } : { min: 0 }) },
      x,
      groups,
      series: series.map(({ label: name, items }) => ({ label: name, boxes: items })),
    };
  });
}

/** The position of a value on its axis: its number, or its index in the list. */
function position(axis: Axis, name: string | undefined): number {
  const index = axis.values.findIndex((value) => value.name === name);
  return axis.values[index]?.at ?? index;
}

export function lineFigures(
  scenario: Scenario,
  picture: Of<'lines'>,
  cells: readonly CellResults[],
): Figure[] {
  const { axis: y, scale } = shown(picture.metric, false);
  const xAxis = axisOf(scenario, picture.x, 'pictures.x');
  const seriesAxis =
    picture.series === undefined ? null : axisOf(scenario, picture.series, 'pictures.series');
  const axes = seriesAxis === null ? [xAxis.name] : [xAxis.name, seriesAxis.name];
  return panels(scenario, cells, axes).map(({ label, cells: members }): CurveFigure => {
    const sorted = members
      .map((cell) => ({ cell, x: position(xAxis, cell.params[xAxis.name]) }))
      .sort((a, b) => a.x - b.x);
    const names = seriesAxis === null ? [undefined] : present(seriesAxis, members);
    const series = names.map((name) => {
      const own = sorted.filter(({ cell }) => seriesAxis === null || cell.params[seriesAxis.name] === name);
      const summaries = own.map(({ cell }) => cell.summary(picture));
      return {
        label: seriesAxis === null || name === undefined ? 'measured' : seriesName(seriesAxis, name),
        points: own.map(({ x }, i): [number, number | null] => {
          const mean = summaries[i]?.mean ?? NaN;
          return [x, Number.isFinite(mean) ? mean * scale : null];
        }),
        sd: summaries.map(({ sd }) => (Number.isFinite(sd) ? sd * scale : 0)),
      };
    });
    const published = names.flatMap((name, index) =>
      sorted.flatMap(({ cell, x }) => {
        if (seriesAxis !== null && cell.params[seriesAxis.name] !== name) return [];
        const mark = publishedMark(scenario, picture, cell.params, scale);
        return mark === undefined ? [] : [{ x, series: index, ...mark }];
      }),
    );
    return {
      kind: 'curves',
      title: titled(picture.title ?? y.label, label),
      x: {
        label: xAxis.label ?? xAxis.name,
        unit: xAxis.unit ?? '',
        ...(picture.scale === 'log' && { logarithmic: true }),
      },
      y,
      series,
      ...(published.length > 0 && { published }),
    };
  });
}
