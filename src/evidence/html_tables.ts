/** The tables below the charts: connections, video streams, peer connections, events. */
import { reasonText } from '../machine/index.js';
import {
  msText,
  percentText,
  rateText,
  secondsText,
  type CallMetrics,
  type LayerMetrics,
} from '../judge/index.js';
import { alsoText, groupsOf, incidentText } from '../judge/incidents/index.js';
import { machineSpells } from '../judge/machine.js';
import { endpointName, pageName } from '../calls/record/names.js';
import type { EndpointRecord } from '../calls/record/record.js';
import { table, type Head } from '../html/table.js';
import { html, type Html } from '../html/text.js';
import { namedChanges } from './charts.js';
import { holds, type EvidenceInput } from './input.js';

/** The source of frame timing, in words. */
export const SOURCES = {
  transform: 'frames from encoded transforms',
  elements: 'frames as elements showed them',
  getStats: 'frames from getStats',
} as const;

/** A table with a heading. */
const section = (title: string, heads: readonly Head[], rows: readonly Html[]): Html =>
  html`<h2>${title}</h2>
    ${table({ heads, groups: [rows] })}`;

const numbers = (metrics: CallMetrics): string[] => [
  rateText(metrics.receivedBps),
  percentText(metrics.utilisation),
  msText(metrics.queueDelayP50Ms),
  msText(metrics.queueDelayP95Ms),
  percentText(metrics.lossRatio),
  metrics.framesPerSecond === null ? '–' : metrics.framesPerSecond.toFixed(1),
];

/** The metrics of each connection; empty if there is only one connection. */
export function connectionTable({ metrics }: EvidenceInput): Html {
  if (metrics.connections.length < 2) return html``;
  const heads = ['received', 'utilisation', 'queue p50', 'queue p95', 'loss', 'fps'];
  const rows = metrics.connections.map(
    (one) =>
      html`<tr>
        <th scope="row">${one.name}</th>
        ${numbers(one.metrics).map((value) => html`<td class="number">${value}</td>`)}
      </tr>`,
  );
  return section('Connections', ['connection', ...heads.map((number) => ({ number }))], rows);
}

const pixels = ({ frameWidth, frameHeight }: LayerMetrics): string =>
  frameWidth === null || frameHeight === null ? '–' : `${frameWidth} × ${frameHeight}`;

/** Every video stream that the pages send, each simulcast layer separately. */
export function layerTable({ metrics }: EvidenceInput): Html {
  const layers = metrics.connections.flatMap((one) => one.layers);
  if (layers.length === 0) return html``;
  const rows = layers.map(
    (one) =>
      html`<tr>
        <th scope="row">${pageName(one.page)}</th>
        <td>${one.rid ?? '–'}</td>
        <td>${one.scalabilityMode ?? '–'}</td>
        <td>${pixels(one)}</td>
        <td class="number">${one.framesPerSecond.toFixed(1)}</td>
        <td class="number">${rateText(one.sentBps)}</td>
        <td class="number">${rateText(one.targetBps)}</td>
        <td>${one.limitedBy ?? '–'}</td>
        <td class="number">${percentText(one.activeShare)}</td>
      </tr>`,
  );
  const heads = ['fps', 'sent', 'target'].map((number) => ({ number }));
  return section(
    'Video streams',
    ['sent by', 'layer (rid)', 'SVC', 'picture', ...heads, 'limited by', { number: 'on' }],
    rows,
  );
}

function routing({ routed }: EndpointRecord): string {
  if (routed === null) return 'not known';
  return routed ? 'through the link' : 'past the link';
}

/** Every peer connection of the pages. */
export function endpointTable({ record }: EvidenceInput): Html {
  const rows = record.endpoints.map(
    (one) =>
      html`<tr>
        <td>${endpointName(record, one)}</td>
        <td>${one.url}</td>
        <td>${one.role ?? '–'}</td>
        <td>${one.states.at(-1)?.state ?? 'new'}</td>
        <td>${routing(one)}</td>
        <td>${SOURCES[one.frameSource]}</td>
      </tr>`,
  );
  if (rows.length === 0) return html``;
  return section('Peer connections', ['where', 'address', 'role', 'last state', 'packets', 'timing'], rows);
}

interface Happening {
  timeUs: number;
  what: string;
  text: string;
}

/** All events in time order, worded for readers. */
function happenings({ record, judged }: EvidenceInput): Happening[] {
  const name = (endpoint: EndpointRecord): string => endpointName(record, endpoint);
  const all: Happening[] = [
    ...namedChanges(record).map(({ timeUs, text }) => ({ timeUs, what: 'link', text })),
    ...record.endpoints.flatMap((endpoint) => [
      ...endpoint.states.map(({ timeUs, state }) => ({
        timeUs,
        what: 'connection',
        text: `${name(endpoint)}: ${state}`,
      })),
      ...endpoint.freezes.map(({ fromUs, toUs }) => ({
        timeUs: fromUs,
        what: 'freeze',
        text: `${name(endpoint)}: ${secondsText(toUs - fromUs)}`,
      })),
    ]),
    ...record.pages.flatMap(({ id, ended }) =>
      ended === null ? [] : [{ timeUs: ended.timeUs, what: 'page', text: `${pageName(id)} ${ended.why}` }],
    ),
    ...machineSpells(record).map(({ fromUs, toUs, reasons }) => ({
      timeUs: fromUs,
      what: 'machine',
      text: `too busy for the call ${toUs === null ? 'from here on' : `for ${secondsText(toUs - fromUs)}`}: ${reasonText(reasons)}`,
    })),
    ...judged.map((one) => ({
      timeUs: one.timeUs,
      what: 'expectation',
      text: `${holds(one) ? '✓' : '✗'} ${one.isNot ? 'not.' : ''}${one.matcher}: ${one.judgement.received}`,
    })),
  ];
  return all.sort((a, b) => a.timeUs - b.timeUs);
}

const timeButton = (timeUs: number): Html =>
  html`<button type="button" data-time-us="${Math.round(timeUs)}" title="Show in the charts">
    ${(timeUs / 1e6).toFixed(2)} s
  </button>`;

/** What got worse and why, with buttons that show the times in the charts. */
export function incidentList({ metrics: { call, incidents } }: EvidenceInput): Html {
  if (call === null) return html``;
  const items = groupsOf(incidents).map((group) => {
    const { first } = group;
    const also = alsoText(group);
    return html`<li>
      ${timeButton(first.fromUs)} <b>${first.who}: ${incidentText(first)}</b>
      <p>${first.cause.kind}: ${first.cause.evidence}</p>
      <p class="soft">To do: ${first.cause.fix}</p>
      ${also === '' ? html`` : html`<p class="soft">Also: ${also}.</p>`}
    </li>`;
  });
  return html`<section class="worse">
    <h2>Why it got worse</h2>
    ${
      items.length === 0
        ? html`<p>No rate fell, no delay rose and nothing froze.</p>`
        : html`<ol class="incidents">
            ${items}
          </ol>`
    }
  </section>`;
}

/** Events, with buttons that show them in the charts. */
export function eventTable(input: EvidenceInput): Html {
  const rows = happenings(input).map(
    ({ timeUs, what, text }) =>
      html`<tr>
        <td class="number">${timeButton(timeUs)}</td>
        <td class="what">${what}</td>
        <td>${text}</td>
      </tr>`,
  );
  return section('Events', [{ number: 'time' }, 'what', 'detail'], rows);
}
