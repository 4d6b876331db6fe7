/** Figures of a trace: curves over time, and distributions. */
import { cellLabel } from '../scenario/cells.js';
import { flowGroups } from '../scenario/compile.js';
import type { CurveFigure, CurveLook } from './figure.js';
import { publishedMark, type CellResults } from './cell_results.js';
import { KernelDensity, type Density } from '../scenario/kernel_density.js';
import type { Picture, Scenario } from '../scenario/scenario.js';
import {
  cumulative,
  curvePoints,
  meanSeries,
  shownUnit,
  traceSeries,
  unitFactor,
  type TraceSeries,
} from './trace_columns.js';

type Of<Kind extends Picture['kind']> = Extract<Picture, { kind: Kind }>;
type Panel = Of<'time_series'>['panels'][number];
type Line = Panel['lines'][number];
type Curve = CurveFigure['series'][number];

/** If a group of flows has more curves than this, only their mean is drawn. */
const MOST_CURVES = 6;
const MOST_POINTS = 700;
const CDF_POINTS = 200;
const PERCENTILES = [5, 25, 50, 75, 95, 99] as const;
/**
 * The curve labels for links 0 and 1. The table `queue` has links instead of flows: the forward link and, if the
 * backward path has a bottleneck, the backward link.
 */
const LINKS = ['', 'backward'] as const;

interface NamedSeries {
  label: string;
  series: TraceSeries;
}

/** The curves of one column, for the requested flows or, if none is requested, for all flows. */
function linesOf(
  { scenario, trace }: CellResults,
  line: Pick<Line, 'table' | 'column' | 'flow'>,
): NamedSeries[] {
  const all = traceSeries(trace, line.table, line.column);
  if (line.table === 'queue') {
    const links = scenario.backward?.capacity === undefined ? LINKS.slice(0, 1) : LINKS;
    return all.flatMap((series) => {
      const label = links[series.flow];
      return label === undefined ? [] : [{ label, series }];
    });
  }
  return flowGroups(scenario)
    .filter(({ name }) => line.flow === undefined || line.flow === '*' || line.flow === name)
    .flatMap(({ name, flows }) => {
      const own = all.filter(({ flow }) => flows.includes(flow));
      if (own.length <= MOST_CURVES)
        return own.map((series, i) => ({ label: flows.length > 1 ? `${name} ${i + 1}` : name, series }));
      const mean = meanSeries(own);
      return mean === null ? [] : [{ label: `${name}, mean of ${own.length}`, series: mean }];
    });
}

const columnName = (column: string): string => column.replace(/_(bps|us|ms|bytes)$/, '').replaceAll('_', ' ');

/** The label of a curve: the flow, the column, or both if one alone is ambiguous, as in `gcc target`. */
function curveLabel(
  line: Line,
  flow: string,
  { many, several }: { many: boolean; several: boolean },
): string {
  const what = line.label ?? columnName(line.column);
  if (flow === '') return what;
  if (line.label !== undefined && !many) return what;
  return several || line.label !== undefined ? `${flow} ${what}` : flow;
}

function lookOf({ table, column }: Line): CurveLook {
  return table === 'queue' && column === 'capacity_bps' ? 'step' : 'line';
}

/**
 * The curves of a panel. With several flows, a flow has the same colour in all panels, and its further
 * columns are dashed; with one flow, its columns differ in colour.
 */
function panelCurves(cell: CellResults, lines: readonly Line[], unit: string): Curve[] {
  const found = lines.map((line) => ({ line, curves: linesOf(cell, line) }));
  const flows = new Set(
    found.flatMap(({ curves }) => curves.map(({ label }) => label)).filter((label) => label),
  );
  let column = -1;
  return found.flatMap(({ line, curves }): Curve[] => {
    const look = lookOf(line);
    if (look !== 'step') column += 1;
    const style = { many: curves.length > 1, several: lines.length > 1 };
    return curves.map(({ label, series }) => ({
      label: curveLabel(line, label, style),
      look: flows.size > 1 && column > 0 && look === 'line' ? 'dashed' : look,
      colour: flows.size > 1 || lines.length === 1 ? series.flow : Math.max(0, column),
      points: curvePoints(series, unitFactor(line.column, unit), MOST_POINTS),
    }));
  });
}

function panelFigure(cell: CellResults, panel: Panel, title: string): CurveFigure {
  const unit = shownUnit(panel.lines[0]?.column ?? '', panel.unit);
  const series = panelCurves(cell, panel.lines, unit);
  return {
    kind: 'curves',
    title,
    x: { label: 'time', unit: 's', min: 0, max: cell.scenario.duration_s },
    y: {
      label: panel.title,
      unit,
      ...(panel.lines.every(({ column }) => !column.endsWith('m_ms')) && { min: 0 }),
    },
    series,
  };
}

