/** The packets of a link as CSV (RFC 4180): every packet, those that were dropped included. */
import type { LinkPacket } from './link_packets.js';

const COLUMNS: readonly [name: string, cell: (packet: LinkPacket) => string | number][] = [
  ['time_us', ({ offeredUs }) => Math.round(offeredUs)],
  ['depart_us', ({ departUs }) => Math.round(departUs)],
  ['direction', ({ direction }) => direction],
  ['page', ({ page }) => page ?? ''],
  ['flow', ({ flow }) => flow],
  ['size_bytes', ({ sizeBytes }) => sizeBytes],
  ['queue_delay_us', ({ queueDelayUs }) => (Number.isNaN(queueDelayUs) ? '' : Math.round(queueDelayUs))],
  ['dropped', ({ dropped }) => dropped ?? ''],
];

/** A line for each packet, below a line of names. Times in microseconds since the record's origin. */
export function linkCsv(packets: readonly LinkPacket[]): string {
  const rows = packets.map((packet) => COLUMNS.map(([, cell]) => cell(packet)).join(','));
  return `${[COLUMNS.map(([name]) => name).join(','), ...rows].join('\r\n')}\r\n`;
}
