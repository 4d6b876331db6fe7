/**
 * Adds the shaper's reports to the record of a link and limits the size of the record: a full list loses its oldest
 * eighth. The limits for each direction:
 * - Packets: 48 B each, 63 MB in total. This is 84 minutes at 2.5 Mbps in packets of 1200 B.
 * - Queue rows: about 100 B each, 6.5 MB in total. This is 109 minutes at ten rows a second.
 * - Capacity changes: about 40 B each, 5 MB in total. This is 22 minutes at a hundred changes a second, the highest
 *   rate of a capacity function.
 */
import { FIX } from '../machine/index.js';
import { dropRows, PACKET_COLUMNS } from '../calls/record/columns.js';
import type {
  DirectionRecord,
  LateSecond,
  LinkRecord,
  PacketColumns,
  PathRecord,
} from '../calls/record/record.js';
import { LOG_COLUMNS, MAX_PACKETS } from '../link/packet_log.js';
import type { HostPause } from './thread/protocol.js';

const FIRST_ROWS = 4096;
const MAX_QUEUE_ROWS = 2 ** 16;
const MAX_CAPACITIES = 2 ** 17;
const PIECES = 8;
const MAX_PAUSES = 20;
/** About four and a half hours. */
const MAX_LATE_SECONDS = 2 ** 14;
/** A full column doubles its length, but only up to this many rows: MAX_PACKETS and room for one batch. */
const LARGEST = MAX_PACKETS + 2 ** 16;

function emptyPackets(): PacketColumns {
  const column = (): Float64Array => new Float64Array(FIRST_ROWS);
  return {
    rows: 0,
    offeredUs: column(),
    sizeBytes: column(),
    queueDelayUs: column(),
    departUs: column(),
    reason: column(),
    flow: column(),
  };
}

const emptyDirection = (): DirectionRecord => ({ packets: emptyPackets(), rows: [], capacity: [] });

/** A new, empty record of a page's own path. */
export const emptyPathRecord = (page: number): PathRecord => ({
  page,
  changes: [],
  forward: emptyDirection(),
  backward: emptyDirection(),
});

/** A new, empty record of a link. */
export function emptyLinkRecord(backend: LinkRecord['backend']): LinkRecord {
  return {
    ...{ page: null, changes: [], forward: emptyDirection(), backward: emptyDirection() },
    backend,
    own: [],
    flows: [],
    latenessMs: null,
    late: [],
    interruptions: [],
    notices: [],
  };
}

/** Records how late the packets of one second were. */
export function noteLate({ late }: LinkRecord, second: LateSecond): void {
  late.push(second);
  if (late.length > MAX_LATE_SECONDS) late.splice(0, MAX_LATE_SECONDS / PIECES);
}

/**
 * The limit for the 95th percentile of the packets' lateness over a whole call. Lateness below it is small compared
 * with a browser's own jitter.
 */
const PUNCTUAL_MS = 3;
/** A percentile over fewer packets is meaningless. */
const LEAST_PACKETS = 200;

/**
 * Adds a notice if the 95th percentile of the packets' lateness over the whole call exceeds PUNCTUAL_MS. Removes the
 * notice otherwise.
 */
export function notePunctuality({ latenessMs, notices }: LinkRecord): void {
  const code = 'packets-late';
  const at = notices.findIndex((notice) => notice.code === code);
  if (at >= 0) notices.splice(at, 1);
  if (latenessMs === null || latenessMs.packets < LEAST_PACKETS || latenessMs.p95 <= PUNCTUAL_MS) return;
  notices.push({
    level: 'warning',
    code,
    message: `The machine was busy: one packet in twenty left the link at least ${latenessMs.p95.toFixed(1)} ms late. The rates and queues of the link are correct; delays and jitter that the pages measured are accurate only to within about that time.`,
    fix: FIX,
  });
}

/** Appends the columns that PacketLog.take returned. */
export function appendPackets(packets: PacketColumns, taken: Float64Array): void {
  const more = taken.length / LOG_COLUMNS;
  const rows = packets.rows + more;
  for (const [i, name] of PACKET_COLUMNS.entries()) {
    if (rows > packets[name].length) {
      const larger = new Float64Array(Math.max(rows, Math.min(LARGEST, packets[name].length * 2)));
      larger.set(packets[name].subarray(0, packets.rows));
      packets[name] = larger;
    }
    packets[name].set(taken.subarray(i * more, (i + 1) * more), packets.rows);
  }
  packets.rows = rows;
}

/**
 * Drops the oldest entries of each list that exceeds its limit. Returns true if entries were dropped for the first
 * time. To be called after each batch.
 */
export function boundDirection(direction: DirectionRecord): boolean {
  const { packets, rows, capacity, keptFromUs } = direction;
  const ends = [
    packets.rows > MAX_PACKETS ? dropPackets(packets) : undefined,
    rows.length > MAX_QUEUE_ROWS ? rows.splice(0, MAX_QUEUE_ROWS / PIECES).at(-1)?.time_us : undefined,
    capacity.length > MAX_CAPACITIES ? dropCapacities(direction) : undefined,
  ].filter((end) => end !== undefined);
  if (ends.length === 0) return false;
  direction.keptFromUs = Math.max(keptFromUs ?? -Infinity, ...ends);
  return keptFromUs === undefined;
}

/** Drops the oldest packets. Returns the time when the last dropped packet departed. */
function dropPackets(packets: PacketColumns): number | undefined {
  const dropped = packets.rows - MAX_PACKETS + MAX_PACKETS / PIECES;
  const endUs = packets.departUs[dropped - 1];
  dropRows(packets, PACKET_COLUMNS, dropped);
  return endUs;
}

/** Drops the oldest capacities. Returns the time when the oldest remaining capacity took effect. */
function dropCapacities({ capacity }: DirectionRecord): number | undefined {
  capacity.splice(0, MAX_CAPACITIES / PIECES);
  return capacity[0]?.timeUs;
}

/**
 * Adds a notice that the machine did not run the shaper for a while. For the call, such a pause was an outage of the
 * link.
 */
export function notePause({ notices }: LinkRecord, { fromUs, toUs }: HostPause): void {
  const code = 'host-paused';
  if (notices.filter((notice) => notice.code === code).length >= MAX_PAUSES) return;
  const seconds = (us: number): string => `${(us / 1e6).toFixed(1)} s`;
  notices.push({
    level: 'warning',
    code,
    message: `The machine did not run the shaper for ${seconds(toUs - fromUs)}, starting at ${seconds(fromUs)}: no packet passed the link.`,
    fix: 'keep the machine awake and idle, or judge a window that excludes this time',
  });
}
