/**
 * The events of a call, in lanes: the link's settings, freezes, the test's expectations, and connection states.
 * Overlapping events of the same kind are spread over several lanes.
 */
import type { Chart } from 'chart.js';

import { TimeChart, type TimeAxis } from '../../charts/index.js';
import type { ChartTheme } from '../../charts/theme.js';
import type { EvidenceCharts, EvidenceSpan } from '../../calls/evidence_page.js';
import type { Look } from './overlay.js';

const PADDING = 5;
const FONT = '11px system-ui, sans-serif';
/** Height of one lane with the space around it, in CSS pixels. */
export const LANE_HEIGHT = 26;

function colourOf(tone: EvidenceSpan['tone'], { colours }: ChartTheme): string {
  const names = { good: 'green', bad: 'red', plain: 'blue', soft: 'grey' } as const;
  return colours[names[tone]];
}

/** The text, cut with an ellipsis if it is wider than `width`. */
function fitted(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text;
  let shown = text;
  while (shown !== '' && ctx.measureText(`${shown}…`).width > width) shown = shown.slice(0, -1);
  return shown === '' ? '' : `${shown}…`;
}

function paint(chart: Chart, { lanes, spans }: EvidenceCharts, look: Look): void {
  const { ctx, chartArea } = chart;
  const scale = chart.scales['x'];
  if (!scale) return;
  const laneHeight = chartArea.height / lanes.length;
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
  ctx.clip();
  ctx.font = FONT;
  ctx.textBaseline = 'middle';
  for (const { lane, fromUs, toUs, text, tone } of spans) {
    const left = Math.max(chartArea.left, scale.getPixelForValue(fromUs / 1e6));
    const right = Math.min(chartArea.right, scale.getPixelForValue(toUs / 1e6));
    if (right < chartArea.left || left > chartArea.right) continue;
    const top = chartArea.top + laneHeight * lane + 2;
    const width = Math.max(2, right - left - 1);
    ctx.fillStyle = ctx.strokeStyle = colourOf(tone, look.theme);
    ctx.globalAlpha = 0.22;
    ctx.fillRect(left, top, width, laneHeight - 4);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, top, 2, laneHeight - 4);
    ctx.fillStyle = look.theme.colours.ink;
    ctx.fillText(fitted(ctx, text, width - 2 * PADDING), left + PADDING, top + (laneHeight - 4) / 2);
  }
  ctx.restore();
}

export class LaneChart extends TimeChart {
  readonly #shown: EvidenceCharts;
  readonly #look: Look;

  constructor(container: HTMLElement, axis: TimeAxis, look: Look, shown: EvidenceCharts) {
    const { lanes } = shown;
    super(container, axis, look.theme, {
      series: [],
      left: {
        unit: '',
        tick: (value) => lanes[Math.round(lanes.length - value - 0.5)] ?? '',
        atLeast: [0, lanes.length],
      },
      plugins: [{ id: 'lanes', afterDatasetsDraw: (chart) => paint(chart, shown, look) }],
    });
    this.#shown = shown;
    this.#look = look;
    const scale = this.chart.options.scales?.['left'];
    if (scale) {
      Object.assign(scale, { min: 0, max: lanes.length, grid: { display: false } });
      Object.assign(scale.ticks ?? {}, { autoSkip: false });
      scale.afterBuildTicks = (built) => {
        built.ticks = lanes.map((_, lane) => ({ value: lane + 0.5 }));
      };
    }
    this.draw();
  }

  override setTheme(theme: ChartTheme): void {
    this.#look.theme = theme;
    super.setTheme(theme);
  }

  /** Describes the events at `timeUs`. Ordinary connection states are omitted. */
  textAt(timeUs: number): string {
    const there = this.#shown.spans.filter(
      ({ fromUs, toUs, tone }) => tone !== 'soft' && fromUs <= timeUs && timeUs < toUs,
    );
    return there.map(({ text }) => text).join(' · ');
  }
}
