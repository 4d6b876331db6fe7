import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import {
  CoreError,
  DROP_REASONS,
  loadCore,
  SCHEMA,
  type Core,
  type FlowOptions,
  type Simulation,
  type SimulationOptions,
  type TraceBatch,
} from '../../src/core/index.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const made: Simulation[] = [];
afterEach(() => made.splice(0).forEach((simulation) => simulation.destroy()));

const MEDIA: FlowOptions = { kind: 'media' };
const TCP: FlowOptions = { kind: 'tcp' };

function simulation(options: Partial<SimulationOptions> = {}): Simulation {
  const created = core.createSimulation({
    durationUs: 20e6,
    forward: { capacityBps: 1e6, oneWayDelayUs: 25e3 },
    flows: [MEDIA],
    ...options,
  });
  made.push(created);
  return created;
}

function finished(options: Partial<SimulationOptions> = {}): Simulation {
  const run = simulation(options);
  run.runUntil(Infinity);
  return run;
}

/** The CoreError that is thrown when a simulation with these options is made. */
function refusal(options: Partial<SimulationOptions>): CoreError {
  try {
    simulation(options);
  } catch (error) {
    if (error instanceof CoreError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const media = (options: object): Partial<SimulationOptions> => ({
  flows: [TCP, { ...MEDIA, ...options }],
});
const tcp = (options: object): Partial<SimulationOptions> => ({
  flows: [MEDIA, { ...TCP, ...options }],
});
const forward = (options: object): Partial<SimulationOptions> => ({
  forward: { capacityBps: 1e6, ...options },
});

describe('what a simulation refuses', () => {
  const cases: [field: string, Partial<SimulationOptions>][] = [
    ['durationUs', { durationUs: 0 }],
    ['durationUs', { durationUs: NaN }],
    ['rateIntervalUs', { rateIntervalUs: 10 }],
    ['seed', { seed: 1.5 }],
    ['maxEvents', { maxEvents: 0 }],
    ['forward.capacityBps', forward({ capacityBps: -1 })],
    ['forward.burstBytes', forward({ burstBytes: 0 })],
    ['forward.bottleneck', forward({ bottleneck: 'leaky' })],
    ['forward.oneWayDelayUs', forward({ oneWayDelayUs: -1 })],
    ['forward.lossRatio', forward({ lossRatio: 1.01 })],
    ['forward.burstLossPackets', forward({ burstLossPackets: 0.5 })],
    ['forward.jitterUs', forward({ jitterUs: Infinity })],
    ['forward.queue.kind', forward({ queue: { kind: 'no-such-queue' } })],
    ['forward.queue.limitMs', forward({ queue: { kind: 'droptail', limitMs: -3 } })],
    ['forward.queue.limitPackets', forward({ queue: { kind: 'droptail', limitPackets: 0 } })],
    ['forward.queue.targetMs', forward({ queue: { kind: 'codel', targetMs: 0 } })],
    ['forward.queue.preset', forward({ queue: { kind: 'pie', preset: 'pastry' } })],
    ['forward.schedule.0.atUs', forward({ schedule: [{ atUs: -1, capacityBps: 1e6 }] })],
    ['forward.schedule.0.capacityBps', forward({ schedule: [{ atUs: 1, capacityBps: 0.5 }] })],
    [
      'forward.schedule.1.atUs',
      forward({
        schedule: [
          { atUs: 5, capacityBps: 1e6 },
          { atUs: 4, capacityBps: 1e6 },
        ],
      }),
    ],
    ['backward.schedule.0.capacityBps', { backward: { schedule: [{ atUs: 0, capacityBps: 1e6 }] } }],
    ['backward.capacityBps', { backward: { capacityBps: 1e12 } }],
    ['windows.1.endUs', { windows: [1, -1].map((us) => ({ name: 'w', beginUs: 0, endUs: us })) }],
    ['windows.0.beginUs', { windows: [{ name: 'w', beginUs: -1, endUs: 1 }] }],
    ['windows', { windows: Array.from({ length: 65 }, () => ({ name: 'w', beginUs: 0, endUs: 1 })) }],
    ['flows.1.kind', media({ kind: 'quic' })],
    ['flows.1.controller', media({ controller: 'bbr' })],
    ['flows.1.preset', media({ preset: 'none' })],
    ['flows.1.direction', media({ direction: 'up' })],
    ['flows.1.startUs', media({ startUs: -1 })],
    ['flows.1.stopUs', media({ startUs: 5, stopUs: 4 })],
    ['flows.1.stopUs', media({ stopUs: NaN })],
    ['flows.1.extraDelayUs', tcp({ extraDelayUs: 61e6 })],
    ['flows.1.source.payload_bytes', media({ source: { payload_bytes: 0 } })],
    ['flows.1.source.payload_bytes', media({ source: { payload_bytes: 1, max_bitrate_bps: 1e9 } })],
    ['flows.1.source.fps', media({ source: { fps: 30 } })],
    ['flows.1.parameters.alpha', media({ parameters: { alpha: 2 } })],
    ['flows.1.parameters.omega', media({ parameters: { omega: 1 } })],
    ['flows.1.pauses', media({ pauses: [{ fromUs: 2, toUs: 1 }] })],
    ['flows.1.congestionControl', tcp({ congestionControl: 'vegas' })],
    ['flows.1.preset', tcp({ preset: 'none' })],
    ['flows.1.parameters.segment_size_bytes', tcp({ parameters: { segment_size_bytes: 39 } })],
    ['flows.1.short.minBytes', tcp({ short: { minBytes: 0, maxBytes: 1, idleMeanUs: 0 } })],
    ['flows.1.short.maxBytes', tcp({ short: { minBytes: 2, maxBytes: 1, idleMeanUs: 0 } })],
    ['flows.1.short.idleMeanUs', tcp({ short: { minBytes: 1, maxBytes: 1, idleMeanUs: NaN } })],
    ['trace.tables', { trace: { tables: ['packets' as 'rate'] } }],
    ['trace.intervalUs', { trace: { tables: ['rate'], intervalUs: 0 } }],
  ];

  it.each(cases)('%s', (field, options) => {
    const error = refusal(options);
    expect(error.field).toBe(field);
    expect(error.message).toMatch(/^[\w.]+: \w/);
    expect(error.message.startsWith(`${field}: `)).toBe(true);
  });

  it('does not harm the next one', () => {
    const before = finished().metrics();
    for (const [, options] of cases) refusal(options);
    expect(finished().metrics()).toEqual(before);
  });
});

describe('the metrics of a simulation', () => {
  it('have the run first, then the windows, each with every flow by name', () => {
    const [run, window, ...rest] = finished({
      flows: [{ ...MEDIA, name: 'call' }, TCP, { ...TCP, direction: 'backward', startUs: 5e6 }],
      windows: [{ name: 'second half', beginUs: 10e6, endUs: 20e6 }],
    }).metrics();
    expect(rest).toEqual([]);
    expect(run).toMatchObject({ name: 'run', beginUs: 0, endUs: 20e6 });
    expect(window).toMatchObject({ name: 'second half', beginUs: 10e6, endUs: 20e6 });
    expect(run?.flows.map(({ flow, name, kind, direction }) => [flow, name, kind, direction])).toEqual([
      [0, 'call', 'media', 'forward'],
      [1, 'tcp 1', 'tcp', 'forward'],
      [2, 'tcp 2', 'tcp', 'backward'],
    ]);
  });

  it('count what is lost and sent again in a live call as goodput, once', () => {
    const ratio = (lossRatio: number): number => {
      const forward = { capacityBps: 5e6, oneWayDelayUs: 25e3, lossRatio };
      const flows = [
        {
          ...MEDIA,
          parameters: { min_bitrate_bps: 6e5, max_bitrate_bps: 6e5, start_bitrate_bps: 6e5 },
          live: {},
        },
      ];
      const [flow] = finished({ durationUs: 30e6, forward, flows }).metrics()[0]?.flows ?? [];
      return (flow?.goodputBps ?? NaN) / (flow?.receiveRateBps ?? NaN);
    };
    expect(Math.abs(ratio(0.05) - ratio(0))).toBeLessThan(0.01);
  });

  it('agree with each other', () => {
    const metrics = finished({ flows: [MEDIA, TCP] }).metrics();
    const [run] = metrics;
    if (run === undefined) throw new Error('no metrics');
    const { forward, backward, flows } = run;
    expect(forward.capacityBps).toBeCloseTo(1e6, 3);
    expect(forward.utilisation).toBeCloseTo((forward.deliveredBytes * 8) / 20e6, 9);
    expect(forward.utilisation).toBeGreaterThan(0.8);
    expect(forward.utilisation).toBeLessThanOrEqual(1);
    expect(backward.capacityBps).toBeNaN();
    expect(backward.utilisation).toBeNaN();
    expect(Object.keys(forward.drops)).toEqual(DROP_REASONS.slice(1));
    for (const flow of flows) {
      expect(flow.receivedPackets + flow.lostPackets).toBeLessThanOrEqual(flow.sentPackets);
      expect(flow.lossRatio).toBeCloseTo(flow.lostBytes / flow.sentBytes, 12);
      expect(flow.receiveRateBps).toBeCloseTo((flow.receivedBytes * 8) / 20, 6);
      expect(flow.goodputBps).toBeLessThan(flow.receiveRateBps);
      expect(flow.queueDelayUs.count).toBe(flow.receivedPackets);
      const { min, p5, p25, p50, p75, p95, p99, max } = flow.queueDelayUs;
      const inOrder = [min, p5, p25, p50, p75, p95, p99, max];
      expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
    }
    const [call, connection] = flows;
    expect(call?.rttUs.min).toBeGreaterThanOrEqual(50e3);
    expect(call?.rttUs.count).toBe(call?.probeQueueDelayUs.count);
    expect(connection?.rttUs.count).toBe(0);
    expect(connection?.rttUs.mean).toBeNaN();
    expect(connection?.targetRateBps).toBeNaN();
    expect(metrics[0]?.jain).toBe(1);
    expect(metrics[0]?.jainAll).toBeLessThan(1);
  });

  it('are those of the time that has passed', () => {
    const run = simulation();
    expect(run.metrics()[0]?.flows[0]?.sentPackets).toBe(0);
    run.runUntil(5e6);
    expect(run.nowUs).toBe(5e6);
    const half = run.metrics()[0]?.flows[0]?.sentPackets ?? NaN;
    expect(half).toBeGreaterThan(0);
    const events = run.events;
    run.runUntil(10e6);
    expect(run.metrics()[0]?.flows[0]?.sentPackets).toBeGreaterThan(half);
    expect(run.events).toBeGreaterThan(events);
    run.runUntil(1e6);
    expect(run.nowUs).toBe(10e6);
    run.runUntil(1e9);
    expect(run.nowUs).toBe(20e6);
  });
});

describe('the trace of a simulation', () => {
  const tables = SCHEMA.tables.map(({ name }) => name);
  const totals = (batches: readonly TraceBatch[]) =>
    Object.fromEntries(
      tables.map((name) => [
        name,
        batches.filter(({ table }) => table === name).reduce((sum, { rows }) => sum + rows, 0),
      ]),
    );
  const columnOf = (batches: readonly TraceBatch[], table: string, column: string) => {
    const spec = SCHEMA.tables.find(({ name }) => name === table);
    const index = spec?.columns.findIndex(({ name }) => name === column) ?? -1;
    return batches
      .filter((batch) => batch.table === table)
      .flatMap(({ columns }) => [...(columns[index] ?? [])]);
  };

  it('has the tables that were asked for, and nothing without', () => {
    expect(finished().drain()).toEqual([]);
    const batches = finished({ trace: { tables: ['queue', 'rate'] } }).drain();
    expect(new Set(batches.map(({ table }) => table))).toEqual(new Set(['queue', 'rate']));
    // One row every 200 ms.
    expect(columnOf(batches, 'queue', 'time_us')).toEqual(
      Array.from({ length: 100 }, (_, i) => (i + 1) * 2e5),
    );
  });

  it('is forgotten once taken, and the same in parts and in one', () => {
    const trace = { tables, intervalUs: 100e3 };
    const whole = finished({ trace, flows: [MEDIA, TCP] });
    const once = whole.drain();
    expect(whole.drain()).toEqual([]);
    const run = simulation({ trace, flows: [MEDIA, TCP] });
    const parts = Array.from({ length: 40 }, (_, i) => {
      run.runUntil((i + 1) * 5e5);
      return run.drain();
    }).flat();
    expect(totals(parts)).toEqual(totals(once));
    for (const [table, column] of [
      ['arrival', 'arrival_time_us'],
      ['rate', 'target_bps'],
      ['queue', 'queue_delay_us'],
    ] as const) {
      expect(columnOf(parts, table, column)).toEqual(columnOf(once, table, column));
    }
    const [metrics] = whole.metrics();
    expect(totals(once)['arrival']).toBe(metrics?.flows[0]?.receivedPackets);
  });

  it('never goes back in time, not even when reordering becomes shorter', () => {
    const reordered = (delayUs: number) => ({ reordering: { ratio: 0.2, delayUs } });
    const run = finished({
      forward: { capacityBps: 1e6, oneWayDelayUs: 25e3, ...reordered(1e6) },
      changes: [{ atUs: 10e6, forward: reordered(20e3) }],
      trace: { tables: ['packet', 'arrival'] },
    });
    const batches = run.drain();
    for (const [table, column] of [
      ['arrival', 'arrival_time_us'],
      ['packet', 'time_us'],
    ] as const) {
      const times = columnOf(batches, table, column);
      expect(times.length).toBeGreaterThan(500);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  });

  it('has each packet of each flow at the bottleneck, delivered or dropped and why', () => {
    const lossy = { capacityBps: 1e6, oneWayDelayUs: 25e3, lossRatio: 0.02 };
    const run = finished({ forward: lossy, flows: [MEDIA, TCP], trace: { tables: ['packet'] } });
    const batches = run.drain();
    const column = (name: string) => columnOf(batches, 'packet', name);
    const dropped = column('dropped');
    // The backward path has no bottleneck, so it drops nothing.
    const forwards = column('link').map((link, i) => ({
      link,
      flow: column('flow')[i],
      dropped: dropped[i],
    }));
    const [whole] = run.metrics();
    const of = (reason: number) =>
      forwards.filter((each) => each.link === 0 && each.dropped === reason).length;
    expect(of(0)).toBe(whole?.forward.deliveredPackets);
    expect(of(DROP_REASONS.indexOf('random-loss'))).toBe(whole?.forward.drops['random-loss']);
    expect(of(DROP_REASONS.indexOf('queue-full'))).toBe(whole?.forward.drops['queue-full']);
    expect(of(DROP_REASONS.indexOf('random-loss'))).toBeGreaterThan(0);
    expect(new Set(forwards.map(({ flow }) => flow))).toEqual(new Set([0, 1]));
    for (const [i, delayUs] of column('queue_delay_us').entries())
      expect(Number.isNaN(delayUs)).toBe(dropped[i] !== 0);
  });

  it.each([1, 5])('loses in runs of %i packets on average', (burstLossPackets) => {
    const forwardPath = { capacityBps: 2e6, lossRatio: 0.1, burstLossPackets };
    const run = finished({
      ...{ durationUs: 200e6, forward: forwardPath, trace: { tables: ['packet'] as const } },
      flows: [{ ...MEDIA, source: { min_bitrate_bps: 1e6 } }],
    });
    const batches = run.drain();
    const links = columnOf(batches, 'packet', 'link');
    const offered = columnOf(batches, 'packet', 'offered_us');
    const dropped = columnOf(batches, 'packet', 'dropped');
    const inOrder = links
      .flatMap((link, i) => (link === 0 ? [i] : []))
      .sort((a, b) => (offered[a] ?? 0) - (offered[b] ?? 0))
      .map((i) => dropped[i] !== 0);
    const lost = inOrder.filter(Boolean).length;
    const runs = inOrder.filter((is, i) => is && inOrder[i - 1] !== true).length;
    expect(lost / inOrder.length).toBeGreaterThan(0.08);
    expect(lost / inOrder.length).toBeLessThan(0.12);
    expect(lost / runs).toBeGreaterThan(burstLossPackets === 1 ? 1.05 : 4);
    expect(lost / runs).toBeLessThan(burstLossPackets === 1 ? 1.2 : 6);
  });
});

describe('a simulation that was destroyed', () => {
  it('can be destroyed again and does nothing else', () => {
    const run = simulation();
    run.destroy();
    run.destroy();
    for (const use of [
      () => run.runUntil(1),
      () => run.metrics(),
      () => run.drain(),
      () => run.nowUs,
      () => run.events,
    ]) {
      expect(use).toThrow(CoreError);
    }
  });

  it('gives its memory back', () => {
    const rounds = () => {
      for (let i = 0; i < 30; i++)
        finished({ flows: [MEDIA, TCP], trace: { tables: ['arrival'] } }).destroy();
    };
    rounds();
    const before = core.module.memoryBytes;
    rounds();
    expect(core.module.memoryBytes).toBe(before);
  });
});
