/**
 * The call as a trace in format v1. Each received video stream is one flow. The table `arrival` contains its frames,
 * and `inbound` the counters of its receiver. GCC watches each stream without controlling it; the tables `group` and
 * `rate` contain the values that GCC computed. The table `queue` contains the queues of the links: link 0 is the main
 * direction (see `mainDirection`), link 1 is the other direction, and the links of individual pages follow. The table
 * `event` contains events.
 */
import { tableSpec } from '../core/index.js';
import type { TraceEvent } from '../core/session.js';
import { eventLine, formatHeader, RowFormatter, timeColumn, TRACE_VERSION } from '../trace/index.js';
import { allLinks } from '../judge/index.js';
import { machineSpells } from '../judge/machine.js';
import { connectionOf } from '../calls/record/connections.js';
import type { CallRecord, DirectionRecord, ShadowRecord } from '../calls/record/record.js';
import { SHADOW } from '../calls/record/shadow_flow.js';
import { connectionName } from './extent.js';
import { mainDirection } from './charts.js';
import { incidentRow } from '../judge/incidents/incident_row.js';
import { holds, type EvidenceInput } from './input.js';

interface Line {
  timeUs: number;
  text: string;
}

function* shadowLines({ batches }: ShadowRecord): Generator<Line> {
  for (const { table, rows, columns } of batches) {
    const spec = tableSpec(table);
    const formatter = new RowFormatter(spec);
    const time = columns[timeColumn(spec)];
    for (let row = 0; row < rows; row++)
      yield { timeUs: time?.[row] ?? NaN, text: formatter.line(columns, row) };
  }
}

function* queueLines({ rows }: DirectionRecord, link: number): Generator<Line> {
  for (const row of rows)
    yield { timeUs: row.time_us, text: JSON.stringify({ type: 'queue', ...row, link }) };
}

/** All events, in time order. */
export function eventsOf({ record, judged, metrics }: EvidenceInput): TraceEvent[] {
  const { endpoints, pages } = record;
  const events: TraceEvent[] = [
    ...allLinks(record).flatMap(({ page, changes }) =>
      changes.map(({ timeUs, text }) => ({
        time_us: timeUs,
        name: 'link',
        detail: { set: text, ...(page !== null && { page }) },
      })),
    ),
    ...endpoints.flatMap(({ id, states }) =>
      states.map(({ timeUs, state }) => ({
        time_us: timeUs,
        name: 'connection_state',
        detail: { endpoint: id, state },
      })),
    ),
    ...endpoints.flatMap(({ id, freezes }) =>
      freezes.map(({ fromUs, toUs }) => ({
        time_us: fromUs,
        name: 'freeze',
        detail: { endpoint: id, duration_us: toUs - fromUs },
      })),
    ),
    ...pages.flatMap(({ id, ended }) =>
      ended === null
        ? []
        : [{ time_us: ended.timeUs, name: 'page_ended', detail: { page: id, why: ended.why } }],
    ),
    ...machineSpells(record).flatMap(({ fromUs, toUs, reasons }) => [
      { time_us: fromUs, name: 'machine_overloaded', detail: { reasons } },
      ...(toUs === null
        ? []
        : [{ time_us: toUs, name: 'machine_recovered', detail: { for_us: toUs - fromUs } }]),
    ]),
    ...metrics.incidents.map((incident) => ({
      time_us: incident.fromUs,
      name: 'incident',
      detail: incidentRow(incident),
    })),
    ...judged.map((one) => ({
      time_us: one.timeUs,
      name: 'expectation',
      detail: {
        matcher: one.matcher,
        is_not: one.isNot,
        pass: holds(one),
        expected: one.judgement.expected,
        received: one.judgement.received,
        cause: one.judgement.cause?.kind ?? null,
      },
    })),
  ];
  return events
    .map((event) => ({ ...event, time_us: Math.round(event.time_us) }))
    .sort((a, b) => a.time_us - b.time_us);
}

function* eventLines(input: EvidenceInput): Generator<Line> {
  for (const event of eventsOf(input)) yield { timeUs: event.time_us, text: eventLine(event) };
}

/** Merges lines of several sources in time order; each source's own order is kept. */
function* merged(sources: readonly Iterator<Line>[]): Generator<string> {
  const heads = sources.map((source) => source.next());
  for (;;) {
    let first = -1;
    heads.forEach((head, i) => {
      const best = heads[first];
      if (head.done === true) return;
      if (best === undefined || best.done === true || head.value.timeUs < best.value.timeUs) first = i;
    });
    const head = heads[first];
    const source = sources[first];
    if (head === undefined || head.done === true || source === undefined) return;
    yield head.value.text;
    heads[first] = source.next();
  }
}

/** Names a flow after the video whose frames it contains: `page 1 → page 2, video 4711`. */
function flowName(record: CallRecord, { endpoint, ssrc }: ShadowRecord): string {
  const connection = connectionOf(record, endpoint);
  return `${connection === undefined ? '' : `${connectionName(record, connection)}, `}video ${ssrc}`;
}

/** The source of frame timing: `transform` only if every endpoint that receives media uses it. */
export function frameSource({ endpoints }: CallRecord): 'transform' | 'getStats' {
  const receivers = endpoints.filter(({ samples }) => (samples.at(-1)?.inbound.length ?? 0) > 0);
  return receivers.some(({ frameSource: source }) => source !== 'transform') ? 'getStats' : 'transform';
}

/** The lines of the trace, without line feeds. */
export function* traceLines(input: EvidenceInput): Generator<string> {
  const { record, title, created } = input;
  const { link, shadows } = record;
  yield formatHeader({
    ccscope_trace: TRACE_VERSION,
    created: created.toISOString(),
    source: 'test',
    clock: 'receiver',
    // The controller that watched the streams first. A replay runs it with the same preset.
    ...SHADOW,
    origin_epoch_ms: record.originEpochMs,
    title,
    backend: link?.backend ?? null,
    network: link?.changes[0]?.text ?? null,
    frame_source: frameSource(record),
    flows: shadows.map((shadow) => ({ flow: shadow.flow, name: flowName(record, shadow) })),
  });
  const main = mainDirection(record);
  const ways = allLinks(record).flatMap(({ forward, backward }) =>
    main === 'forward' ? [forward, backward] : [backward, forward],
  );
  yield* merged([
    eventLines(input),
    ...ways.flatMap((way, number) => (way === null ? [] : [queueLines(way, number)])),
    ...shadows.map(shadowLines),
  ]);
}
