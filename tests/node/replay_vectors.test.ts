/**
 * Replays the packets of reference vectors (see tests/vectors/README.md) through the command line and
 * compares what the filter and the detector made of them.
 */
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { ccscope, rows, scratch } from './support.js';

interface Vector {
  packets: [sendUs: number, absSendTime: number, arrivalMs: number, size: number][];
  group_fields: string[];
  groups: number[][];
}

const STATES = ['normal', 'underuse', 'overuse'];
const { write } = scratch();

function vector(name: string): Vector {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as Vector;
}

function trace(packets: Vector['packets'], sendTime: (abs: number) => object): string {
  const arrivals = packets.map(([, abs, arrivalMs, size], seq) => ({
    type: 'arrival',
    flow: 0,
    seq,
    arrival_time_us: arrivalMs * 1000,
    size_bytes: size,
    ...sendTime(abs),
  }));
  const header = { ccscope_trace: 1, created: '2026-01-31T12:00:00Z', source: 'reference', clock: 'receiver' };
  return [header, ...arrivals].map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Send times in microseconds from the 24-bit clock, which wraps every 64 s. */
function unwrapper(): (abs: number) => object {
  let high = 0;
  let last = 0;
  return (abs) => {
    if (abs < last - 2 ** 23) high += 2 ** 24;
    last = abs;
    return { send_time_us: ((high + abs) * 1e6) / 2 ** 18 };
  };
}

describe.each(['B_overload_drain', 'D_jitter_sd3', 'H_spike_and_step'])('%s', (name) => {
  const { packets, group_fields, groups } = vector(name);
  const at = (field: string): number => group_fields.indexOf(field);
  const sendTimes: [string, (abs: number) => object][] = [
    ['send_time_us', unwrapper()],
    ['abs_send_time', (abs) => ({ abs_send_time: abs })],
  ];

  it.each(sendTimes)('gives the same m, gamma and signals from %s', async (kind, sendTime) => {
    const file = write(`${name}-${kind}.ndjson`, trace(packets, sendTime));
    const outcome = await ccscope(['replay', file, '--preset', 'libwebrtc-2016-08', '--rows', 'group']);
    expect(outcome.stderr).toBe('');
    expect(outcome.status).toBe(0);
    const replayed = rows(outcome.stdout);
    expect(replayed.length).toBe(groups.length);
    groups.forEach((group, index) => {
      const row = replayed[index];
      const value = (field: string): number => group[at(field)] ?? NaN;
      const where = `group ${index}`;
      expect(row?.['time_us'], where).toBe(value('now_ms') * 1000);
      expect(row?.['signal'], where).toBe(STATES[value('state')]);
      expect(Math.abs(Number(row?.['m_ms']) - value('m_ms')), where).toBeLessThanOrEqual(1e-6);
      expect(Math.abs(Number(row?.['gamma_ms']) - value('gamma_ms')), where).toBeLessThanOrEqual(1e-4);
    });
  });
});
