/**
 * Marks over a chart: dashed vertical lines at certain times. A mark may have a label, whose text is visible while
 * the label is under the pointer or has the focus.
 */
import type { Chart, ChartArea, Plugin } from 'chart.js';

import { formatTime } from './configuration.js';
import type { TimeAxis } from './time_axis.js';

/** A moment to be marked. */
export interface ChartMark {
  timeUs: number;
  text: string;
}

/** A mark that is less than this to the right of a label's first mark shares the label. */
const APART_PX = 14;

/**
 * Clips drawing to the plot of the chart while `draw` runs. The argument of `draw` converts a time into an x
 * coordinate.
 */
export function inPlot(chart: Chart, draw: (x: (timeUs: number) => number) => void): void {
  const { ctx, chartArea } = chart;
  const scale = chart.scales['x'];
  if (!scale) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
  ctx.clip();
  draw((timeUs) => scale.getPixelForValue(timeUs / 1e6));
  ctx.restore();
}

const textOf = ({ timeUs, text }: ChartMark): string =>
  `${formatTime(Math.round(timeUs / 1e5) / 10)}: ${text}`;

const ignore = (): void => undefined;

/** The marks of one chart. */
export class MarkLayer {
  readonly plugin: Plugin<'line'> = { id: 'marks', afterDatasetsDraw: (chart) => this.#draw(chart) };
  #marks: readonly ChartMark[] = [];
  #labels: HTMLElement | null = null;
  #onChoose: (mark: ChartMark) => void = ignore;
  /** For each label, the marks that share it. */
  #clusters: ChartMark[][] = [];

  constructor(
    private readonly container: HTMLElement,
    private readonly axis: TimeAxis,
  ) {}

  /**
   * Replaces the marks. With `onChoose`, the marks have labels. A label is a button that calls `onChoose`
   * with the label's first mark.
   */
  set(marks: readonly ChartMark[], onChoose?: (mark: ChartMark) => void): void {
    this.#marks = marks;
    this.#onChoose = onChoose ?? ignore;
    if (onChoose === undefined) return this.remove();
    if (this.#labels !== null) return;
    this.#labels = this.container.appendChild(document.createElement('div'));
    this.#labels.className = 'mark-labels';
    this.#labels.setAttribute('role', 'group');
    this.#labels.setAttribute('aria-label', 'Marked changes');
  }

  /** Moves the labels to the current positions of their marks. */
  place({ left, width }: ChartArea): void {
    const labels = this.#labels;
    if (labels === null) return;
    const { fromUs, toUs } = this.axis.window;
    const x = ({ timeUs }: ChartMark): number => left + ((timeUs - fromUs) / (toUs - fromUs)) * width;
    const clusters: ChartMark[][] = [];
    for (const mark of this.#marks) {
      if (mark.timeUs < fromUs || mark.timeUs > toUs) continue;
      const last = clusters.at(-1);
      if (last?.[0] && x(mark) - x(last[0]) < APART_PX) last.push(mark);
      else clusters.push([mark]);
    }
    const isSame =
      clusters.length === this.#clusters.length &&
      clusters.every((marks, i) => marks.map(textOf).join() === this.#clusters[i]?.map(textOf).join());
    this.#clusters = clusters;
    // Buttons are replaced only if the labels have changed. Otherwise a button would lose the focus while the
    // charts move.
    if (!isSame) labels.replaceChildren(...clusters.map((marks) => this.#button(marks)));
    clusters.forEach(([first], i) => {
      const button = labels.children[i] as HTMLElement;
      const at = first === undefined ? left : x(first);
      button.style.left = `${at}px`;
      button.dataset['side'] = at > left + width / 2 ? 'left' : 'right';
    });
  }

  remove(): void {
    this.#labels?.remove();
    this.#labels = null;
    this.#clusters = [];
  }

  #button(marks: readonly ChartMark[]): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.appendChild(document.createElement('span')).textContent = marks.map(textOf).join('; ');
    const [first] = marks;
    if (first) button.addEventListener('click', () => this.#onChoose(first));
    return button;
  }

  #draw(chart: Chart): void {
    inPlot(chart, (x) => {
      const { ctx, chartArea } = chart;
      const colour = chart.options.scales?.['x']?.ticks?.color;
      if (typeof colour === 'string') ctx.strokeStyle = colour;
      ctx.setLineDash([3, 4]);
      ctx.beginPath();
      for (const mark of this.#marks) {
        ctx.moveTo(x(mark.timeUs), chartArea.top);
        ctx.lineTo(x(mark.timeUs), chartArea.bottom);
      }
      ctx.stroke();
    });
  }
}
