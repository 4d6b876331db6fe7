/**
 * If other traffic shares the bottleneck, the explanations of drops in the target rate must name this traffic.
 */
import { beforeAll, expect, it } from 'vitest';

import { loadCore, type Core, type FlowOptions } from '../../../src/core/index.js';
import { explained, targetChanges, type TargetChange } from '../../../src/reasons/index.js';
import { TraceData } from '../../../src/trace/index.js';
import { addRow } from './support.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const CAPACITY_BPS = 1e6;
const TCP_FROM_US = 30e6;
const CALL: FlowOptions = { kind: 'media', name: 'call', preset: 'gcc' };
const TCP: FlowOptions = { kind: 'tcp', name: 'download', startUs: TCP_FROM_US };

/** Simulates a minute on one link. Returns the trace, and the changes of flow 0's target. */
function run(flows: readonly FlowOptions[]): { trace: TraceData; changes: readonly TargetChange[] } {
  const simulation = core.createSimulation({
    durationUs: 60e6,
    forward: { capacityBps: CAPACITY_BPS, oneWayDelayUs: 25e3 },
    flows: [...flows],
    trace: { tables: ['group', 'rate', 'queue', 'throughput'], intervalUs: 200e3 },
  });
  simulation.runUntil(Infinity);
  const trace = new TraceData();
  for (const batch of simulation.drain()) trace.append(batch);
  simulation.destroy();
  const header = { flows: flows.map((flow, number) => ({ flow: number, ...flow })) };
  return { trace, changes: targetChanges(trace, { flow: 0, link: 0, header }) };
}

const sharingOf = (flows: readonly FlowOptions[]) =>
  explained(run(flows).trace, {
    flow: 0,
    link: 0,
    header: { flows: flows.map((flow, number) => ({ flow: number, ...flow })) },
  }).sharing;

const named = (changes: readonly TargetChange[]) =>
  changes.filter(({ evidence }) => evidence['other_flows_received_bps'] !== undefined);

it('falls beside a download name its rate, and no change before it does', () => {
  const { trace, changes } = run([CALL, TCP]);
  const beside = named(changes);
  expect(beside.some(({ shape, kind }) => shape === 'fall' && kind === 'overuse')).toBe(true);
  expect(beside.every(({ toUs }) => toUs > TCP_FROM_US)).toBe(true);
  const { time_us: time, received_bps: received } = trace.view({
    table: 'throughput',
    columns: ['received_bps'],
    where: { column: 'flow', value: 1 },
  }).columns;
  for (const { text, shape, fromUs, toUs, evidence } of beside) {
    expect(text).toMatch(/while download takes [\d.]+ [kM]bps of 1 Mbps/);
    expect(['fall', 'decline']).toContain(shape);
    // The reported rate is the download's mean rate during the change. For a change of less than a second, it is
    // the mean over the second before the end of the change.
    const from = Math.min(fromUs, toUs - 1e6);
    const rows = [...(received ?? [])].filter((_, i) => (time?.[i] ?? 0) > from && (time?.[i] ?? 0) <= toUs);
    const mean = rows.reduce((sum, bps) => sum + bps, 0) / rows.length;
    expect(evidence['other_flows_received_bps']).toBeCloseTo(mean, 3);
    expect(mean).toBeGreaterThanOrEqual(0.2 * CAPACITY_BPS);
    expect(mean).toBeLessThanOrEqual(1.1 * CAPACITY_BPS);
  }
});

it('several flows are counted, and those of the other direction are not', () => {
  const { changes } = run([CALL, TCP, { ...TCP, name: 'second' }]);
  expect(named(changes).some(({ text }) => text.includes('while 2 other flows take'))).toBe(true);
  const upload: FlowOptions = { ...TCP, direction: 'backward' };
  expect(named(run([CALL, upload]).changes)).toEqual([]);
});

it('a call alone, and a flow that takes less than a fifth of the capacity, are not explained by other traffic', () => {
  expect(named(run([CALL]).changes)).toEqual([]);
  const header = {
    flows: [
      { flow: 0, kind: 'media' },
      { flow: 1, kind: 'tcp' },
    ],
  };
  const besideOf = (bps: number) => {
    const trace = new TraceData();
    for (let i = 0; i < 60; i++) {
      addRow(trace, 'rate', { time_us: i * 100e3, target_bps: i < 30 ? 1e6 : 0.5e6 });
      addRow(trace, 'queue', { link: 0, time_us: i * 100e3, capacity_bps: CAPACITY_BPS });
      addRow(trace, 'throughput', { flow: 1, time_us: i * 100e3, received_bps: bps });
    }
    return named(targetChanges(trace, { flow: 0, header }));
  };
  expect(besideOf(0.19 * CAPACITY_BPS)).toEqual([]);
  expect(besideOf(0.21 * CAPACITY_BPS).map(({ text }) => text)).toContainEqual(
    expect.stringContaining('while flow 1 takes 210 kbps of 1 Mbps on average, target × 0.50'),
  );
});

