/** The tables below the charts: connections, their ends, what happened. */
import { msText, percentText, rateText, secondsText, type CallMetrics } from '../judge/index.js';
import type { EndpointRecord } from '../observe/record.js';
import { html, type Html } from '../html/text.js';
import { endpointName } from './charts.js';
import { holds, type EvidenceInput } from './input.js';

/** Where frame timing is from, for people. */
export const SOURCES = {
  transform: 'frames from encoded transforms',
  getStats: 'frames from getStats',
} as const;

const numbers = (metrics: CallMetrics): string[] => [
  rateText(metrics.receivedBps),
  percentText(metrics.utilisation),
  msText(metrics.queueDelayP50Ms),
  msText(metrics.queueDelayP95Ms),
  percentText(metrics.lossRatio),
  metrics.framesPerSecond === null ? '–' : metrics.framesPerSecond.toFixed(1),
];

/** Numbers of each connection, where there are several. */
export function connectionTable({ metrics }: EvidenceInput): Html {
  const heads = ['received', 'utilisation', 'queue p50', 'queue p95', 'loss', 'fps'];
  if (metrics.connections.length < 2) return html``;
  return html`<h2>Connections</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">connection</th>
            ${heads.map((head) => html`<th scope="col" class="number">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${metrics.connections.map(
            (one) =>
              html`<tr>
                <th scope="row">${one.name}</th>
                ${numbers(one.metrics).map((value) => html`<td class="number">${value}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
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
  return html`<h2>Peer connections</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">where</th>
            <th scope="col">address</th>
            <th scope="col">role</th>
            <th scope="col">last state</th>
            <th scope="col">packets</th>
            <th scope="col">timing</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

interface Happening {
  timeUs: number;
  what: string;
  text: string;
}

/** What happened, for people, in time order. */
function happenings({ record, judged }: EvidenceInput): Happening[] {
  const name = (endpoint: EndpointRecord): string => endpointName(record, endpoint);
  const all: Happening[] = [
    ...(record.link?.changes ?? []).map(({ timeUs, text }) => ({ timeUs, what: 'link', text })),
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
      ended === null ? [] : [{ timeUs: ended.timeUs, what: 'page', text: `page ${id + 1} ${ended.why}` }],
    ),
    ...judged.map((one) => ({
      timeUs: one.timeUs,
      what: 'expectation',
      text: `${holds(one) ? '✓' : '✗'} ${one.isNot ? 'not.' : ''}${one.matcher}: ${one.judgement.received}`,
    })),
  ];
  return all.sort((a, b) => a.timeUs - b.timeUs);
}

/** What happened, with buttons that show it in the charts. */
export function eventTable(input: EvidenceInput): Html {
  const rows = happenings(input).map(
    ({ timeUs, what, text }) =>
      html`<tr>
        <td class="number">
          <button type="button" data-time-us="${Math.round(timeUs)}" title="Show in the charts">
            ${(timeUs / 1e6).toFixed(2)} s
          </button>
        </td>
        <td>${what}</td>
        <td>${text}</td>
      </tr>`,
  );
  return html`<h2>Events</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">time</th>
            <th scope="col">what</th>
            <th scope="col">detail</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}
