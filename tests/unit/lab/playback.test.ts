import { beforeAll, describe, expect, it } from 'vitest';

import { valuesOf } from '../../../src/app/lab/playback/parameter_values.js';
import { gccEquations } from '../../../src/app/lab/playback/equations.js';
import { momentOf } from '../../../src/app/lab/playback/moment.js';
import { packetsAt } from '../../../src/app/lab/playback/packet_picture.js';
import { loadCore } from '../../../src/core/index.js';
import { parseScenario, runCell } from '../../../src/scenario/index.js';
import { TraceData } from '../../../src/trace/index.js';

const DURATION_S = 40;
const WAY_MS = 25;
const WAYS = { wayUs: WAY_MS * 1e3, backUs: WAY_MS * 1e3, calls: new Set([0]) };
const scenario = parseScenario({
  ccscope_scenario: 1,
  id: 'inside',
  title: 'Inside',
  description: 'Two calls and TCP.',
  duration_s: DURATION_S,
  forward: { capacity: '2mbps', queue: 'droptail:200ms', one_way_delay_ms: WAY_MS },
  flows: [
    { kind: 'media', name: 'call', preset: 'gcc' },
    { kind: 'tcp', name: 'tcp', start_s: 10 },
  ],
});
const trace = new TraceData();
const store = { view: (query: Parameters<TraceData['view']>[0]) => Promise.resolve(trace.view(query)) };

beforeAll(async () => {
  const tables = ['group', 'rate', 'queue', 'packet', 'arrival', 'feedback'] as const;
  const { batches } = runCell(await loadCore(), scenario, {}, 1, {
    trace: { tables: [...tables], intervalUs: 20e3 },
  });
  for (const batch of batches) trace.append(batch);
});

describe('packets at a moment', () => {
  const rows = () => ({
    packets: trace.view({
      table: 'packet',
      columns: ['flow', 'offered_us', 'size_bytes', 'dropped'],
      where: { column: 'link', value: 0 },
    }).columns,
    arrivals: trace.view({
      table: 'arrival',
      columns: ['flow', 'send_time_us', 'rtp_timestamp', 'size_bytes'],
    }).columns,
    feedback: trace.view({ table: 'feedback', columns: ['flow'] }).columns,
  });

  it('has as many bytes in the queue as the simulator says', () => {
    const { columns } = trace.view({
      table: 'queue',
      columns: ['queue_bytes'],
      where: { column: 'link', value: 0 },
    });
    const all = rows();
    let compared = 0;
    columns['time_us']?.forEach((timeUs, row) => {
      if (row % 20 !== 0) return;
      const waiting = packetsAt({ timeUs, ...WAYS, ...all }).filter(({ where }) => where === 'queue');
      const bytes = waiting.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const told = columns['queue_bytes']?.[row] ?? NaN;
      // The sum includes the packet that is being transmitted. The simulator's number `queue_bytes` does not
      // include this packet.
      expect(bytes).toBeGreaterThanOrEqual(told);
      expect(bytes - told).toBeLessThanOrEqual(1500);
      compared += 1;
    });
    expect(compared).toBeGreaterThan(50);
  });

  it('puts them in the order in which they leave, each once', () => {
    const packets = packetsAt({ timeUs: 30e6, ...WAYS, ...rows() });
    const queue = packets.filter(({ where }) => where === 'queue');
    expect(queue.length).toBeGreaterThan(5);
    queue.reduce((ahead, { at, sizeBytes }) => {
      expect(at).toBe(ahead);
      return ahead + sizeBytes;
    }, 0);
    for (const { where, at } of packets) if (where !== 'queue') expect(at >= 0 && at <= 1).toBe(true);
  });

  it('has each feedback message on its way back for the delay of that way', () => {
    const { feedback, ...others } = rows();
    const sentUs = feedback['time_us']?.find((us) => us > 30e6) ?? NaN;
    const back = (timeUs: number) =>
      packetsAt({ timeUs, ...WAYS, ...others, feedback }).filter(({ where }) => where === 'back');
    const agoUs = WAYS.backUs / 4;
    expect(back(sentUs + agoUs)).toContainEqual({ flow: 0, sizeBytes: 96, where: 'back', at: 0.25 });
    expect(back(sentUs).some(({ at }) => at === 0)).toBe(true);
    expect(back(sentUs - 1).some(({ at }) => at === 0)).toBe(false);
    expect(back(sentUs + WAYS.backUs).every(({ at }) => at < 1)).toBe(true);
    const calls = new Set([1]);
    const elsewhere = packetsAt({ timeUs: sentUs, ...WAYS, ...others, feedback, calls });
    expect(elsewhere.some(({ where }) => where === 'back')).toBe(false);
  });
});

describe('equations with their values', () => {
  const call = { flow: 0, name: 'call', kind: 'media', direction: 'forward', controller: 'gcc' } as const;
  const value = valuesOf(scenario, call);
  /** The number of ms after the last equals sign in the text of an equation. */
  const outcome = (text: string): number =>
    Number(/= \(?([−\d.]+) ms\)?$/.exec(text)?.[1]?.replace('−', '-'));

  it('come out as the text says, at every moment', async () => {
    let compared = 0;
    for (let s = 2; s < DURATION_S; s += 0.37) {
      const moment = await momentOf(store, 'gcc', 0, s * 1e6);
      const text = Object.fromEntries(gccEquations(moment, value).map((each) => [each.title, each.values]));
      const group = moment.rows.group;
      if (group?.before === undefined) continue;
      const { now, before } = group;
      expect(outcome(text['One-way delay variation'] ?? '')).toBeCloseTo(now['delay_variation_ms'] ?? NaN, 0);
      // Eq. 11 and 12 of ToN, computed from the rows themselves.
      const last = before['gamma_ms'] ?? NaN;
      const magnitude = Math.abs(now['detector_input_ms'] ?? NaN);
      const elapsedMs = Math.min(100, ((now['time_us'] ?? NaN) - (before['time_us'] ?? NaN)) / 1e3);
      const gain = magnitude < last ? value('k_d') : value('k_u');
      const next = magnitude > last + 15 ? last : last + elapsedMs * gain * (magnitude - last);
      expect(now['gamma_ms']).toBeCloseTo(Math.min(600, Math.max(6, next)), 6);
      const told = /([\d.]+) ms$/.exec(text['Adaptive threshold'] ?? '')?.[1];
      expect(Math.abs(Number(told) - (now['gamma_ms'] ?? NaN))).toBeLessThanOrEqual(0.05);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(50);
  });
});