it('how the link is shared at the end is told with the rates of both', () => {
  const live: FlowOptions = { ...CALL, preset: 'gcc-live', live: {} };
  const beside = sharingOf([live, TCP]);
  expect(beside).toMatchObject({
    flows: ['download'],
    capacityBps: CAPACITY_BPS,
    isCompeting: true,
    isOwnReceived: true,
    averagedS: 5,
  });
  expect(beside?.receivedBps).toBeGreaterThan(0.2 * CAPACITY_BPS);
  // The two flows together receive at most the capacity.
  expect((beside?.receivedBps ?? NaN) + (beside?.ownBps ?? NaN)).toBeGreaterThan(0.7 * CAPACITY_BPS);
  expect((beside?.receivedBps ?? NaN) + (beside?.ownBps ?? NaN)).toBeLessThan(1.02 * CAPACITY_BPS);
  expect(sharingOf([CALL, TCP])).toMatchObject({ isCompeting: false });
  // LCC’s receiver measures no rate.
  expect(sharingOf([{ ...CALL, controller: 'lcc', preset: 'lcc' }, TCP])).toMatchObject({
    isOwnReceived: false,
  });
  expect(sharingOf([live])).toBeNull();
});

it('what a controller recorded before it was replaced says nothing of the end', () => {
  const trace = new TraceData();
  for (let i = 0; i < 300; i++) {
    const time_us = i * 100e3;
    addRow(trace, 'rate', { flow: 0, time_us, target_bps: 400e3, sent_bps: 450e3 });
    addRow(trace, 'queue', { link: 0, time_us, capacity_bps: CAPACITY_BPS });
    addRow(trace, 'throughput', { flow: 1, time_us, received_bps: 600e3 });
    if (i < 150) addRow(trace, 'group', { flow: 0, time_us, received_rate_bps: 200e3, competing: 1 });
    else if (i < 200) addRow(trace, 'nada', { flow: 0, time_us, received_rate_bps: 300e3 });
  }
  const query = {
    flow: 0,
    link: 0,
    header: { flows: [CALL, TCP].map((flow, number) => ({ flow: number, ...flow })) },
  };
  expect(explained(trace, query).sharing).toMatchObject({
    ownBps: 450e3,
    isOwnReceived: false,
    isCompeting: false,
  });
  for (let i = 0; i < 10; i++)
    addRow(trace, 'nada', { flow: 0, time_us: 29e6 + i * 50e3, received_rate_bps: 350e3 });
  expect(explained(trace, query).sharing).toMatchObject({ ownBps: 350e3, isOwnReceived: true });
});

it('a live call beside a download says that losses alone decide, and falls to alpha times its rate', () => {
  const { trace, changes } = run([{ ...CALL, preset: 'gcc-live', live: {} }, TCP]);
  const falls = changes.filter(({ text }) => text.includes('which another flow keeps full'));
  expect(falls.length).toBeGreaterThan(1);
  for (const { text, kind, fromUs, fromBps, toBps } of falls) {
    expect(text).toMatch(/loss: a packet was lost in the queue, which another flow keeps full/);
    expect(kind).toBe('loss');
    expect(fromUs).toBeGreaterThan(TCP_FROM_US);
    // The parameter alpha is 0.85. Between the report of a loss and the reaction to this loss, the rate does not
    // change.
    expect(toBps / fromBps).toBeCloseTo(0.85, 1);
  }
  expect(changes.some(({ text }) => text.includes('so A_r grows until packets are lost'))).toBe(true);
  const { time_us: timeUs, competing } = trace.view({ table: 'group', columns: ['competing'] }).columns;
  const first = [...(competing ?? [])].indexOf(1);
  expect(timeUs?.[first]).toBeGreaterThan(TCP_FROM_US + 3e6);
});

it('a fall with what is received, without losses, is not called a loss beside another flow', () => {
  // The bound of gcc-live: 1.5 times the received rate, plus 10 kbps.
  for (const [fraction_lost, kind] of [
    [0, 'application-limited'],
    [0.02, 'loss'],
  ] as const) {
    const trace = new TraceData();
    for (let i = 0; i < 40; i++) {
      const receivedBps = i < 20 ? 400e3 : 100e3;
      const rates = { a_r_bps: i < 20 ? 400e3 : 160e3, received_rate_bps: receivedBps };
      addRow(trace, 'group', { time_us: i * 100e3, competing: 1, state: i === 20 ? 2 : 1, ...rates });
      const { a_r_bps } = rates;
      addRow(trace, 'rate', {
        time_us: i * 100e3,
        a_r_bps,
        a_s_bps: a_r_bps,
        target_bps: a_r_bps,
        fraction_lost,
      });
    }
    const header = { flows: [{ flow: 0, ...CALL, preset: 'gcc-live' }] };
    const falls = targetChanges(trace, { flow: 0, link: null, header }).filter(
      ({ shape }) => shape === 'fall',
    );
    expect(falls.map((fall) => fall.kind)).toEqual([kind]);
  }
});
