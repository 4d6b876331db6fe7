/** The data of a call's charts: tables for each direction, and events. */
import type {
  EvidenceCharts,
  EvidenceDirection,
  EvidenceSource,
  EvidenceSpan,
  EvidenceTable,
} from '../calls/evidence_page.js';
import { allLinks, linkOf, pathsOf, type JudgedExpectation, type Path } from '../judge/index.js';
import { queueDelays, type DelayPoint } from '../judge/delay.js';
import { endpointName, pageName } from '../calls/record/names.js';
import type {
  CallRecord,
  ConnectionRecord,
  Direction,
  DirectionRecord,
  EndpointRecord,
  LinkChangeRecord,
  PacketColumns,
  PathRecord,
  ShadowRecord,
} from '../calls/record/record.js';
import { percentiles } from '../calls/percentile.js';
import { connectionName, durationUs } from './extent.js';
import { holds } from './input.js';
import { reasonsOf } from './reasons.js';
import {
  capacityTable,
  delayTable,
  groupTable,
  lossTable,
  mediaTable,
  packetTable,
  rateTable,
  videoTable,
} from './tables.js';

/** The names of the two directions of the shared link. OWN_LABELS contains the names for a page's own link. */
const LABELS: Record<Direction, string> = {
  forward: 'from the offerer to the answerer',
  backward: 'from the answerer to the offerer',
};
const OWN_LABELS: Record<Direction, string> = { forward: 'what it sends', backward: 'what it receives' };

const labelOf = (link: PathRecord | null, name: Direction): string =>
  link?.page == null ? LABELS[name] : `link of ${pageName(link.page)}: ${OWN_LABELS[name]}`;

/** Changes to all links, in time order. The text of a change to a page's own link names the page. */
export const namedChanges = (record: CallRecord): (LinkChangeRecord & { page: number | null })[] =>
  allLinks(record)
    .flatMap(({ page, changes }) =>
      changes.map(({ timeUs, text }) => ({
        page,
        timeUs,
        text: page === null ? text : `${pageName(page)}: ${text}`,
      })),
    )
    .sort((a, b) => a.timeUs - b.timeUs);

/** The names of connections. Connections with the same name are numbered. */
function named(record: CallRecord, connections: readonly ConnectionRecord[]): EvidenceSource[] {
  const names = connections.map((connection) => connectionName(record, connection));
  return connections.map(({ id }, i) => {
    const name = names[i] ?? '';
    return { id, label: names.filter((other) => other === name).length > 1 ? `${name} (${id + 1})` : name };
  });
}

const isFilled = (table: EvidenceTable): boolean => (table['time_us']?.length ?? 0) > 0;

const sides = (paths: readonly Path[], side: 'sender' | 'receiver'): EndpointRecord[] => [
  ...new Set(paths.map((path) => path[side]).filter((endpoint) => endpoint !== null)),
];

/** The shadows at the receivers of these paths. (A shadow is a controller that only watches the media.) */
function shadowsOf(record: CallRecord, paths: readonly Path[]): ShadowRecord[] {
  const receivers = sides(paths, 'receiver');
  return record.shadows.filter(({ endpoint }) => receivers.some(({ id }) => id === endpoint));
}

/**
 * The recorded packets of a direction. If no packets were recorded, there is one row for each estimated queuing delay.
 * Such a row contains only the delay and its time; all other columns are 0.
 */
function packetsOf(
  record: CallRecord,
  link: PathRecord | null,
  name: Direction,
  paths: readonly Path[],
): PacketColumns {
  const packets = link?.[name]?.packets;
  if (packets !== undefined && packets.rows > 0) return packets;
  const { points } = queueDelays(record, paths, { fromUs: 0, toUs: durationUs(record) });
  const column = (value: (point: DelayPoint) => number): Float64Array => Float64Array.from(points, value);
  const none = column(() => 0);
  return {
    rows: points.length,
    offeredUs: none,
    sizeBytes: none,
    queueDelayUs: column(({ delayUs }) => delayUs),
    departUs: column(({ timeUs }) => timeUs),
    reason: none,
    flow: none,
  };
}

function tablesOf(
  record: CallRecord,
  direction: DirectionRecord | null,
  paths: readonly Path[],
  packets: PacketColumns,
): Record<string, EvidenceTable> {
  const endUs = durationUs(record);
  const receivers = sides(paths, 'receiver');
  const media = mediaTable(sides(paths, 'sender'), receivers, endUs);
  const hasPackets = packets === direction?.packets;
  // If packets were recorded, the charts show the rate at the link instead of the received rate. The rate at the link
  // includes all headers.
  if (hasPackets) delete media['received_bps'];
  const [shadow] = shadowsOf(record, paths);
  const tables: Record<string, EvidenceTable> = {
    ...(direction !== null && { capacity: capacityTable(direction, endUs) }),
    ...(hasPackets && {
      rates: rateTable(
        packets,
        paths.map(({ connection }) => connection),
        endUs,
      ),
      loss: lossTable(packets, endUs),
    }),
    ...(packets.rows > 0 && { packets: packetTable(packets), delays: delayTable(packets, endUs) }),
    media,
    ...(shadow && { group: groupTable(shadow) }),
    video: videoTable(receivers),
  };
  return Object.fromEntries(Object.entries(tables).filter(([, table]) => isFilled(table)));
}

