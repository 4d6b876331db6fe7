import type { Chart } from 'chart.js';

import { at } from './columns.js';
import type { ChartTheme, ColourName } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Columns } from './series.js';
import { TimeChart } from './time_chart.js';

/** One row of the strip: a column of numbered states, and how each is drawn. */
interface StripRow {
  column: string;
  label: string;
  states: readonly { name: string; colour: ColourName; height: number }[];
}

/** Heights differ as well as colours: a decrease is low, an increase is tall. */
const ROWS: readonly StripRow[] = [
  {
    column: 'signal',
    label: 'signal',
    states: [
      { name: 'normal', colour: 'green', height: 0.3 },
      { name: 'underuse', colour: 'purple', height: 0.6 },
      { name: 'overuse', colour: 'red', height: 1 },
    ],
  },
  {
    column: 'state',
    label: 'state',
    states: [
      { name: 'hold', colour: 'orange', height: 0.6 },
      { name: 'increase', colour: 'blue', height: 1 },
      { name: 'decrease', colour: 'red', height: 0.3 },
    ],
  },
];

interface Run {
  row: number;
  state: number;
  fromS: number;
  toS: number;
}

interface Strip {
  runs: Run[];
  theme: ChartTheme;
}

/** What each colour of the strip means, for a legend. */
export const stripLegend = ROWS.map(({ label, states }) => ({
  label,
  states: states.map(({ name, colour }) => ({ name, colour })),
}));

/** The name of a state's number in a column of the strip, or `–`. */
export function stripState(column: 'signal' | 'state', value: number): string {
  return ROWS.find((row) => row.column === column)?.states[value]?.name ?? '–';
}

function runsOf(columns: Columns): Run[] {
  const time = columns['time_us'] ?? new Float64Array();
  const runs: Run[] = [];
  ROWS.forEach(({ column }, row) => {
    let run: Run | undefined;
    for (let i = 0; i < time.length; i++) {
      const state = at(columns, column, i);
      const now = (time[i] ?? NaN) / 1e6;
      if (run) run.toS = now;
      if (run?.state === state) continue;
      run = { row, state, fromS: now, toS: now };
      if (!Number.isNaN(state)) runs.push(run);
    }
  });
  return runs;
}

function paint(chart: Chart, { runs, theme }: Strip): void {
  const { ctx, chartArea } = chart;
  const x = chart.scales['x'];
  if (!x) return;
  const rowHeight = chartArea.height / ROWS.length;
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
  ctx.clip();
  for (const { row, state, fromS, toS } of runs) {
    const look = ROWS[row]?.states[state];
    const left = x.getPixelForValue(fromS);
    const width = x.getPixelForValue(toS) - left;
    if (!look || left > chartArea.right || left + width < chartArea.left) continue;
    const height = (rowHeight - 4) * look.height;
    ctx.fillStyle = theme.colours[look.colour];
    ctx.fillRect(left, chartArea.top + rowHeight * (row + 1) - 2 - height, Math.max(width, 1), height);
  }
  ctx.restore();
}

/** The detector's signal and the rate controller's state as strips of colour. */
export class StripChart extends TimeChart {
  readonly #strip: Strip;

  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme) {
    const strip: Strip = { runs: [], theme };
    super(container, axis, theme, {
      series: ROWS.map(({ column, label, states }) => ({
        id: column,
        label,
        description: `${label}: ${states.map(({ name }) => name).join(', ')}`,
        table: 'group',
        columns: [column],
        value: () => NaN,
        format: (value) => states[value]?.name ?? '–',
        colour: 'ink',
        look: 'line',
      })),
      left: {
        unit: '',
        tick: (value) => ROWS[Math.round(ROWS.length - value - 0.5)]?.label ?? '',
        atLeast: [0, ROWS.length],
      },
      plugins: [{ id: 'strip', afterDatasetsDraw: (chart) => paint(chart, strip) }],
    });
    this.#strip = strip;
    const scale = this.chart.options.scales?.['left'];
    if (scale) {
      Object.assign(scale, { min: 0, max: ROWS.length, grid: { display: false } });
      Object.assign(scale.ticks ?? {}, { stepSize: 0.5 });
      scale.afterBuildTicks = (built) => {
        built.ticks = ROWS.map((_, row) => ({ value: row + 0.5 }));
      };
    }
    this.draw();
  }

  override setTheme(theme: ChartTheme): void {
    this.#strip.theme = theme;
    super.setTheme(theme);
  }

  override set(table: string, columns: Columns): void {
    if (table === 'group') this.#strip.runs = runsOf(columns);
  }

  override append(table: string, columns: Columns): void {
    if (table === 'group') this.#strip.runs = [...this.#strip.runs, ...runsOf(columns)];
  }

  override reset(): void {
    this.#strip.runs = [];
    super.reset();
  }

  override valuesAt(timeUs: number): Record<string, number> {
    const seconds = timeUs / 1e6;
    const at = (row: number): number =>
      this.#strip.runs.findLast((run) => run.row === row && run.fromS <= seconds)?.state ?? NaN;
    return Object.fromEntries(ROWS.map(({ column }, row) => [column, at(row)]));
  }
}
