/**
 * Captures of a link, read back as their formats specify: pcap-savefile(5), RFC 791 (IPv4), RFC 768 (UDP), RFC 1071
 * (the checksum), RFC 4180 (CSV).
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { linkCaptureFiles } from '../../../src/evidence/link_capture.js';
import { checkChoices, DEFAULTS } from '../../../src/playwright/options.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import { direction } from '../judge/synthetic.js';
import { syntheticCall } from './synthetic_record.js';

const ORIGIN_MS = Date.UTC(2026, 0, 31, 12, 0, 0, 250);
let record: CallRecord;

/**
 * Extends the synthetic call: its second page gets its own link, over which one packet of flow 300 passes.
 */
beforeAll(async () => {
  const call = await syntheticCall();
  const { link } = call;
  if (link === null) throw new Error('no link');
  const backward = direction([{ departS: 40.9, flow: 300, sizeBytes: 1228 }], [{ atS: 0, bps: 1e6 }]);
  const own = { page: 1, changes: [], forward: null, backward };
  record = { ...call, originEpochMs: ORIGIN_MS, link: { ...link, own: [own] } };
});

const file = (name: string): Buffer =>
  linkCaptureFiles(record, 'both').find((one) => one.name === name)?.body ?? Buffer.alloc(0);

interface Read {
  epochNs: bigint;
  kept: number;
  length: number;
  from: string;
  to: string;
  ports: number[];
}

const address = (bytes: Buffer, at: number): string => [...bytes.subarray(at, at + 4)].join('.');

/** The ones' complement sum of a header's 16-bit words. It is all ones if the header's checksum is right. */
function onesSum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < header.length; at += 2) sum += header.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum % 0x10000) + Math.floor(sum / 0x10000);
  return sum;
}

function readPcap(bytes: Buffer): Read[] {
  expect(bytes.readUInt32LE(0).toString(16)).toBe('a1b23c4d'); // nanoseconds
  expect([bytes.readUInt16LE(4), bytes.readUInt16LE(6)]).toEqual([2, 4]);
  expect(bytes.readUInt32LE(20)).toBe(101); // LINKTYPE_RAW
  const snapshot = bytes.readUInt32LE(16);
  const found: Read[] = [];
  let at = 24;
  while (at < bytes.length) {
    const [seconds, ns] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    const [kept, length] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
    expect(ns).toBeLessThan(1e9);
    expect(kept).toBe(Math.min(snapshot, length));
    const packet = bytes.subarray(at + 16, at + 16 + kept);
    expect(packet[0]).toBe(0x45); // version 4, a header of 5 words
    expect(packet.readUInt16BE(2)).toBe(length);
    expect(packet[9]).toBe(17); // UDP
    expect(onesSum(packet.subarray(0, 20))).toBe(0xffff);
    expect(packet.readUInt16BE(24)).toBe(length - 20);
    found.push({
      epochNs: BigInt(seconds) * 1_000_000_000n + BigInt(ns),
      kept,
      length,
      from: address(packet, 12),
      to: address(packet, 16),
      ports: [packet.readUInt16BE(20), packet.readUInt16BE(22)],
    });
    at += 16 + kept;
  }
  expect(at).toBe(bytes.length);
  return found;
}

