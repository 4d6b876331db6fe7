/**
 * The packets that leave a link's bottleneck, as a packet capture (pcap-savefile(5)) for tools that read such files.
 * The record contains the times, sizes and flows of packets, but no payloads. The file therefore contains only the
 * IPv4 and UDP headers of each packet and its true length, as in a capture with a short snapshot length. Addresses
 * and ports are made up. For flow 256 x + y (numbered by the relay), 10.x.y.1 is the offerer and 10.x.y.2 is the
 * answerer. The port identifies the link: 50000 is the shared link, 50001 the first page's own link, and so on.
 * Dropped packets never left the bottleneck, so they are not in the capture.
 */
import type { LinkPacket } from './link_packets.js';

/** Little-endian, timestamps in nanoseconds. */
const MAGIC = 0xa1b23c4d;
/** Packets begin with their IP header. */
const LINKTYPE_RAW = 101;
const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
const IPV4_BYTES = 20;
const UDP_BYTES = 8;
const KEPT_BYTES = IPV4_BYTES + UDP_BYTES;
const DONT_FRAGMENT = 0x4000;
const TTL = 64;
const UDP = 17;
const SHARED_LINK_PORT = 50_000;

const addressOf = (flow: number, host: 1 | 2): number => (10 << 24) | ((flow & 0xffff) << 8) | host;

/** The checksum (RFC 1071) of a header whose checksum field is 0. */
function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < header.length; at += 2) sum += header.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

function writeFileHeader(bytes: Buffer): void {
  bytes.writeUInt32LE(MAGIC, 0);
  // Version 2.4.
  bytes.writeUInt16LE(2, 4);
  bytes.writeUInt16LE(4, 6);
  bytes.writeUInt32LE(KEPT_BYTES, 16);
  bytes.writeUInt32LE(LINKTYPE_RAW, 20);
}

function writeRecordHeader(bytes: Buffer, { departUs, sizeBytes }: LinkPacket, originEpochMs: number): void {
  // Seconds and nanoseconds separately: nanoseconds since 1970 exceed a double's precision.
  const ns = (originEpochMs % 1000) * 1e6 + Math.round(departUs * 1e3);
  const seconds = Math.floor(ns / 1e9);
  bytes.writeUInt32LE(Math.floor(originEpochMs / 1000) + seconds, 0);
  bytes.writeUInt32LE(ns - seconds * 1e9, 4);
  bytes.writeUInt32LE(KEPT_BYTES, 8);
  bytes.writeUInt32LE(sizeBytes, 12);
}

function writePacket(bytes: Buffer, { direction, flow, page, sizeBytes }: LinkPacket, id: number): void {
  const [from, to] = direction === 'forward' ? ([1, 2] as const) : ([2, 1] as const);
  const port = page === null ? SHARED_LINK_PORT : SHARED_LINK_PORT + 1 + page;
  bytes.writeUInt8((4 << 4) | (IPV4_BYTES / 4), 0);
  bytes.writeUInt16BE(sizeBytes, 2);
  bytes.writeUInt16BE(id & 0xffff, 4);
  bytes.writeUInt16BE(DONT_FRAGMENT, 6);
  bytes.writeUInt8(TTL, 8);
  bytes.writeUInt8(UDP, 9);
  bytes.writeInt32BE(addressOf(flow, from), 12);
  bytes.writeInt32BE(addressOf(flow, to), 16);
  bytes.writeUInt16BE(checksum(bytes.subarray(0, IPV4_BYTES)), 10);
  bytes.writeUInt16BE(port, 20);
  bytes.writeUInt16BE(port, 22);
  // UDP's checksum stays 0. Over IPv4, 0 means that the sender computed no checksum.
  bytes.writeUInt16BE(sizeBytes - IPV4_BYTES, 24);
}

/** The bytes of the file. A packet's timestamp is the time at which its last bit left the bottleneck. */
export function linkPcap(packets: readonly LinkPacket[], originEpochMs: number): Buffer {
  const passed = packets.filter(({ dropped }) => dropped === null);
  const bytes = Buffer.alloc(FILE_HEADER_BYTES + passed.length * (RECORD_HEADER_BYTES + KEPT_BYTES));
  writeFileHeader(bytes);
  for (const [i, packet] of passed.entries()) {
    const at = FILE_HEADER_BYTES + i * (RECORD_HEADER_BYTES + KEPT_BYTES);
    writeRecordHeader(bytes.subarray(at), packet, originEpochMs);
    writePacket(bytes.subarray(at + RECORD_HEADER_BYTES), packet, i);
  }
  return bytes;
}
