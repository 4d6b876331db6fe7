/**
 * The script of the evidence page of a call under test: draws the charts whose data the page contains. The script and
 * its style are inlined, so the page needs no other file.
 */
import { axisKey, formatTime, TimeAxis, type TimeChart, whichRows } from '../../charts/index.js';
import type { EvidenceCharts, EvidenceDirection, EvidenceTable } from '../../calls/evidence_page.js';
import { chartTheme, onTheme } from '../standalone/theme.js';
import { LANE_HEIGHT, LaneChart } from './lane_chart.js';
import type { Look } from './overlay.js';
import { panelsOf } from './panels.js';
import { lastTwo, thinned, type Columns } from './rows.js';
import { WhyList } from './why_list.js';

import '../standalone/style.css';
import './style.css';

const columnsOf = (table: EvidenceTable): Columns =>
  Object.fromEntries(
    Object.entries(table).map(([name, values]) => [name, Float64Array.from(values, (value) => value ?? NaN)]),
  );

/** A chart with its legend. The buttons of the legend hide lines and show the values at the cursor. */
class Drawn {
  readonly #values = new Map<string, HTMLElement>();

  constructor(
    readonly chart: TimeChart,
    legend: HTMLElement,
    private readonly look: Look,
  ) {
    for (const { id, label, description } of chart.series) {
      const button = legend.appendChild(document.createElement('button'));
      button.type = 'button';
      button.title = description;
      button.setAttribute('aria-pressed', 'true');
      button.dataset['series'] = id;
      button.append(document.createElement('i'), label, ' ');
      this.#values.set(id, button.appendChild(document.createElement('b')));
      button.addEventListener('click', () => {
        chart.setVisible(id, !chart.isVisible(id));
        button.setAttribute('aria-pressed', String(chart.isVisible(id)));
        chart.draw();
      });
    }
    this.recolour();
  }

  recolour(): void {
    for (const { id, colour, look } of this.chart.series) {
      const mark = this.#values.get(id)?.parentElement?.querySelector('i');
      if (!mark) continue;
      mark.style.color = this.look.theme.colours[colour];
      mark.dataset['look'] = look;
    }
  }

  /**
   * Shows the values at a time. They come from the rows that `rowsOf` returns (see `valuesIn`), since the drawn rows are
   * thinned to fit the chart's width.
   */
  show(rowsOf: (table: string) => Columns, timeUs: number): void {
    const values = this.chart.valuesIn(rowsOf, timeUs);
    for (const { id, format } of this.chart.series) {
      const output = this.#values.get(id);
      if (output) output.textContent = format(values[id] ?? NaN);
    }
  }
}

function element<K extends keyof HTMLElementTagNameMap>(
  parent: HTMLElement,
  tag: K,
  className = '',
): HTMLElementTagNameMap[K] {
  const made = parent.appendChild(document.createElement(tag));
  made.className = className;
  return made;
}

/** The charts of one direction, one below the other, on one time axis. */
class Sheet {
  readonly #drawn: Drawn[] = [];
  readonly #tables: Map<string, Columns>;
  readonly #lanes: LaneChart | null;

