import { describe, expect, it } from 'vitest';

import { loadCore } from '../../../src/core/index.js';
import { parseRate } from '../../../src/link/capacity_text.js';
import {
  ConfigError,
  cellKey,
  cellLabel,
  cellsOf,
  compile,
  flowGroups,
  instantiate,
  parseLinkConfig,
  parseScenario,
  runCell,
  selects,
} from '../../../src/scenario/index.js';
import { minimal, problem, varied } from './support.js';

const keys = (input: unknown): string[] => cellsOf(parseScenario(input)).map(cellKey);

describe('cells', () => {
  it('are one without axes', () => expect(keys(minimal)).toEqual(['']));

  it('are the product of the axes, the last one fastest', () => {
    expect(keys(varied)).toEqual([
      'queue=short,n=1',
      'queue=short,n=2',
      'queue=short,n=4',
      'queue=long,n=1',
      'queue=long,n=2',
      'queue=long,n=4',
    ]);
  });

  it('are listed with single values, lists of them and *, and an axis may be left out', () => {
    const cells = [{ queue: 'long', n: ['1', '4'] }, { n: '*' }, {}];
    expect(keys({ ...varied, cells })).toEqual(['queue=long,n=1', 'queue=long,n=4', 'n=1', 'n=2', 'n=4', '']);
  });

  it('assign their values to the scenario, by the names of flows', () => {
    const scenario = parseScenario(varied);
    const instance = instantiate(scenario, { queue: 'long', n: '4' });
    expect(instance.forward).toEqual({ ...minimal.forward, queue: 'droptail:700ms' });
    expect(instance.flows).toEqual([{ ...minimal.flows[0], count: 4 }]);
    expect(scenario.forward.queue).toBe('droptail:300ms');
  });

  it('may make what was not there', () => {
    const set = { 'flows.gcc.parameters.alpha': 0.9, 'backward.loss_ratio': 0.1 };
    const scenario = parseScenario({ ...minimal, axes: [{ name: 'a', values: [{ name: 'x', set }] }] });
    const instance = instantiate(scenario, { a: 'x' });
    expect(instance.flows[0]).toEqual({ ...minimal.flows[0], parameters: { alpha: 0.9 } });
    // Without `backward`, the way back has the forward path's delay, and keeps it.
    expect(instance.backward).toEqual({
      one_way_delay_ms: minimal.forward.one_way_delay_ms,
      loss_ratio: 0.1,
    });
  });

  it('find flows and windows whose names contain dots', () => {
    const flows = ['a', 'a.b', 'a.count'].map((name) => ({ kind: 'media', name }));
    const windows = [{ name: 'w.1', begin_s: 0, end_s: 5 }];
    const set = {
      'flows.a.parameters.alpha': 0.9,
      'flows.a.b.parameters.alpha': 0.8,
      // This is the count of the flow `a`, and not the flow `a.count` as a whole.
      'flows.a.count': 2,
      'flows.a.count.count': 3,
      'windows.w.1.end_s': 7,
    };
    const axes = [{ name: 'x', values: [{ name: 'y', set }] }];
    const instance = instantiate(parseScenario({ ...minimal, flows, windows, axes }), { x: 'y' });
    expect(instance.flows).toEqual([
      { ...flows[0], parameters: { alpha: 0.9 }, count: 2 },
      { ...flows[1], parameters: { alpha: 0.8 } },
      { ...flows[2], count: 3 },
    ]);
    expect(instance.windows).toEqual([{ ...windows[0], end_s: 7 }]);
    const whole = { 'flows.a.b': { kind: 'tcp', name: 'c' } };
    const other = [{ name: 'x', values: [{ name: 'y', set: whole }] }];
    const replaced = instantiate(parseScenario({ ...minimal, flows: flows.slice(1), axes: other }), {
      x: 'y',
    });
    expect(replaced.flows[0]).toEqual({ kind: 'tcp', name: 'c' });
  });

  it('are refused for a path that is very long, without a long search', () => {
    const set = { [`flows.gcc${'.x'.repeat(100_000)}`]: 1, [`flows${'.gcc'.repeat(100_000)}`]: 1 };
    for (const [path, value] of Object.entries(set)) {
      const axes = [{ name: 'a', values: [{ name: 'x', set: { [path]: value } }] }];
      expect(() => parseScenario({ ...minimal, axes })).toThrow(ConfigError);
    }
  });

  it('take the way back as it is if they set it as a whole', () => {
    const values = [{ name: 'x', set: { backward: { loss_ratio: 0.1 } } }];
    const scenario = parseScenario({ ...minimal, axes: [{ name: 'a', values }] });
    expect(instantiate(scenario, { a: 'x' }).backward).toEqual({ loss_ratio: 0.1 });
  });

  it('take overrides after the values of their axes', () => {
    const overrides = [{ cells: { queue: 'long', n: '4' }, set: { 'forward.queue': 'droptail:900ms' } }];
    const scenario = parseScenario({ ...varied, overrides });
    expect(instantiate(scenario, { queue: 'long', n: '4' }).forward.queue).toBe('droptail:900ms');
    expect(instantiate(scenario, { queue: 'long', n: '2' }).forward.queue).toBe('droptail:700ms');
  });

  it('are selected by one value, several, or any', () => {
    const cell = { queue: 'long', n: '4' };
    expect(selects(undefined, cell)).toBe(true);
    expect(selects({ queue: 'long' }, cell)).toBe(true);
    expect(selects({ queue: ['short', 'long'], n: '*' }, cell)).toBe(true);
    expect(selects({ queue: 'long', n: '2' }, cell)).toBe(false);
    expect(selects({ queue: '*' }, { n: '2' })).toBe(false);
  });

  it('have a label for people', () => {
    const axes = [{ name: 'q', label: 'T̄_q', values: [{ name: 'a', label: '150 ms', set: {} }] }];
    expect(cellLabel(parseScenario({ ...minimal, axes }), { q: 'a' })).toBe('T̄_q 150 ms');
  });
});

