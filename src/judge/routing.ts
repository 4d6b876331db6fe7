/**
 * Whether a call uses its link. For each connection, the browser counts the bytes of all candidate pairs, and the
 * link counts the bytes that it saw. The bytes outside the link are estimated in two ways: the bytes of pairs whose
 * far end is not the link, and the pairs' bytes minus the bytes that the link saw. The larger result is used.
 */
import { IP_UDP_HEADER_BYTES } from '../calls/metrics.js';
import { connectionOf } from '../calls/record/connections.js';
import type {
  CallRecord,
  Direction,
  EndpointRecord,
  PacketColumns,
  PathRecord,
} from '../calls/record/record.js';
import { linkOf, sidesOf, type Path } from './view.js';

/** Up to this fraction, bytes outside the link may be counting errors. */
export const LEAST_OUTSIDE_RATIO = 0.001;
/**
 * The link reports bytes later than the candidate pairs count them. So a sample is compared only if it is at
 * least UNDER_WAY_S older than the link's latest report, and a difference of UNDER_WAY_BYTES is tolerated.
 */
const UNDER_WAY_S = 1;
const UNDER_WAY_BYTES = 64e3;

export interface EndpointRouting {
  endpoint: EndpointRecord;
  /** Bytes that the candidate pairs counted, sent and received. */
  pairBytes: number;
  /** The part of `pairBytes` that bypassed the link. */
  outsideBytes: number;
  /**
   * Bytes that the link saw, in both directions. Connectivity checks are included, IPv4 and UDP headers are
   * not. Null if the link's record is incomplete.
   */
  linkBytes: number | null;
}

export interface Routing {
  outsideRatio: number;
  endpoints: readonly EndpointRouting[];
}

/** Payload bytes of each flow. */
interface FlowBytes {
  rows: number;
  offered: Map<number, number>;
  departed: Map<number, number>;
}

const counted = new WeakMap<PacketColumns, FlowBytes>();

/** The columns of a complete record only grow, so each row is examined once. Incomplete records are not examined. */
function flowBytes(packets: PacketColumns): FlowBytes {
  const known: FlowBytes = counted.get(packets) ?? { rows: 0, offered: new Map(), departed: new Map() };
  counted.set(packets, known);
  const add = (bytes: Map<number, number>, flow: number, size: number): void =>
    void bytes.set(flow, (bytes.get(flow) ?? 0) + size);
  for (; known.rows < packets.rows; known.rows++) {
    const flow = packets.flow[known.rows] ?? NaN;
    const size = (packets.sizeBytes[known.rows] ?? 0) - IP_UDP_HEADER_BYTES;
    add(known.offered, flow, size);
    if (packets.reason[known.rows] === 0) add(known.departed, flow, size);
  }
  return known;
}

const over = (bytes: Map<number, number>, flows: readonly number[]): number =>
  flows.reduce((sum, flow) => sum + (bytes.get(flow) ?? 0), 0);

/**
 * The bytes of the given flows that a link saw: those sent in the direction `sends`, and those received in the
 * opposite direction. Null if the link's record is incomplete.
 */
function atLink(link: PathRecord, flows: readonly number[], sends: Direction): Seen | null {
  const [up, down] = sends === 'forward' ? [link.forward, link.backward] : [link.backward, link.forward];
  if (up?.keptFromUs !== undefined || down?.keptFromUs !== undefined || !up || !down) return null;
  return {
    sent: over(flowBytes(up.packets).offered, flows),
    received: over(flowBytes(down.packets).departed, flows),
    waiting: up.rows.at(-1)?.queue_bytes ?? 0,
  };
}

interface Seen {
  sent: number;
  received: number;
  waiting: number;
}

/**
 * The bytes of an endpoint that the links of its connection saw: the shared link and, if there is one, the
 * page's own link.
 */
function atLinks(record: CallRecord, { id }: EndpointRecord): Seen | null {
  const { link } = record;
  const connection = connectionOf(record, id);
  if (connection === undefined || link === null || link.interruptions.length > 0) return null;
  const sends = connection.offerer === id ? 'forward' : 'backward';
  const links = [...new Set([link, linkOf(record, connection) ?? link])];
  const seen = links.map((each) => atLink(each, connection.flows, sends));
  return seen.reduce(
    (all, each) =>
      all && each
        ? {
            sent: all.sent + each.sent,
            received: all.received + each.received,
            waiting: all.waiting + each.waiting,
          }
        : null,
    { sent: 0, received: 0, waiting: 0 },
  );
}

/** The last sample whose bytes the link must have reported by now. */
function settledLook(
  record: CallRecord,
  { samples }: EndpointRecord,
): EndpointRecord['samples'][number] | undefined {
  const row = record.link?.forward?.rows.at(-1);
  const untilUs = (row?.time_us ?? 0) - UNDER_WAY_S * 1e6;
  return samples.findLast(({ timeUs }) => timeUs <= untilUs);
}

const finite = (value: number | undefined): number => (Number.isFinite(value) ? Number(value) : 0);

function routingOfEndpoint(record: CallRecord, endpoint: EndpointRecord): EndpointRouting {
  const { samples } = endpoint;
  const look = samples.at(-1);
  // When a candidate pair is removed, its bytes are missing from later samples. So the largest sum over all
  // samples is taken.
  const most = (count: (sample: (typeof samples)[number]) => number): number =>
    samples.reduce((sum, sample) => Math.max(sum, finite(count(sample))), 0);
  const known = most(({ outsideBytesSent: sent, outsideBytesReceived: received }) => sent + received);
  const link = atLinks(record, endpoint);
  const settled = link === null ? undefined : settledLook(record, endpoint);
  const unseen =
    link === null || settled === undefined
      ? 0
      : Math.max(0, finite(settled.bytesSent) - link.sent - link.waiting - UNDER_WAY_BYTES) +
        Math.max(0, finite(settled.bytesReceived) - link.received - UNDER_WAY_BYTES);
  return {
    endpoint,
    pairBytes: Math.max(known, finite(look?.bytesSent) + finite(look?.bytesReceived)),
    outsideBytes: Math.max(known, unseen),
    linkBytes: link === null ? null : link.sent + link.received,
  };
}

/** The routing over the whole call so far; null if no shaper carries the call. */
export function routingOf(record: CallRecord, paths: readonly Path[]): Routing | null {
  if (record.link?.backend !== 'shaper') return null;
  const endpoints = [...new Set([...sidesOf(paths, 'sender'), ...sidesOf(paths, 'receiver')])].map((each) =>
    routingOfEndpoint(record, each),
  );
  const sum = (of: 'pairBytes' | 'outsideBytes'): number =>
    endpoints.reduce((bytes, each) => bytes + each[of], 0);
  return { outsideRatio: sum('pairBytes') === 0 ? 0 : sum('outsideBytes') / sum('pairBytes'), endpoints };
}