  constructor(
    place: HTMLElement,
    private readonly charts: EvidenceCharts,
    direction: EvidenceDirection,
    private readonly axis: TimeAxis,
    private readonly look: Look,
  ) {
    this.#tables = new Map(Object.entries(direction.tables).map(([name, table]) => [name, columnsOf(table)]));
    for (const { title, height, make } of panelsOf(charts, direction)) {
      const panel = element(place, 'section', 'panel');
      const head = element(panel, 'div', 'head');
      element(head, 'h3').textContent = title;
      const legend = element(head, 'div', 'legend');
      const canvas = element(panel, 'div', 'canvas');
      canvas.style.height = `${height}px`;
      this.#drawn.push(new Drawn(make(canvas, axis, look), legend, look));
    }
    this.#lanes = charts.lanes.length === 0 ? null : this.#addLanes(place);
    // The first mark stands for the link's initial settings, not for a change.
    const marks = charts.marks.slice(1);
    this.#all.forEach((chart, i) =>
      chart.setMarks(marks, i === 0 ? ({ timeUs }) => axis.jumpTo(timeUs) : undefined),
    );
    this.redraw();
  }

  #addLanes(place: HTMLElement): LaneChart {
    const panel = element(place, 'section', 'panel');
    element(element(panel, 'div', 'head'), 'h3').textContent = 'What happened';
    const canvas = element(panel, 'div', 'canvas');
    canvas.style.height = `${this.charts.lanes.length * LANE_HEIGHT + 30}px`;
    return new LaneChart(canvas, this.axis, this.look, this.charts);
  }

  get #all(): TimeChart[] {
    return [...this.#drawn.map(({ chart }) => chart), ...(this.#lanes ? [this.#lanes] : [])];
  }

  redraw(): void {
    for (const chart of this.#all) {
      for (const [rows, names] of chart.needs) {
        const columns = this.#tables.get(whichRows(rows).table);
        if (columns) chart.set(rows, thinned(columns, names, this.axis.window, 2 * chart.plotWidth));
      }
      chart.draw();
    }
    this.showValues();
  }

  /** Shows the values at the cursor or, without a cursor, at the end of the window. */
  showValues(): void {
    const timeUs = this.axis.cursorUs ?? this.axis.window.toUs;
    const rowsOf = (rows: string): Columns => lastTwo(this.#tables.get(whichRows(rows).table) ?? {}, timeUs);
    for (const one of this.#drawn) one.show(rowsOf, timeUs);
  }

  textAt(timeUs: number): string {
    return this.#lanes?.textAt(timeUs) ?? '';
  }

  recolour(): void {
    for (const chart of this.#all) chart.setTheme(this.look.theme);
    for (const one of this.#drawn) one.recolour();
  }

  destroy(): void {
    for (const chart of this.#all) chart.destroy();
  }
}

function show(charts: EvidenceCharts, place: HTMLElement): void {
  const look: Look = { theme: chartTheme() };
  const axis = new TimeAxis(charts.durationUs);
  axis.setExtent({ fromUs: 0, toUs: charts.durationUs });
  axis.showAll();
  const cursor = document.querySelector<HTMLElement>('#cursor');
  const atCursor = document.querySelector<HTMLElement>('#why-at-cursor');
  const whyPlace = document.querySelector<HTMLElement>('#why');
  const lead = (timeUs: number): void => {
    axis.jumpTo(timeUs);
    place.scrollIntoView({ block: 'nearest' });
  };
  let why: WhyList | null = null;
  const draw = (direction: EvidenceDirection): Sheet => {
    place.replaceChildren();
    why = whyPlace && new WhyList(whyPlace, direction.reasons, lead);
    return new Sheet(place, charts, direction, axis, look);
  };
  const [first] = charts.directions;
  if (first === undefined) return;
  let sheet = draw(first);
  axis.subscribe((change) => {
    if (change === 'window') sheet.redraw();
    else sheet.showValues();
    const at = axis.cursorUs;
    const reason = why?.show(at) ?? '';
    if (atCursor !== null) atCursor.textContent = reason;
    if (cursor === null) return;
    const words = at === null ? [] : [formatTime(at / 1e6), sheet.textAt(at)];
    cursor.textContent = words.filter((text) => text !== '').join(' · ');
  });
  place.addEventListener('keydown', (event) => {
    if (event.target instanceof HTMLButtonElement) return;
    if (axisKey(axis, event)) event.preventDefault();
  });
  place.addEventListener('dblclick', () => axis.showAll());
  onTheme((theme) => {
    look.theme = theme;
    sheet.recolour();
  });
  listen('button.all', () => axis.showAll());
  const select = document.querySelector<HTMLSelectElement>('#direction');
  select?.addEventListener('change', () => {
    sheet.destroy();
    sheet = draw(charts.directions[select.selectedIndex] ?? first);
  });
  for (const row of document.querySelectorAll<HTMLElement>('[data-time-us]'))
    row.addEventListener('click', () => lead(Number(row.dataset['timeUs'])));
}

function listen(selector: string, act: () => void): void {
  document.querySelector(selector)?.addEventListener('click', act);
}

const data = document.getElementById('charts')?.textContent;
const place = document.querySelector<HTMLElement>('.sheet');
if (data !== undefined && place) show(JSON.parse(data) as EvidenceCharts, place);
document.documentElement.dataset['drawn'] = '';