describe('what the simulator gets', () => {
  it('is in microseconds and bit/s', () => {
    const scenario = parseScenario({
      ...minimal,
      duration_s: 60,
      rate_interval_ms: 200,
      forward: {
        capacity: '1mbps,0.5mbps@20s',
        queue: 'droptail:300ms',
        bottleneck: 'token-bucket',
        burst_bytes: 5000,
        one_way_delay_ms: 25,
        loss_ratio: 0.01,
        jitter_ms: 10,
      },
      backward: { one_way_delay_ms: 10 },
      flows: [
        {
          kind: 'media',
          name: 'gcc',
          preset: 'gcc',
          parameters: { alpha: 0.9 },
          source: { noise_sd: 0 },
          pauses: [{ from_s: 1, to_s: 2 }],
        },
        {
          kind: 'tcp',
          name: 'tcp',
          congestion_control: 'new_reno',
          direction: 'backward',
          start_s: 5,
          stop_s: 50.5,
          extra_delay_ms: 40,
          short: { min_bytes: 30e3, max_bytes: 50e3, idle_mean_s: 10 },
        },
      ],
      windows: [{ name: 'late', begin_s: 30, end_s: 60 }],
    });
    expect(compile(scenario, 7)).toEqual({
      durationUs: 60e6,
      seed: 7,
      rateIntervalUs: 200e3,
      forward: {
        capacityBps: 1e6,
        schedule: [{ atUs: 20e6, capacityBps: 5e5 }],
        queue: { kind: 'droptail', limitMs: 300 },
        bottleneck: 'token-bucket',
        burstBytes: 5000,
        oneWayDelayUs: 25e3,
        lossRatio: 0.01,
        jitterUs: 10e3,
      },
      backward: { oneWayDelayUs: 10e3 },
      flows: [
        {
          kind: 'media',
          name: 'gcc',
          preset: 'gcc',
          parameters: { alpha: 0.9 },
          source: { noise_sd: 0 },
          pauses: [{ fromUs: 1e6, toUs: 2e6 }],
          startUs: 0,
        },
        {
          kind: 'tcp',
          name: 'tcp',
          congestionControl: 'new_reno',
          direction: 'backward',
          startUs: 5e6,
          stopUs: 50.5e6,
          extraDelayUs: 40e3,
          short: { minBytes: 30e3, maxBytes: 50e3, idleMeanUs: 10e6 },
        },
      ],
      windows: [{ name: 'late', beginUs: 30e6, endUs: 60e6 }],
    });
  });

  it('has the forward delay on the way back unless that is given', () => {
    expect(compile(parseScenario(minimal), 1).backward).toEqual({ oneWayDelayUs: 25e3 });
  });

  it('counts flows out, one later than the other, and knows which is which', () => {
    const flows = [
      { kind: 'media', name: 'gcc', count: 3, start_step_s: 2 },
      { kind: 'tcp', name: 'none', count: 0 },
      { kind: 'tcp', name: 'tcp', count: 2, direction: 'backward' },
    ];
    const scenario = parseScenario({ ...minimal, flows });
    const compiled = compile(scenario, 1).flows;
    expect(compiled.map(({ name }) => name)).toEqual(['gcc-1', 'gcc-2', 'gcc-3', 'tcp-1', 'tcp-2']);
    expect(compiled.map(({ startUs }) => startUs)).toEqual([0, 2e6, 4e6, 0, 0]);
    expect(flowGroups(scenario).map((group) => group.flows)).toEqual([[0, 1, 2], [], [3, 4]]);
  });

  it('gives each flow a name of its own, also where a group could have the name of another flow', () => {
    const entries = [
      { kind: 'media', name: 'a', count: 3 },
      { kind: 'media', name: 'a-2' },
      { kind: 'tcp', name: 'a-1', count: 2 },
      { kind: 'tcp', name: 'a-1-1' },
      { kind: 'tcp', name: 'a-4', count: 0 },
    ];
    const scenario = parseScenario({ ...minimal, flows: entries });
    const names = compile(scenario, 1).flows.map(({ name }) => name);
    expect(names).toEqual(['a-3', 'a-5', 'a-6', 'a-2', 'a-1-2', 'a-1-3', 'a-1-1']);
    expect(flowGroups(scenario).map(({ flows }) => flows)).toEqual([[0, 1, 2], [3], [4, 5], [6], []]);
  });

  it('gives every flow of the direction its capacity', () => {
    const forward = { capacity_per_flow: '1.5mbps' };
    const flows = [
      { kind: 'media', name: 'gcc', count: 2 },
      { kind: 'tcp', name: 'tcp' },
      { kind: 'media', name: 'back', direction: 'backward' },
    ];
    expect(compile(parseScenario({ ...minimal, forward, flows }), 1).forward.capacityBps).toBe(4.5e6);
    const ways = { forward, backward: { capacity_per_flow: '200kbps' } };
    expect(compile(parseScenario({ ...minimal, ...ways, flows }), 1)).toMatchObject({
      forward: { capacityBps: 4.5e6 },
      backward: { capacityBps: 200e3 },
    });
    const four = { ...minimal, ...ways, flows: flows.map((flow) => ({ ...flow, count: 4 })) };
    expect(compile(parseScenario(four), 1)).toMatchObject({
      forward: { capacityBps: 12e6 },
      backward: { capacityBps: 800e3 },
    });
  });

  it('gives a direction without flows the capacity for one, since feedback takes it', async () => {
    const ways = { forward: { capacity_per_flow: '1mbps' }, backward: { capacity_per_flow: '200kbps' } };
    const core = await loadCore();
    for (const direction of ['forward', 'backward'] as const) {
      const flows = [{ kind: 'media', name: 'gcc', direction, count: 2 }];
      const scenario = parseScenario({ ...minimal, ...ways, duration_s: 5, flows });
      const other = direction === 'forward' ? 'backward' : 'forward';
      expect(compile(scenario, 1)[other]?.capacityBps).toBe(parseRate(ways[other].capacity_per_flow));
      const [whole] = runCell(core, scenario, {}, 1).windows;
      expect(whole?.flows.every(({ receiveRateBps }) => receiveRateBps > 0)).toBe(true);
    }
  });

  it('takes a trace of mahimahi as capacity, and says what to do with the name of a file', () => {
    const from = (mahimahi: string): object => ({ ...minimal, forward: { capacity: { mahimahi } } });
    const { capacityBps, schedule } = compile(parseScenario(from('1\n3\n')), 1).forward;
    expect(capacityBps).toBe(1504 * 8 * 1000);
    expect(schedule?.[0]).toEqual({ atUs: 1000, capacityBps: 1504 * 8 * 500 });
    expect(() => parseScenario(from('lte.trace'))).toThrow(
      /forward.capacity.mahimahi.*a scenario that is run from a file/,
    );
  });
});

