/** A view selects the part of a call that is judged. The functions here find the data of this part in the record. */
import { DROP_REASONS } from '../core/link.js';
import type { Window } from '../calls/metrics.js';
import type {
  CallRecord,
  ConnectionRecord,
  Direction,
  DirectionRecord,
  EndpointRecord,
  LinkChangeRecord,
  PacketColumns,
  PathRecord,
  StatsSample,
} from '../calls/record/record.js';
import type { PacketRecord } from '../link/packet_log.js';

/** A part of a call; the whole call if nothing is given. */
export interface View {
  /** Ids of connections. */
  connections?: readonly number[];
  /** Only connections of the page with this id. */
  page?: number;
  /** Only the media that the page with this id sends. */
  sentBy?: number;
  /** Default: for each connection, `forward`, unless `backward` carried clearly more media bytes. */
  direction?: Direction;
}

/** One direction of one connection. */
export interface Path {
  connection: ConnectionRecord;
  direction: Direction;
  /** The endpoints at both ends; null if an end is not under test. */
  sender: EndpointRecord | null;
  receiver: EndpointRecord | null;
}

/**
 * The backward direction is chosen only if it has carried this many times as many bytes as the forward direction. So
 * a call with about equal traffic in both directions is always judged forward.
 */
const CLEARLY_MORE = 1.2;

const endpointOf = (record: CallRecord, id: number | null): EndpointRecord | null =>
  id === null ? null : (record.endpoints.find((endpoint) => endpoint.id === id) ?? null);

type Count = 'sent' | 'received';

/** The media bytes of each stream of an endpoint, by SSRC, in the samples from `first` to `last`. */
interface CountedBytes {
  first: StatsSample | undefined;
  last: StatsSample | undefined;
  bytes: Record<Count, Map<number, number>>;
}

/** A record grows while it is judged several times a second. Therefore each sample is counted only once. */
const counted = new WeakMap<readonly StatsSample[], CountedBytes>();

/**
 * The largest count of each stream. A stream leaves getStats when its sender leaves or stops, so the last sample
 * alone does not show everything that the endpoint has sent and received.
 */
function countedBytes({ samples }: EndpointRecord): CountedBytes['bytes'] {
  const known = counted.get(samples);
  // If old samples were dropped, only the samples that are still there count.
  const goesOn = known !== undefined && known.first === samples[0];
  const bytes = goesOn
    ? known.bytes
    : { sent: new Map<number, number>(), received: new Map<number, number>() };
  const note = (way: Count, ssrc: number, count: number): void => {
    if (count > (bytes[way].get(ssrc) ?? 0)) bytes[way].set(ssrc, count);
  };
  const last = goesOn ? known.last : undefined;
  for (let i = samples.length - 1; i >= 0 && samples[i] !== last; i--) {
    for (const { ssrc, bytesSent } of samples[i]?.outbound ?? []) note('sent', ssrc, bytesSent);
    for (const { ssrc, bytesReceived } of samples[i]?.inbound ?? []) note('received', ssrc, bytesReceived);
  }
  counted.set(samples, { first: samples[0], last: samples.at(-1), bytes });
  return bytes;
}

/** Media bytes that an endpoint has sent or received so far. */
function mediaBytes(endpoint: EndpointRecord | null, way: Count): number {
  if (endpoint === null) return 0;
  return [...countedBytes(endpoint)[way].values()].reduce((sum, bytes) => sum + bytes, 0);
}

function busierDirection(offerer: EndpointRecord | null, answerer: EndpointRecord | null): Direction {
  const forward = Math.max(mediaBytes(offerer, 'sent'), mediaBytes(answerer, 'received'));
  const backward = Math.max(mediaBytes(answerer, 'sent'), mediaBytes(offerer, 'received'));
  return backward > CLEARLY_MORE * forward ? 'backward' : 'forward';
}

/** The directions of connections that a view selects, in the order of the record. */
export function pathsOf(record: CallRecord, view: View): Path[] {
  return record.connections.flatMap((connection): Path[] => {
    if (view.connections && !view.connections.includes(connection.id)) return [];
    const offerer = endpointOf(record, connection.offerer);
    const answerer = endpointOf(record, connection.answerer);
    const pages = [offerer?.page, answerer?.page];
    if (view.page !== undefined && !pages.includes(view.page)) return [];
    if (view.sentBy !== undefined && !pages.includes(view.sentBy)) return [];
    const sent = view.sentBy === offerer?.page ? 'forward' : 'backward';
    // If both ends of a connection are on the same page, this page sends in both directions.
    const sendsBoth = pages[0] === pages[1];
    const direction =
      view.sentBy === undefined || sendsBoth ? (view.direction ?? busierDirection(offerer, answerer)) : sent;
    const [sender, receiver] = direction === 'forward' ? [offerer, answerer] : [answerer, offerer];
    return [{ connection, direction, sender, receiver }];
  });
}

