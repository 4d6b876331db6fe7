import type { Chart } from 'chart.js';

import { at } from './columns.js';
import type { ChartTheme, ColourName } from './theme.js';
import type { TimeAxis } from './time_axis.js';
import type { Columns } from './series.js';
import { TimeChart } from './time_chart.js';

/**
 * One row of the strip. It shows a column of a trace table that contains numbered states; `states` are their names
 * and looks.
 */
export interface StripRow {
  column: string;
  label: string;
  states: readonly { name: string; colour: ColourName; height: number }[];
}

/** The rows of a controller's strip, and the trace table that contains their columns. */
export interface StripSpec {
  table: string;
  rows: readonly StripRow[];
}

/** States differ by colour and by height: for example, a decrease is low and an increase is tall. */
export const gccStrip: StripSpec = {
  table: 'group',
  rows: [
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
  ],
};

/** Which of NADA's two update rules sets its rate (RFC 8698, 4.3). */
export const nadaStrip: StripSpec = {
  table: 'nada',
  rows: [
    {
      column: 'mode',
      label: 'mode',
      states: [
        { name: 'ramp-up', colour: 'blue', height: 1 },
        { name: 'gradual', colour: 'orange', height: 0.5 },
      ],
    },
  ],
};

/** The rule that decides LCC's next rate. */
export const lccStrip: StripSpec = {
  table: 'lcc',
  rows: [
    {
      column: 'action',
      label: 'action',
      states: [
        { name: 'expectation', colour: 'green', height: 0.5 },
        { name: 'cut', colour: 'red', height: 0.3 },
        { name: 'exploration', colour: 'blue', height: 1 },
      ],
    },
  ],
};

const ALL_ROWS = [gccStrip, nadaStrip, lccStrip].flatMap(({ rows }) => rows);

export interface Run {
  row: number;
  state: number;
  fromS: number;
  toS: number;
}

interface Strip {
  spec: StripSpec;
  runs: Run[];
  theme: ChartTheme;
}

/** The name of the state with this number in a column of a strip; `–` if there is none. */
export function stripState(column: string, value: number): string {
  return ALL_ROWS.find((row) => row.column === column)?.states[value]?.name ?? '–';
}

/** The runs of consecutive equal states. A run also ends where rows are missing for longer than `gapS`. */
export function runsOf(rows: readonly StripRow[], columns: Columns, gapS: number): Run[] {
  const time = columns['time_us'] ?? new Float64Array();
  const runs: Run[] = [];
  rows.forEach(({ column }, row) => {
    let run: Run | undefined;
    for (let i = 0; i < time.length; i++) {
      const state = at(columns, column, i);
      const now = (time[i] ?? NaN) / 1e6;
      if (run && now - run.toS > gapS) run = undefined;
      if (run) run.toS = now;
      if (run?.state === state) continue;
      run = { row, state, fromS: now, toS: now };
      if (!Number.isNaN(state)) runs.push(run);
    }
  });
  return runs;
}

/**
 * The state of a row at a time; NaN before the first run, and in a gap between two runs. After the newest
 * run, the state of that run still applies.
 */
export function stateAt(runs: readonly Run[], row: number, seconds: number, gapS: number): number {
  const run = runs.findLast((each) => each.row === row && each.fromS <= seconds);
  if (run === undefined) return NaN;
  const next = seconds > run.toS && runs.find((each) => each.row === row && each.fromS > seconds);
  // Rows from `append` start a new run, one row interval after the previous run. A distance of at most `gapS`
  // is therefore not a gap.
  return next && next.fromS - run.toS > gapS ? NaN : run.state;
}

function paint(chart: Chart, { spec: { rows }, runs, theme }: Strip): void {
  const { ctx, chartArea } = chart;
  const x = chart.scales['x'];
  if (!x) return;
  const rowHeight = chartArea.height / rows.length;
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
  ctx.clip();
  for (const { row, state, fromS, toS } of runs) {
    const look = rows[row]?.states[state];
    const left = x.getPixelForValue(fromS);
    const width = x.getPixelForValue(toS) - left;
    if (!look || left > chartArea.right || left + width < chartArea.left) continue;
    const height = (rowHeight - 4) * look.height;
    ctx.fillStyle = theme.colours[look.colour];
    ctx.fillRect(left, chartArea.top + rowHeight * (row + 1) - 2 - height, Math.max(width, 1), height);
  }
  ctx.restore();
}

/** A controller's states as strips of colour: for GCC, the detector's signal and the rate controller's state. */
export class StripChart extends TimeChart {
  readonly #strip: Strip;

  constructor(container: HTMLElement, axis: TimeAxis, theme: ChartTheme, spec = gccStrip) {
    const { table, rows } = spec;
    const strip: Strip = { spec, runs: [], theme };
    super(container, axis, theme, {
      series: rows.map(({ column, label, states }) => ({
        id: column,
        label,
        description: `${label}: ${states.map(({ name }) => name).join(', ')}`,
        table,
        columns: [column],
        value: () => NaN,
        format: (value) => states[value]?.name ?? '–',
        colour: 'ink',
        look: 'line',
      })),
      left: {
        unit: '',
        tick: (value) => rows[Math.round(rows.length - value - 0.5)]?.label ?? '',
        atLeast: [0, rows.length],
      },
      plugins: [{ id: 'strip', afterDatasetsDraw: (chart) => paint(chart, strip) }],
    });
    this.#strip = strip;
    const scale = this.chart.options.scales?.['left'];
    if (scale) {
      Object.assign(scale, { min: 0, max: rows.length, grid: { display: false } });
      Object.assign(scale.ticks ?? {}, { stepSize: 0.5 });
      scale.afterBuildTicks = (built) => {
        built.ticks = rows.map((_, row) => ({ value: row + 0.5 }));
      };
    }
  }

  override setTheme(theme: ChartTheme): void {
    this.#strip.theme = theme;
    super.setTheme(theme);
  }

  override set(table: string, columns: Columns): void {
    if (table === this.#strip.spec.table)
      this.#strip.runs = runsOf(this.#strip.spec.rows, columns, this.gapS(table));
  }

  override append(table: string, columns: Columns): void {
    const { spec, runs } = this.#strip;
    if (table === spec.table) this.#strip.runs = [...runs, ...runsOf(spec.rows, columns, this.gapS(table))];
  }

  override reset(): void {
    this.#strip.runs = [];
    super.reset();
  }

  override valuesAt(timeUs: number): Record<string, number> {
    const seconds = timeUs / 1e6;
    const { runs, spec } = this.#strip;
    const gapS = this.gapS(spec.table);
    return Object.fromEntries(
      spec.rows.map(({ column }, row) => [column, stateAt(runs, row, seconds, gapS)]),
    );
  }

  override valuesIn(rowsOf: (table: string) => Columns, timeUs: number): Record<string, number> {
    const drawn = this.valuesAt(timeUs);
    const { rows, table } = this.#strip.spec;
    const states = rowsOf(table);
    const last = (states['time_us']?.length ?? 0) - 1;
    return Object.fromEntries(
      rows.map(({ column }) => [column, Number.isNaN(drawn[column]) ? NaN : at(states, column, last)]),
    );
  }
}
