/** The evidence as one self-contained page with its style, script and data. */
import {
  msText,
  percentText,
  rateText,
  secondsText,
  type CallMetrics,
  type JudgedExpectation,
} from '../judge/index.js';
import { standalonePage } from '../html/document.js';
import { html, type Html } from '../html/text.js';
import { version } from '../html/version.js';
import type { EvidenceCharts } from '../calls/evidence_page.js';
import { chartsOf } from './charts.js';
import { durationUs } from './extent.js';
import {
  connectionTable,
  endpointTable,
  eventTable,
  incidentList,
  layerTable,
  SOURCES,
} from './html_tables.js';
import { holds, noticesOf, type EvidenceInput } from './input.js';
import { frameSource } from './trace.js';

const badge = (good: boolean, text: string): Html =>
  html`<span class="badge ${good ? 'good' : 'bad'}">${text}</span>`;

function noticeList(input: EvidenceInput): Html {
  const notices = noticesOf(input);
  if (notices.length === 0) return html``;
  const items = notices.map(
    ({ message, fix }) => html`<li>${message} <span class="soft">To do: ${fix}.</span></li>`,
  );
  return html`<ul class="notices" aria-label="Notices">
    ${items}
  </ul>`;
}

/**
 * The link's settings, the backend, the source of frame timing, the length of the call, the version of
 * ccscope, and the time of creation.
 */
function lead(input: EvidenceInput): Html {
  const { record } = input;
  const { link } = record;
  const parts = [
    ...(link === null ? ['no link'] : [link.changes[0]?.text ?? 'link', `backend ${link.backend}`]),
    SOURCES[frameSource(record)],
    `${secondsText(durationUs(record))} recorded`,
    `ccscope ${version()}`,
    input.created.toISOString().slice(0, 16).replace('T', ' '),
  ];
  return html`${parts.map((part, i) => html`${i === 0 ? '' : ' · '}<span>${part}</span>`)}`;
}

interface Tile {
  label: string;
  value: string;
  note: string;
}

function tilesOf(input: EvidenceInput): Tile[] {
  const { call, timeTo90S } = input.metrics;
  if (call === null) return [];
  const neverReached = call.source === 'packets' ? 'never' : 'unknown';
  const mean =
    call.capacityBps === null ? 'no capacity known' : `of ${rateText(call.capacityBps)} on average`;
  return [
    { label: 'Utilisation', value: percentText(call.utilisation), note: mean },
    { label: 'Received', value: rateText(call.receivedBps), note: `sent ${rateText(call.sentBps)}` },
    {
      label: 'Queuing delay, median',
      value: msText(call.queueDelayP50Ms),
      note: call.queueDelayEstimated ? 'estimated' : `largest ${msText(call.queueDelayMaxMs)}`,
    },
    {
      label: 'Queuing delay, p95',
      value: msText(call.queueDelayP95Ms),
      note: `p99 ${msText(call.queueDelayP99Ms)}`,
    },
    { label: 'Loss', value: percentText(call.lossRatio), note: 'of the bytes' },
    freezesTile(call),
    {
      label: 'Time to 90 %',
      value: timeTo90S === null ? neverReached : secondsText(timeTo90S * 1e6),
      note: 'of the first capacity',
    },
  ];
}

/** Without video there is nothing that could freeze, so the number of freezes is unknown, not 0. */
function freezesTile({ freezes, longestFreezeMs }: CallMetrics): Tile {
  const label = 'Freezes';
  if (freezes === null || longestFreezeMs === null)
    return { label, value: '–', note: 'no video was received' };
  const note = freezes === 0 ? 'none' : `longest ${secondsText(longestFreezeMs * 1e3)}`;
  return { label, value: String(freezes), note };
}

const tileList = (tiles: readonly Tile[]): Html =>
  tiles.length === 0
    ? html`<p class="soft">No connection carried media: there is nothing to measure.</p>`
    : html`<dl class="tiles">
        ${tiles.map(
          ({ label, value, note }) =>
            html`<div>
              <dt>${label}</dt>
              <dd>${value} <small>${note}</small></dd>
            </div>`,
        )}
      </dl>`;

/**
 * Says which time the numbers cover. In `ccscope call`, most numbers cover only the last two thirds of a run.
 */
function windowText({ metrics: { call } }: EvidenceInput): Html {
  if (call === null) return html``;
  const { fromUs, toUs } = call.window;
  return html`<p class="hint">
    These numbers cover the time from ${secondsText(fromUs)} to ${secondsText(toUs)}.
  </p>`;
}

function expectation(one: JudgedExpectation): Html {
  const { matcher, isNot, judgement } = one;
  const good = holds(one);
  const { expected, received, cause, window } = judgement;
  const times = `${secondsText(window.fromUs)} to ${secondsText(window.toUs)}`;
  const why =
    cause === null || good
      ? html``
      : html`<p>Likely cause: ${cause.kind}. ${cause.evidence}</p>
          <p class="soft">${cause.fix}</p>`;
  return html`<li class="${good ? 'good' : 'bad'}">
    <b>${good ? '✓' : '✗'} ${isNot ? 'not.' : ''}${matcher}</b>
    <p>Expected ${expected}; received ${received}. <span class="soft">Looked at: ${times}.</span></p>
    ${why}
  </li>`;
}

const expectations = ({ judged }: EvidenceInput): Html =>
  judged.length === 0
    ? html``
    : html`<h2>Expectations</h2>
        <ul class="expectations">
          ${judged.map(expectation)}
        </ul>`;

function chartSection(charts: EvidenceCharts): Html {
  const options = charts.directions.map(({ label }) => html`<option>${label}</option>`);
  const select =
    options.length < 2
      ? html``
      : html`<label
          >Direction
          <select id="direction">
            ${options}
          </select></label
        >`;
  return html`<div class="bar">
      <h2>Over time</h2>
      ${select} <button type="button" class="all">Whole call</button>
      <span id="cursor" role="status"></span>
    </div>
    <p class="hint">
      Hover for values, wheel to zoom, drag to move, Shift-drag to select, double-click for all. Keys:
      <kbd>←</kbd> <kbd>→</kbd> cursor, with <kbd>Shift</kbd> the window, <kbd>+</kbd> <kbd>−</kbd> zoom,
      <kbd>Home</kbd> all, <kbd>Esc</kbd> no cursor. A name in a legend hides its line. Dashed verticals are
      changes of the link, whose triangles say which; shades are freezes.
    </p>
    <p id="why-at-cursor" aria-live="off"></p>
    <div class="sheet" tabindex="0" role="group" aria-label="Charts of the call, worked by arrow keys"></div>
    <section id="why" hidden></section>`;
}

/** The page of a call. */
export function evidenceHtml(input: EvidenceInput): string {
  const { title, outcome, error } = input;
  const charts = chartsOf(input.record, input.judged);
  return standalonePage({
    name: 'evidence',
    title,
    heading: html`${outcome === null ? '' : badge(outcome === 'passed', outcome)}${title}`,
    meta: lead(input),
    main: html`${error === '' || input.judged.length > 0 ? '' : html`<p class="bad">${error}</p>`}
      ${noticeList(input)} ${tileList(tilesOf(input))} ${windowText(input)} ${expectations(input)}
      ${incidentList(input)} ${chartSection(charts)}
      <div class="tables">
        ${connectionTable(input)} ${layerTable(input)} ${endpointTable(input)} ${eventTable(input)}
      </div>`,
    data: { id: 'charts', value: charts },
  });
}