/** The endpoints of one side of the given paths, without duplicates. */
export const sidesOf = (paths: readonly Path[], side: 'sender' | 'receiver'): EndpointRecord[] => [
  ...new Set(paths.map((path) => path[side]).filter((endpoint) => endpoint !== null)),
];

/** The time at which an endpoint was first connected; null if it has not been connected yet. */
export function connectedUs(endpoint: EndpointRecord | null): number | null {
  return endpoint?.states.find(({ state }) => state === 'connected')?.timeUs ?? null;
}

/**
 * The time by which both ends of a path had been connected; null until then. An end that is not under test is
 * ignored.
 */
export function pathConnectedUs({ sender, receiver }: Path): number | null {
  const sides = [sender, receiver].filter((side) => side !== null);
  const times = sides.map(connectedUs);
  return times.length === 0 || times.includes(null) ? null : Math.max(...times.map(Number));
}

/** The time at which an endpoint closed or failed, or its page ended; null while the endpoint exists. */
function endpointEndUs(record: CallRecord, endpoint: EndpointRecord): number | null {
  const last = endpoint.states.at(-1);
  const page = record.pages.find(({ id }) => id === endpoint.page);
  const ends = [last?.state === 'closed' || last?.state === 'failed' ? last.timeUs : null];
  ends.push(page?.ended?.timeUs ?? null);
  const known = ends.filter((end) => end !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/**
 * The time at which the last of the given paths ended. Null while a path exists, or if there are no paths.
 */
export function callEndUs(record: CallRecord, paths: readonly Path[]): number | null {
  const ends = paths.map(({ sender, receiver }) => {
    const sides = [sender, receiver].filter((side) => side !== null);
    const known = sides.map((side) => endpointEndUs(record, side)).filter((end) => end !== null);
    return known.length === 0 ? null : Math.min(...known);
  });
  return ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map(Number));
}

/**
 * The link that a connection's packets use. If the offerer's page has its own link, this is that link, otherwise the
 * shared link.
 */
export function linkOf({ link, endpoints }: CallRecord, { offerer }: ConnectionRecord): PathRecord | null {
  const page = endpoints.find(({ id }) => id === offerer)?.page;
  return link?.own.find((own) => own.page === page) ?? link;
}

/** The links that the given paths use, without duplicates. */
export const linksOf = (record: CallRecord, paths: readonly Path[]): PathRecord[] => [
  ...new Set(paths.map(({ connection }) => linkOf(record, connection)).filter((link) => link !== null)),
];

/** Every link of a record: the shared link, and the pages' own links. */
export const allLinks = ({ link }: CallRecord): PathRecord[] => (link === null ? [] : [link, ...link.own]);

/** A direction of a link, with the paths that use it. */
export interface LinkWay {
  link: PathRecord;
  name: Direction;
  paths: readonly Path[];
}

export const waysOf = (record: CallRecord, paths: readonly Path[]): LinkWay[] =>
  linksOf(record, paths).flatMap((link) =>
    (['forward', 'backward'] as const)
      .map((name) => {
        const taking = paths.filter(
          ({ connection, direction }) => direction === name && linkOf(record, connection) === link,
        );
        return { link, name, paths: taking };
      })
      .filter((way) => way.paths.length > 0),
  );

/**
 * Changes of all links, in time order. A change of one link may affect the others, since a server may forward
 * the traffic of one link to another.
 */
export const changesOf = (record: CallRecord): LinkChangeRecord[] =>
  allLinks(record)
    .flatMap(({ changes }) => changes)
    .sort((a, b) => a.timeUs - b.timeUs);

/** The time at which a link was last opened or changed, up to `untilUs`; 0 if there is no such time. */
export function lastChangeUs(record: CallRecord, untilUs: number): number {
  return changesOf(record).findLast(({ timeUs }) => timeUs <= untilUs)?.timeUs ?? 0;
}

/**
 * The time at which the call was connected. If some paths were connected by `askedUs`, the call counts as connected
 * once the last of these paths was connected. Otherwise, it counts as connected once the first path was connected.
 * Null if no path has been connected.
 */
export function callConnectedUs(paths: readonly Path[], askedUs: number): number | null {
  const times = paths.map(pathConnectedUs).filter((time) => time !== null);
  if (times.length === 0) return null;
  const before = times.filter((time) => time <= askedUs);
  return before.length > 0 ? Math.max(...before) : Math.min(...times);
}

/**
 * The time from which data are used for a judgement that was requested at `askedUs`. This is when the call was
 * connected or, if that is later, when a link last changed before the request. Null while nothing is connected.
 */
export function clockStartUs(record: CallRecord, paths: readonly Path[], askedUs: number): number | null {
  const connected = callConnectedUs(paths, askedUs);
  return connected === null ? null : Math.max(connected, lastChangeUs(record, askedUs));
}

/** First row whose packet departed after `timeUs`. */
function firstRowAfter({ rows, departUs }: PacketColumns, timeUs: number): number {
  let low = 0;
  let high = rows;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((departUs[middle] ?? Infinity) > timeUs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Thrown if a window begins before the oldest data that the record still has. */
export class DroppedRecordError extends Error {
  override readonly name = 'DroppedRecordError';
  readonly field = 'window.fromUs';

  constructor({ fromUs }: Window, keptFromUs: number) {
    super(
      `window.fromUs: expected ${keptFromUs} or later, since older data have been dropped, ` +
        `got ${fromUs}; choose a shorter window, or make assertions more often`,
    );
  }
}

/** Throws DroppedRecordError if the window begins before the kept data. */
export function checkKept({ keptFromUs }: { keptFromUs?: number }, window: Window): void {
  if (keptFromUs !== undefined && window.fromUs < keptFromUs)
    throw new DroppedRecordError(window, keptFromUs);
}

/**
 * The packets of the given flows (of all flows if `flows` is null) that departed or were dropped in a window, in time
 * order. Throws DroppedRecordError.
 */
export function packetsIn(
  direction: Pick<DirectionRecord, 'packets' | 'keptFromUs'>,
  flows: ReadonlySet<number> | null,
  window: Window,
): PacketRecord[] {
  checkKept(direction, window);
  const { packets } = direction;
  const { fromUs, toUs } = window;
  const end = firstRowAfter(packets, toUs);
  const found: PacketRecord[] = [];
  for (let row = firstRowAfter(packets, fromUs); row < end; row++) {
    if (flows && !flows.has(packets.flow[row] ?? NaN)) continue;
    found.push({
      offeredUs: packets.offeredUs[row] ?? NaN,
      sizeBytes: packets.sizeBytes[row] ?? NaN,
      queueDelayUs: packets.queueDelayUs[row] ?? NaN,
      departUs: packets.departUs[row] ?? NaN,
      dropped: DROP_REASONS[packets.reason[row] ?? 0] ?? null,
    });
  }
  return found;
}

/** Bytes of the given flows that left the bottleneck in a window. Throws DroppedRecordError. */
export function departedBytes({ direction, flows }: LinkSide, window: Window): number {
  checkKept(direction, window);
  const { packets } = direction;
  const { fromUs, toUs } = window;
  const end = firstRowAfter(packets, toUs);
  let bytes = 0;
  for (let row = firstRowAfter(packets, fromUs); row < end; row++) {
    const counts = packets.reason[row] === 0 && flows.has(packets.flow[row] ?? NaN);
    if (counts) bytes += packets.sizeBytes[row] ?? 0;
  }
  return bytes;
}

/**
 * Bytes of the given flows that reached the link in a window, including dropped packets. Throws DroppedRecordError.
 */
export function offeredBytes({ direction, flows }: LinkSide, window: Window): number {
  checkKept(direction, window);
  const { packets } = direction;
  const { fromUs, toUs } = window;
  let bytes = 0;
  // Rows are in the order of departure. A packet may depart any time after it was offered, but never before. So
  // all rows from here on are examined.
  for (let row = firstRowAfter(packets, fromUs); row < packets.rows; row++) {
    const offeredUs = packets.offeredUs[row] ?? NaN;
    const counts = offeredUs > fromUs && offeredUs <= toUs && flows.has(packets.flow[row] ?? NaN);
    if (counts) bytes += packets.sizeBytes[row] ?? 0;
  }
  return bytes;
}

/** One direction of a link, and the flows of the given paths in this direction. */
export interface LinkSide {
  direction: DirectionRecord;
  flows: ReadonlySet<number>;
}

/**
 * The parts of the record that contain the packets of the given paths: one for each direction of a link that the
 * paths use. The shared link is always included, since a page's packets use it until the page gets its own link.
 * Empty if there is no shaper's record of the packets.
 */
export function linkSides(record: CallRecord, paths: readonly Path[]): LinkSide[] {
  return waysOf(record, paths).flatMap(({ link, name, paths: taking }): LinkSide[] => {
    const flows = new Set(taking.flatMap(({ connection }) => connection.flows));
    const links = new Set([link, record.link]);
    return [...links].flatMap((each) => {
      const direction = each?.[name] ?? null;
      return direction === null || flows.size === 0 ? [] : [{ direction, flows }];
    });
  });
}

/** The time from which all data about the given paths are kept; -Infinity if nothing was dropped. */
export function keptFromUs(record: CallRecord, paths: readonly Path[]): number {
  const parts = [
    ...linkSides(record, paths).map(({ direction }) => direction),
    ...paths.flatMap(({ sender, receiver }) => [sender, receiver]),
  ];
  return Math.max(-Infinity, ...parts.map((part) => part?.keptFromUs ?? -Infinity));
}