function directionOf(record: CallRecord, link: PathRecord | null, name: Direction): EvidenceDirection {
  const direction = link?.[name] ?? null;
  const paths = pathsOf(record, { direction: name }).filter(
    ({ connection }) => linkOf(record, connection) === link,
  );
  const packets = packetsOf(record, link, name, paths);
  const delaysMs = [...packets.queueDelayUs.subarray(0, packets.rows)].filter(Number.isFinite);
  const [p50 = NaN, p95 = NaN] = percentiles(delaysMs, [50, 95]).map((us) => us / 1e3);
  return {
    name,
    label: labelOf(link, name),
    tables: tablesOf(record, direction, paths, packets),
    flows: named(
      record,
      paths.map(({ connection }) => connection),
    ),
    receivers: sides(paths, 'receiver').map((endpoint) => ({
      id: endpoint.id,
      label: endpointName(record, endpoint),
    })),
    queueDelayMs: Number.isNaN(p50) ? null : { p50, p95 },
    reasons: shadowsOf(record, paths).flatMap(reasonsOf),
    delaysAreEstimates: packets !== direction?.packets,
  };
}

/**
 * The main direction: `backward` if the record's first connection carried clearly more media from its
 * answerer; otherwise `forward`.
 */
export function mainDirection(record: CallRecord): Direction {
  const [path] = pathsOf(record, {});
  return path?.direction ?? 'forward';
}

type Span = Omit<EvidenceSpan, 'lane'>;

/** Puts spans into lanes; spans that overlap get separate lanes. */
function stacked(name: string, spans: readonly Span[], lanes: string[]): EvidenceSpan[] {
  const ends: number[] = [];
  const first = lanes.length;
  return spans.map((span) => {
    const free = ends.findIndex((end) => end <= span.fromUs);
    const row = free < 0 ? ends.length : free;
    if (row === ends.length) lanes.push(row === 0 ? name : '');
    ends[row] = span.toUs;
    return { ...span, lane: first + row };
  });
}

function linkSpans({ changes }: PathRecord, endUs: number): Span[] {
  return changes.map(({ timeUs, text }, i) => ({
    fromUs: Math.max(0, timeUs),
    toUs: changes[i + 1]?.timeUs ?? endUs,
    text,
    tone: 'plain',
  }));
}

function stateSpans(record: CallRecord, endUs: number): Span[] {
  return record.endpoints.flatMap((endpoint) =>
    endpoint.states.map(({ timeUs, state }, i): Span => ({
      fromUs: timeUs,
      toUs: endpoint.states[i + 1]?.timeUs ?? endUs,
      text: `${endpointName(record, endpoint)}: ${state}`,
      tone: state === 'failed' || state === 'disconnected' ? 'bad' : 'soft',
    })),
  );
}

const expectationSpans = (judged: readonly JudgedExpectation[]): Span[] =>
  judged.map((one) => ({
    ...one.judgement.window,
    text: `${one.isNot ? 'not.' : ''}${one.matcher}: ${one.judgement.received}`,
    tone: holds(one) ? 'good' : 'bad',
  }));

/** The data of all charts. The main direction comes first. */
export function chartsOf(record: CallRecord, judged: readonly JudgedExpectation[]): EvidenceCharts {
  const endUs = durationUs(record);
  const freezes = record.endpoints.flatMap((endpoint) => endpoint.freezes);
  const lanes: string[] = [];
  const spans = [
    ...allLinks(record).flatMap((link) =>
      stacked(link.page === null ? 'link' : `link of ${pageName(link.page)}`, linkSpans(link, endUs), lanes),
    ),
    ...stacked('expect', expectationSpans(judged), lanes),
    ...stacked('states', stateSpans(record, endUs), lanes),
    ...stacked(
      'freezes',
      freezes.map(({ fromUs, toUs }) => ({
        fromUs,
        toUs,
        text: `${((toUs - fromUs) / 1e6).toFixed(1)} s`,
        tone: 'bad',
      })),
      lanes,
    ),
  ];
  const first = mainDirection(record);
  const names: Direction[] = first === 'forward' ? ['forward', 'backward'] : ['backward', 'forward'];
  const links = record.link === null ? [null] : allLinks(record);
  const directions = links.flatMap((link) => names.map((name) => directionOf(record, link, name)));
  return {
    durationUs: endUs,
    directions: directions.filter(({ tables }, i) => i === 0 || 'rates' in tables || 'media' in tables),
    marks: namedChanges(record).map(({ timeUs, text }) => ({ timeUs, text })),
    lanes,
    spans,
    freezes,
  };
}
