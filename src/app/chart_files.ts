/** Exports charts as files: an image (PNG or SVG), or the plotted values (CSV). */
import { drawPicture, type Picture } from '../charts/picture.js';
import type { ChartTheme, StripSpec, TimeChart } from '../charts/index.js';
import type { FigureChart } from '../charts/figures/index.js';
import type { Figure } from '../figures/figure.js';
import { csv, type CsvField as Cell } from '../text/csv.js';

/** A picture of the chart as currently drawn. */
export function pictureOf(title: string, chart: TimeChart, theme: ChartTheme, strip?: StripSpec): Picture {
  const { canvas, series } = chart;
  const [first] = series;
  const unit = first === undefined ? '' : chart.axisUnitOf(first.id);
  const shown = series.filter(({ id }) => chart.isVisible(id));
  const states = strip?.rows.flatMap(({ states: all }) => all) ?? [];
  return {
    configuration: chart.copy(),
    title,
    unit,
    keys:
      strip === undefined
        ? shown.map(({ id, label, colour, look }) => {
            const own = chart.axisUnitOf(id);
            return { label: own === unit ? label : `${label} (${own})`, colour: theme.colours[colour], look };
          })
        : states.map(({ name, colour }) => ({ label: name, colour: theme.colours[colour], look: 'points' })),
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    theme,
  };
}

/**
 * A picture of a figure (bars, boxes or curves) as currently drawn. The chart already draws axis titles and a
 * legend, so `unit` and `keys` are empty.
 */
export const pictureOfFigure = (title: string, chart: FigureChart, theme: ChartTheme): Picture => ({
  configuration: chart.copy(),
  title,
  unit: '',
  keys: [],
  width: chart.canvas.clientWidth,
  height: chart.canvas.clientHeight,
  theme,
});

export function pngOf(picture: Picture): Promise<Blob> {
  const canvas = document.createElement('canvas');
  return drawPicture(
    canvas,
    picture,
    Math.max(2, devicePixelRatio),
    () =>
      new Promise((resolve, reject) =>
        canvas.toBlob((blob) =>
          blob ? resolve(blob) : reject(new Error('the browser cannot encode this picture')),
        ),
      ),
  );
}

export async function svgOf(picture: Picture): Promise<Blob> {
  const { svgSurface } = await import('./svg_surface.js');
  const { canvas, text } = svgSurface();
  const drawn = drawPicture(canvas, picture, 1, () => text(picture.title));
  return new Blob([drawn], { type: 'image/svg+xml' });
}

/** Units that appear only on axes, each with the unit that its values have in the CSV file. */
const VALUE_UNITS: Readonly<Record<string, string>> = { Mbps: 'bps', '%': 'ratio' };

/**
 * The points of a chart as CSV, one row per point. Gaps in the lines are omitted. The points are decimated as in the
 * chart; the trace contains all rows.
 */
export function csvOf(chart: TimeChart): string {
  const rows = chart.series.flatMap(({ id, label }) => {
    const unit = chart.axisUnitOf(id);
    return chart
      .pointsOf(id)
      .filter(({ y }) => !Number.isNaN(y))
      .map(({ x, y }) => [label, VALUE_UNITS[unit] ?? unit, x, y]);
  });
  return csv([['series', 'unit', 'time_s', 'value'], ...rows]);
}

/** The origin of a figure's numbers. */
export interface FigureOrigin {
  /**
   * The id of the experiment, and the seed of its first run. Absent if the figure shows several experiments
   * or a sweep.
   */
  experiment?: { id: string; seed: number };
  /** The version of ccscope. */
  version: string;
}

const BAR_COLUMNS = [
  ...[
    'series',
    'metric',
    'unit',
    'group',
    'mean',
    'sd',
    'ci95_half',
    'n',
    'published',
    'band_low',
    'band_high',
  ],
  ...['verdict', 'experiment', 'seed', 'ccscope'],
];

/**
 * The values of a figure as CSV, in the units of the axes. If a paper published a number for a bar, the bar's
 * row also contains this number, the band of values that count as reproduced, and the verdict.
 */
export function csvOfFigure(figure: Figure, { experiment, version }: FigureOrigin): string {
  const { unit } = figure.y;
  if (figure.kind === 'bars')
    return csv([
      BAR_COLUMNS,
      ...figure.series.flatMap(({ label, bars }) =>
        bars.flatMap((bar, index): Cell[][] => {
          if (bar === null) return [];
          const { mean, sd, ci95, n, verdict } = bar;
          const { number, low, high } = bar.published ?? {};
          const measured = [label, figure.metric, unit, figure.groups[index], mean, sd, ci95, n];
          return [[...measured, number, low, high, verdict, experiment?.id, experiment?.seed, version]];
        }),
      ),
    ]);
  if (figure.kind === 'boxes')
    return csv([
      ['series', 'unit', 'group', 'p5', 'p25', 'p50', 'p75', 'p95'],
      ...figure.series.flatMap(({ label, boxes }) =>
        boxes.flatMap((box, index): Cell[][] =>
          box === null
            ? []
            : [[label, unit, figure.groups[index], box.p5, box.p25, box.p50, box.p75, box.p95]],
        ),
      ),
    ]);
  return csv([
    ['series', 'unit', `x${figure.x.unit === '' ? '' : `_${figure.x.unit}`}`, 'value', 'sd'],
    ...figure.series.flatMap(({ label, points, sd }) =>
      points.flatMap(([x, y], index): Cell[][] => (y === null ? [] : [[label, unit, x, y, sd?.[index]]])),
    ),
  ]);
}
