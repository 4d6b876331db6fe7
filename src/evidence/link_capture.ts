/** Files that contain every packet of a call at its link. */
import type { CallRecord } from '../calls/record/record.js';
import type { EvidenceFile } from './files.js';
import { linkPackets, type LinkPacket } from './link_packets.js';
import { linkPcap } from './link_pcap.js';

export const CAPTURES = ['off', 'csv', 'pcap', 'both'] as const;
export type LinkCapture = (typeof CAPTURES)[number];

/** The files that `capture` requests. */
export function linkCaptureFiles(record: CallRecord, capture: LinkCapture): EvidenceFile[] {
  if (capture === 'off') return [];
  const packets = linkPackets(record);
  const csv = { name: 'link.csv', contentType: 'text/csv', body: Buffer.from(linkCsv(packets)) };
  const body = linkPcap(packets, record.originEpochMs);
  const pcap = { name: 'link.pcap', contentType: 'application/vnd.tcpdump.pcap', body };
  return capture === 'both' ? [csv, pcap] : capture === 'csv' ? [csv] : [pcap];
}

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

/**
 * CSV (RFC 4180): a header line and a line for each packet, including dropped ones. Times are in microseconds
 * since the record's origin.
 */
function linkCsv(packets: readonly LinkPacket[]): string {
  const rows = packets.map((packet) => COLUMNS.map(([, cell]) => cell(packet)).join(','));
  return `${[COLUMNS.map(([name]) => name).join(','), ...rows].join('\r\n')}\r\n`;
}
