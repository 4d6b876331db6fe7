/** Fills the record of a link with what its shaper tells. */
import type { DirectionRecord, LinkRecord, PacketColumns } from '../observe/record.js';
import { LOG_COLUMNS } from './packet_log.js';

const FIRST_ROWS = 4096;

/** In the order of the packet log. */
const COLUMNS = ['offeredUs', 'sizeBytes', 'queueDelayUs', 'departUs', 'reason', 'flow'] as const;

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

/** A record of a link that has just begun. */
export function emptyLinkRecord(backend: LinkRecord['backend']): LinkRecord {
  return {
    backend,
    changes: [],
    flows: [],
    forward: emptyDirection(),
    back: emptyDirection(),
    latenessMs: null,
    notices: [],
  };
}

/** Appends the columns that PacketLog.take gave. */
export function appendPackets(packets: PacketColumns, taken: Float64Array): void {
  const more = taken.length / LOG_COLUMNS;
  const rows = packets.rows + more;
  for (const [i, name] of COLUMNS.entries()) {
    if (rows > packets[name].length) {
      const larger = new Float64Array(Math.max(rows, packets[name].length * 2));
      larger.set(packets[name].subarray(0, packets.rows));
      packets[name] = larger;
    }
    packets[name].set(taken.subarray(i * more, (i + 1) * more), packets.rows);
  }
  packets.rows = rows;
}