const csvRows = (): Record<string, string>[] => {
  const [head = '', ...lines] = file('link.csv').toString().trimEnd().split('\r\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i] ?? '', cell])));
};

describe('the capture', () => {
  it('has every packet that passed, at its departure, with its length and headers alone', () => {
    const packets = readPcap(file('link.pcap'));
    const passed = csvRows().filter(({ dropped }) => dropped === '');
    expect(packets.length).toBe(passed.length);
    expect(packets.length).toBeGreaterThan(1000);
    for (const [i, row] of passed.entries()) {
      const packet = packets[i];
      expect(packet?.kept).toBe(28);
      expect(packet?.length).toBe(Number(row['size_bytes']));
      const sinceUs = Number((packet?.epochNs ?? 0n) - BigInt(ORIGIN_MS) * 1_000_000n) / 1e3;
      expect(Math.abs(sinceUs - Number(row['depart_us']))).toBeLessThanOrEqual(0.5);
    }
  });

  it('tells directions, connections and links apart by addresses and ports', () => {
    const packets = readPcap(file('link.pcap'));
    expect(packets[0]).toMatchObject({ from: '10.0.1.1', to: '10.0.1.2', ports: [50_000, 50_000] });
    expect(packets.at(-1)).toMatchObject({ from: '10.1.44.2', to: '10.1.44.1', ports: [50_002, 50_002] });
    expect(packets.at(-1)?.length).toBe(1228);
  });
});

describe('the table', () => {
  it('has every packet in order, those that were dropped with their reason', () => {
    const rows = csvRows();
    const times = rows.map((row) => Number(row['depart_us']));
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    const dropped = rows.filter((row) => row['dropped'] !== '');
    const { forward, backward } = record.link ?? {};
    const reasons = [forward, backward].flatMap((one) => [
      ...(one?.packets.reason.subarray(0, one.packets.rows) ?? []),
    ]);
    expect(dropped.length).toBe(reasons.filter((reason) => reason !== 0).length);
    expect(new Set(dropped.map((row) => row['dropped']))).toContain('queue-full');
    expect(dropped.every((row) => row['queue_delay_us'] === '')).toBe(true);
    expect(rows.at(-1)).toEqual({
      time_us: String(40.9e6 - 1228 * 8),
      ...{ depart_us: '40900000', direction: 'backward', page: '1', flow: '300' },
      ...{ size_bytes: '1228', queue_delay_us: '0', dropped: '' },
    });
    expect(rows[0]?.['page']).toBe('');
  });
});

describe('the option', () => {
  it('says which files there are', () => {
    const names = (capture: 'off' | 'csv' | 'pcap' | 'both'): string[] =>
      linkCaptureFiles(record, capture).map(({ name }) => name);
    expect([names('off'), names('csv'), names('pcap')]).toEqual([[], ['link.csv'], ['link.pcap']]);
    expect(names('both')).toEqual(['link.csv', 'link.pcap']);
  });

  it('is refused where it is misspelt, or nobody sees the packets', () => {
    const check = (linkCapture: string, linkBackend: 'shaper' | 'devtools'): (() => void) => {
      return () => checkChoices({ ...DEFAULTS, linkCapture: linkCapture as 'csv', linkBackend });
    };
    expect(check('pcpa', 'shaper')).toThrow(/^linkCapture: expected off, csv, pcap, both, got "pcpa"/);
    expect(check('csv', 'devtools')).toThrow(/^linkCapture: expected off, since the devtools backend/);
    expect(check('off', 'devtools')).not.toThrow();
    expect(check('both', 'shaper')).not.toThrow();
  });

  it('is refused where it is misspelt, as are the other options that are one of several words', () => {
    const check = (options: object): (() => void) => {
      return () => checkChoices({ ...DEFAULTS, ...options });
    };
    expect(check({ linkBackend: 'devtool' })).toThrow(
      /^linkBackend: expected shaper, devtools, got "devtool"/,
    );
    expect(check({ frameTiming: 'getstats' })).toThrow(
      /^frameTiming: expected auto, transform, getStats, got "getstats"/,
    );
    expect(check({ evidence: 'on-fail' })).toThrow(
      /^evidence: expected on-failure, always, off, got "on-fail"/,
    );
    for (const options of [
      ...[{}, { linkBackend: 'devtools' }, { frameTiming: 'transform' }, { frameTiming: 'getStats' }],
      ...[{ evidence: 'always' }, { evidence: 'off' }],
    ])
      expect(check(options)).not.toThrow();
  });
});