/** Returns a column of panels for each cell. The same panel has the same scale in all columns. */
export function timeFigures(
  scenario: Scenario,
  picture: Of<'time_series'>,
  cells: readonly CellResults[],
): CurveFigure[][] {
  const columns: CurveFigure[][] = cells.map(() => []);
  for (const panel of picture.panels) {
    const figures = cells.map((cell) => {
      const where = cellLabel(scenario, cell.params);
      return panelFigure(cell, panel, where === '' ? panel.title : `${panel.title} – ${where}`);
    });
    if (figures.every(({ series }) => series.every(({ points }) => points.length === 0))) continue;
    const [min, max] = extent(figures);
    figures.forEach((figure, column) =>
      columns[column]?.push({ ...figure, y: { ...figure.y, min: Math.min(min, figure.y.min ?? min), max } }),
    );
  }
  return columns;
}

function extent(figures: readonly CurveFigure[]): [min: number, max: number] {
  let [min, max] = [Infinity, -Infinity];
  for (const [, y] of figures.flatMap(({ series }) => series.flatMap(({ points }) => points))) {
    if (y === null) continue;
    min = Math.min(min, y);
    max = Math.max(max, y);
  }
  return [min, max];
}

type Distribution = Of<'cdf'> | Of<'kernel_density'>;

interface CellCurve {
  cell: CellResults;
  label: string;
  series: TraceSeries;
}

/** The data for a distribution: one series for each cell and flow. */
function distributed(
  scenario: Scenario,
  { table, column, flow }: Distribution,
  cells: readonly CellResults[],
): CellCurve[] {
  return cells.flatMap((cell) => {
    const lines = linesOf(cell, { table, column, ...(flow !== undefined && { flow }) });
    const where = cellLabel(scenario, cell.params);
    return lines.map(({ label, series }) => {
      const parts = [where, lines.length > 1 || where === '' ? label : ''];
      return { cell, label: parts.filter((part) => part !== '').join(', '), series };
    });
  });
}

/** One curve per cell (and flow, if there are several), with the percentiles that were published. */
export function cdfFigure(
  scenario: Scenario,
  picture: Of<'cdf'>,
  cells: readonly CellResults[],
): CurveFigure[] {
  const { column, flow } = picture;
  const unit = shownUnit(column);
  const curves = distributed(scenario, picture, cells).map(({ cell, label, series }) => ({
    cell,
    curve: { label, points: cumulative(series, unitFactor(column, unit), CDF_POINTS) },
  }));
  if (curves.length === 0) return [];
  const name = columnName(column);
  const published = curves.flatMap(({ cell }, series) =>
    PERCENTILES.flatMap((percentile) => {
      const metric = `${name.replaceAll(' ', '_')}_p${percentile}_ms`;
      const x = publishedMark(scenario, { metric, ...(flow !== undefined && { flow }) }, cell.params)?.value;
      return x === undefined ? [] : [{ x, series, value: percentile }];
    }),
  );
  return [
    {
      kind: 'curves',
      title: picture.title ?? `distribution of ${name}`,
      x: { label: name, unit },
      y: { label: 'share of samples', unit: '%', min: 0, max: 100 },
      series: curves.map(({ curve }) => curve),
      ...(published.length > 0 && { published }),
    },
  ];
}

/**
 * The drawn range leaves out this fraction of the values at each end. It is then widened by three bandwidths
 * on each side.
 */
const TAIL = 0.005;

/** One curve per cell (and flow, if there are several), all over the same range of values. */
export function kernelDensityFigure(
  scenario: Scenario,
  picture: Of<'kernel_density'>,
  cells: readonly CellResults[],
): CurveFigure[] {
  const { column, bandwidth } = picture;
  const unit = shownUnit(column);
  const factor = unitFactor(column, unit);
  const densities = distributed(scenario, picture, cells).map(({ label, series }) => {
    const density = new KernelDensity(bandwidth);
    for (const value of series.values) density.add(value * factor);
    return { label, density };
  });
  if (densities.length === 0) return [];
  const low = Math.min(...densities.map(({ density }) => density.quantile(TAIL))) - 3 * bandwidth;
  const high = Math.max(...densities.map(({ density }) => density.quantile(1 - TAIL))) + 3 * bandwidth;
  const name = columnName(column);
  return [
    {
      kind: 'curves',
      title: picture.title ?? `density of ${name}`,
      x: { label: name, unit },
      y: { label: 'density', unit: `% per ${unit}`, min: 0 },
      series: densities.map(({ label, density }) => ({
        label,
        points: densityPoints(density.between(low, high)),
      })),
    },
  ];
}

function densityPoints({ from, step, values }: Density): [number, number][] {
  const every = Math.max(1, Math.ceil(values.length / MOST_POINTS));
  return [...values].flatMap((value, i) => (i % every === 0 ? [[from + i * step, 100 * value]] : []));
}
