/** Files with every packet of a call at its link. */
import type { CallRecord } from '../calls/record/record.js';
import type { EvidenceFile } from './files.js';
import { linkCsv } from './link_csv.js';
import { linkPackets } from './link_packets.js';
import { linkPcap } from './link_pcap.js';

export const CAPTURES = ['off', 'csv', 'pcap', 'both'] as const;
export type LinkCapture = (typeof CAPTURES)[number];

/** The files that are asked for. */
export function linkCaptureFiles(record: CallRecord, capture: LinkCapture): EvidenceFile[] {
  if (capture === 'off') return [];
  const packets = linkPackets(record);
  const csv = { name: 'link.csv', contentType: 'text/csv', body: Buffer.from(linkCsv(packets)) };
  const body = linkPcap(packets, record.originEpochMs);
  const pcap = { name: 'link.pcap', contentType: 'application/vnd.tcpdump.pcap', body };
  return capture === 'both' ? [csv, pcap] : capture === 'csv' ? [csv] : [pcap];
}