describe('scenarios that ask for too much', () => {
  const values = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `v${i}`, set: {} }));
  const axes = (count: number, of: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `a${i}`, values: values(of) }));

  it('are refused before their cells are made', () => {
    // 10^16 cells: if they were made before the check, the process would run out of memory.
    expect(problem(() => parseScenario({ ...minimal, axes: axes(16, 10) }))).toMatchObject({
      field: 'cells',
      expected: 'at most 1000 cells',
      got: '10000000000000000',
    });
    expect(cellsOf(parseScenario({ ...minimal, axes: axes(3, 10) }))).toHaveLength(1000);
    const cells = Array.from({ length: 11 }, () => ({ a0: '*', a1: '*' }));
    expect(problem(() => parseScenario({ ...minimal, axes: axes(2, 10), cells })).got).toBe('1100');
  });

  it('are refused for lists that are too long, and for more flows than the simulator takes', () => {
    expect(problem(() => parseScenario({ ...minimal, axes: axes(17, 1) })).expected).toBe(
      'a list of at most 16 axes',
    );
    const flows = Array.from({ length: 6 }, (_, i) => ({ kind: 'media', name: `f${i}`, count: 2000 }));
    expect(problem(() => parseScenario({ ...minimal, flows }))).toMatchObject({
      field: 'test.flows',
      got: '12000',
    });
  });

  it('say so where they are nested too deeply', () => {
    const deep: unknown = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
    const set = { 'forward.capacity': deep };
    for (const input of [deep, { ...minimal, axes: [{ name: 'a', values: [{ name: 'x', set }] }] }])
      expect(problem(() => parseScenario(input)).expected).toContain('at most 64 levels deep');
  });

  it('may not take names that every object has', () => {
    const named = (name: string) => ({ ...minimal, axes: [{ name, values: values(1) }], cells: [{}] });
    for (const name of ['constructor', '__proto__', 'toString'])
      expect(problem(() => parseScenario(named(name))).field).toBe('scenario.axes.0.name');
  });

  it('are refused with a ConfigError whatever stands where a name or a number should be', () => {
    const odd = { toString: 1 };
    const set = { flows: [{ name: odd }], 'flows.gcc.count': 1 };
    const axis = { ...minimal, axes: [{ name: 'a', values: [{ name: 'x', set }] }] };
    expect(problem(() => parseScenario(axis)).field).toContain('flows.gcc.count');
    expect(problem(() => parseScenario({ ...minimal, duration_s: odd })).got).toBe('an object');
    expect(problem(() => parseLinkConfig({ rtt_ms: odd })).got).toBe('an object');
  });

  it('do not fill the screen with what was found', () => {
    const long = 'x'.repeat(1e6);
    const { message } = problem(() => parseScenario({ ...minimal, [long]: 1 }));
    expect(message.length).toBeLessThan(1000);
  });
});
