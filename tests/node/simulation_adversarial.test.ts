/**
 * Simulations with absurd options: each must end within a bounded time, or be refused with a CoreError that names the
 * field at fault.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import {
  CoreError,
  loadCore,
  QUEUE_KINDS,
  SCHEMA,
  type Core,
  type FlowOptions,
  type SimulatedLinkOptions,
  type SimulationOptions,
  type WindowMetrics,
} from '../../src/core/index.js';
import type { ParameterSpec } from '../../src/core/schema.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const MEGABYTE = 1e6;
const BASE: SimulationOptions = {
  durationUs: 5e6,
  forward: { capacityBps: 1e6, oneWayDelayUs: 25e3 },
  flows: [{ kind: 'media' }, { kind: 'tcp' }],
  maxEvents: 1e6,
};

interface Outcome {
  metrics: WindowMetrics[];
  nowUs: number;
  events: number;
  seconds: number;
}

function run(options: Partial<SimulationOptions>, on: Core = core): Outcome {
  const began = performance.now();
  const simulation = on.createSimulation({ ...BASE, ...options });
  try {
    simulation.runUntil(Infinity);
    const seconds = (performance.now() - began) / 1000;
    return { metrics: simulation.metrics(), nowUs: simulation.nowUs, events: simulation.events, seconds };
  } finally {
    simulation.destroy();
  }
}

/** The field of the CoreError with which a simulation ends. */
function failure(options: Partial<SimulationOptions>): string | undefined {
  try {
    run(options);
  } catch (error) {
    if (error instanceof CoreError) return error.field;
    throw error;
  }
  return 'nothing';
}

/**
 * Expects plausible values: finite rates; no negative counts, delays or utilisations; indices of fairness from 0 to
 * 1. NaN is allowed for numbers that were not measured.
 */
function expectSane(windows: readonly WindowMetrics[]): void {
  for (const { forward, backward, flows, jain, jainAll } of windows) {
    for (const path of [forward, backward]) {
      expect(path.deliveredPackets).toBeGreaterThanOrEqual(0);
      expect(Math.min(...Object.values(path.drops))).toBeGreaterThanOrEqual(0);
      expect(path.utilisation < 0).toBe(false);
      expect(path.queueDelayUs.min < 0).toBe(false);
    }
    for (const flow of flows) {
      expect(flow.sentPackets).toBeGreaterThanOrEqual(0);
      expect(Number.isFinite(flow.sendRateBps)).toBe(true);
      expect(Number.isFinite(flow.receiveRateBps)).toBe(true);
      expect(flow.queueDelayUs.min < 0).toBe(false);
      expect(flow.convergenceUs < 0).toBe(false);
    }
    for (const index of [jain, jainAll]) expect(index < 0 || index > 1 + 1e-9).toBe(false);
  }
}

const forward = (options: SimulatedLinkOptions): Partial<SimulationOptions> => ({
  forward: { ...BASE.forward, ...options },
});

describe('an odd simulation ends and makes sense', () => {
  const odd: [name: string, Partial<SimulationOptions>][] = [
    ['of nothing', { flows: [] }],
    ['of one microsecond', { durationUs: 1 }],
    ['at 1 bit/s', forward({ capacityBps: 1 })],
    ['at 100 Gbit/s', { ...forward({ capacityBps: 1e11 }), durationUs: 0.5e6 }],
    ['with a bucket of one byte', forward({ bottleneck: 'token-bucket', burstBytes: 1 })],
    ['with a queue of one packet', forward({ queue: { kind: 'droptail', limitPackets: 1 } })],
    ['with a queue of one byte', forward({ queue: { kind: 'droptail', limitBytes: 1 } })],
    ['with a queue of a microsecond', forward({ queue: { kind: 'droptail', limitMs: 1e-3 } })],
    [
      'with the shortest target of CoDel',
      forward({ queue: { kind: 'codel', targetMs: 1e-3, intervalMs: 1e-3 } }),
    ],
    ['with the fastest PIE', forward({ queue: { kind: 'pie', targetMs: 1e-3, tUpdateMs: 0.1 } })],
    ['with SFQ by the byte', forward({ queue: { kind: 'sfq', quantumBytes: 1, buckets: 1 } })],
    ['with FQ-CoDel by the byte', forward({ queue: { kind: 'fq_codel', quantumBytes: 1, queues: 1 } })],
    ['with everything lost', forward({ lossRatio: 1 })],
    ['with ten seconds of jitter', forward({ jitterUs: 10e6 })],
    ['with an RTT of two minutes', { ...forward({ oneWayDelayUs: 60e6 }), durationUs: 600e6 }],
    [
      'with an RTT of four minutes',
      {
        ...forward({ oneWayDelayUs: 60e6 }),
        durationUs: 1200e6,
        flows: (['media', 'tcp'] as const).map((kind) => ({ kind, extraDelayUs: 60e6 })),
      },
    ],
    ['in an outage all the time', forward({ schedule: [{ atUs: 0, capacityBps: 0 }] })],
    [
      'with outages by the millisecond',
      forward({
        schedule: Array.from({ length: 5000 }, (_, i) => ({
          atUs: i * 1e3,
          capacityBps: i % 2 === 0 ? 0 : 1e6,
        })),
      }),
    ],
    [
      'with 100,000 steps, some at the same time',
      forward({
        schedule: Array.from({ length: 1e5 }, (_, i) => ({
          atUs: Math.floor(i / 2) * 100,
          capacityBps: 5e5 + i,
        })),
      }),
    ],
    [
      'in packets of one byte',
      {
        flows: [
          {
            kind: 'media',
            source: { payload_bytes: 1, header_bytes: 0, max_bitrate_bps: 1e5, min_bitrate_bps: 0 },
          },
          { kind: 'tcp', parameters: { segment_size_bytes: 40, ack_size_bytes: 40 } },
        ],
      },
    ],
    [
      'of a source without rate',
      {
        flows: [
          { kind: 'media', source: { min_bitrate_bps: 0, max_bitrate_bps: 1e3, ramp_time_constant_s: 1e5 } },
        ],
      },
    ],
    [
      'of flows that stop when they start',
      { flows: (['media', 'tcp'] as const).map((kind) => ({ kind, startUs: 2e6, stopUs: 2e6 })) },
    ],
    [
      'of flows that start after the end',
      {
        flows: [
          { kind: 'media', startUs: 1e12 },
          { kind: 'tcp', startUs: 6e6 },
        ],
      },
    ],
    [
      'with pauses over each other',
      {
        flows: [
          {
            kind: 'media',
            pauses: [
              { fromUs: 3e6, toUs: 4e6 },
              { fromUs: 1e6, toUs: 3.5e6 },
              { fromUs: 0, toUs: Infinity },
              { fromUs: 1e12, toUs: 1e13 },
            ],
          },
        ],
      },
    ],
    [
      'with windows beyond its end',
      { windows: [5e6, 6e6, 1e11].map((beginUs) => ({ name: 'late', beginUs, endUs: 1e12 })) },
    ],
    [
      'with ticks and rows by the millisecond',
      { rateIntervalUs: 1e3, trace: { tables: ['rate'], intervalUs: 1e3 } },
    ],
    [
      'of files without end and without pause',
      { flows: [{ kind: 'tcp', short: { minBytes: 1e12, maxBytes: 1e12, idleMeanUs: 0 } }] },
    ],
    [
      'of files of a byte',
      { flows: [{ kind: 'tcp', short: { minBytes: 1, maxBytes: 1, idleMeanUs: 1e4 } }] },
    ],
    [
      'that a source at 1 Gbit/s overloads',
      {
        durationUs: 1e6,
        flows: [
          { kind: 'media', source: { min_bitrate_bps: 1e9, max_bitrate_bps: 1e9, payload_bytes: 9000 } },
        ],
      },
    ],
  ];

  it.each(odd)('%s', (_, options) => {
    const { metrics, nowUs, seconds } = run(options);
    expect(nowUs).toBe(options.durationUs ?? BASE.durationUs);
    expect(seconds).toBeLessThan(5);
    expectSane(metrics);
  });

  it('sends nothing in an outage, and everything is lost where all is lost', () => {
    const outage = run(forward({ schedule: [{ atUs: 0, capacityBps: 0 }] })).metrics[0];
    expect(outage?.forward).toMatchObject({ deliveredPackets: 0, capacityBps: 0 });
    expect(outage?.flows[0]?.receivedPackets).toBe(0);
    expect(outage?.flows[0]?.sentPackets).toBeGreaterThan(0);
    const lost = run(forward({ lossRatio: 1 })).metrics[0];
    expect(lost?.flows[0]?.lossRatio).toBe(1);
    expect(lost?.flows[1]?.lossRatio).toBe(1);
  });

  it('of a thousand flows of each kind, within bounded memory', async () => {
    const own = await loadCore();
    const flows = (['media', 'tcp'] as const).flatMap((kind) =>
      Array.from({ length: 1000 }, (): FlowOptions => ({ kind })),
    );
    const options = { flows, forward: { ...BASE.forward, capacityBps: 100e6 }, maxEvents: 1e7 };
    const { metrics, seconds } = run({ ...options, durationUs: 1e6 }, own);
    expect(metrics[0]?.flows).toHaveLength(2000);
    expect(metrics[0]?.flows.every(({ sentPackets }) => sentPackets > 0)).toBe(true);
    expect(seconds).toBeLessThan(20);
    expect(own.module.memoryBytes).toBeLessThan(150 * MEGABYTE);
    expectSane(metrics);
  });
});

describe('a simulation without bounds is given up', () => {
  it('when it needs more events than it may', () => {
    expect(failure({ durationUs: 1e12 })).toBe('maxEvents');
    expect(failure({ maxEvents: 1 })).toBe('maxEvents');
    // Without a capacity limit and without delay, a connection sends forever at the same simulated time.
    expect(failure({ forward: {}, flows: [{ kind: 'tcp' }] })).toBe('maxEvents');
    const files: FlowOptions = {
      kind: 'tcp',
      parameters: { delayed_ack_segments: 1 },
      short: { minBytes: 1, maxBytes: 1, idleMeanUs: 0 },
    };
    expect(failure({ forward: {}, flows: [files] })).toBe('maxEvents');
    // Nothing happens except ticks, but each tick checks a thousand flows.
    const idle = Array.from({ length: 1000 }, (): FlowOptions => ({ kind: 'tcp', startUs: 1e12 }));
    expect(failure({ flows: idle, rateIntervalUs: 1e3, durationUs: 1e12 })).toBe('maxEvents');
  });

  it('when CUBIC fills 100 Gbit/s without a loss', () => {
    const parameters = { max_window_segments: 1e6, slow_start_limit_segments: 1e6 };
    const unlimited = forward({ capacityBps: 1e11, queue: { kind: 'droptail', limitBytes: 1e9 } });
    expect(failure({ ...unlimited, durationUs: 60e6, flows: [{ kind: 'tcp', parameters }] })).toBe(
      'maxEvents',
    );
  });

  it('when too many packets are under way, within bounded memory', async () => {
    const own = await loadCore();
    const parameters = { max_window_segments: 1e6, initial_window_segments: 1000 };
    const options = {
      ...forward({
        oneWayDelayUs: 60e6,
        capacityBps: 1e11,
        queue: { kind: 'droptail', limitBytes: 1e9 } as const,
      }),
      durationUs: 1e9,
      maxEvents: 1e8,
      flows: Array.from({ length: 1100 }, (): FlowOptions => ({ kind: 'tcp', parameters })),
    };
    expect(() => run(options, own)).toThrow(expect.objectContaining({ name: 'CoreError', field: 'flows' }));
    expect(own.module.memoryBytes).toBeLessThan(600 * MEGABYTE);
  });

  it('when nobody takes the rows of the trace', async () => {
    const own = await loadCore();
    const options: Partial<SimulationOptions> = {
      durationUs: 1e12,
      maxEvents: 1e9,
      flows: Array.from({ length: 100 }, (): FlowOptions => ({ kind: 'tcp', startUs: 1e12 })),
      trace: { tables: ['rate'], intervalUs: 1e3 },
    };
    expect(() => run(options, own)).toThrow(expect.objectContaining({ name: 'CoreError', field: 'trace' }));
    expect(own.module.memoryBytes).toBeLessThan(800 * MEGABYTE);
  });

  it('at the setup, when it would measure too much', () => {
    const windows = Array.from({ length: 20 }, (_, i) => ({ name: `${i}`, beginUs: 0, endUs: i + 1 }));
    const flows = Array.from({ length: 500 }, (): FlowOptions => ({ kind: 'tcp' }));
    // The whole run counts as a time window, so there are 21 windows. With 21 windows, at most 476 flows are allowed.
    expect(failure({ windows, flows })).toBe('windows');
    const many = Array.from({ length: 10001 }, (): FlowOptions => ({ kind: 'tcp', startUs: 1e12 }));
    expect(failure({ flows: many })).toBe('flows');
  });

  it('and the core goes on working', () => {
    const before = run({});
    for (let i = 0; i < 20; i++) failure({ maxEvents: 1000 + i });
    const memory = core.module.memoryBytes;
    for (let i = 0; i < 200; i++) failure({ maxEvents: 1000 + i });
    expect(core.module.memoryBytes).toBe(memory);
    expect({ ...run({}), seconds: 0 }).toEqual({ ...before, seconds: 0 });
  });
});

/** A random generator (mulberry32): a given seed yields the same numbers on every platform. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), 1 | state);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Json = Record<string, unknown>;

interface Leaf {
  holder: Json;
  key: string;
  path: string;
  value: unknown;
}

/** All leaves of an object, with their paths. A leaf is a value at any depth that is not an object. */
function leaves(value: unknown, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): Leaf[] => {
    const at = path === '' ? key : `${path}.${key}`;
    if (typeof inner === 'object') return leaves(inner, at);
    return [{ holder: value as Json, key, path: at, value: inner }];
  });
}

/** Draws options at random, with numbers anywhere in their ranges, including the ends. */
class Fuzzer {
  readonly #random: () => number;
  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  chance = (probability: number): boolean => this.#random() < probability;
  whole = (low: number, high: number): number => low + Math.floor((high - low + 1) * this.#random());
  pick = <T>(list: readonly T[]): T => {
    const picked = list[this.whole(0, list.length - 1)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  };
  between(low: number, high: number): number {
    const where = this.#random();
    if (where < 0.05) return low;
    if (where > 0.95) return high;
    // Drawn on a logarithmic scale, over at most six decades.
    const from = Math.max(low, high / 1e6);
    return from * (high / from) ** this.#random();
  }
  /** Keeps each of the fields with a probability of one half. */
  some(fields: Json): Json {
    return Object.fromEntries(Object.entries(fields).filter(() => this.chance(0.5)));
  }
  list = <T>(most: number, make: (index: number) => T): T[] =>
    Array.from({ length: this.whole(0, most) }, (_, i) => make(i));

  parameters(specs: readonly ParameterSpec[]): Json {
    const entries = specs.map(({ name, min, max, values, whole }): [string, number] => {
      const value = this.between(min, max);
      return [name, whole || values !== undefined ? Math.round(value) : value];
    });
    return Object.fromEntries(entries.filter(() => this.chance(0.15)));
  }

  path(capacity: boolean): Json {
    const kind = this.pick(QUEUE_KINDS);
    const times = this.list(5, () => this.between(0, 2e6)).sort((a, b) => a - b);
    const bottleneck = {
      schedule: times.map((atUs) => ({ atUs, capacityBps: this.chance(0.3) ? 0 : this.between(1, 1e8) })),
      queue: { kind },
      bottleneck: this.pick(['serial', 'token-bucket']),
      burstBytes: this.between(1, 1e9),
    };
    return {
      ...(capacity && { capacityBps: this.between(1, 1e8), ...this.some(bottleneck) }),
      oneWayDelayUs: this.between(1e3, 60e6),
      ...this.some({ lossRatio: this.between(0, 1), jitterUs: this.between(0, 10e6) }),
    };
  }

  flow(): Json {
    const startUs = this.between(0, 3e6);
    const common = this.some({
      direction: this.pick(['forward', 'backward']),
      startUs,
      stopUs: startUs + this.between(0, 3e6),
      extraDelayUs: this.between(0, 60e6),
    });
    if ('stopUs' in common && !('startUs' in common)) delete common['stopUs'];
    if (this.chance(0.5)) {
      const source = this.parameters(SCHEMA.components.media_source.parameters);
      // Payloads may have any size, so the headers get 40 bytes and the rates are bounded. Otherwise there could be
      // millions of packets.
      if ('payload_bytes' in source) source['header_bytes'] = 40;
      source['max_bitrate_bps'] = this.between(1e3, 1e7);
      source['min_bitrate_bps'] = this.between(0, 1e6);
      const pauses = this.list(3, () => {
        const fromUs = this.between(0, 3e6);
        return { fromUs, toUs: fromUs + this.between(1, 3e6) };
      });
      const preset = this.pick(SCHEMA.controllers.gcc.presets).name;
      return {
        kind: 'media',
        ...common,
        source,
        ...this.some({ preset, pauses, parameters: this.parameters(SCHEMA.controllers.gcc.parameters) }),
      };
    }
    const minBytes = this.between(1, 1e6);
    const short = { minBytes, maxBytes: minBytes * 2, idleMeanUs: this.between(1, 1e6) };
    return {
      kind: 'tcp',
      ...common,
      ...this.some({
        congestionControl: this.pick(['cubic', 'new_reno']),
        preset: this.pick(SCHEMA.components.tcp.presets).name,
        parameters: this.parameters(SCHEMA.components.tcp.parameters),
        short,
      }),
    };
  }

  options(): Json {
    const windows = this.list(4, (i) => {
      const beginUs = this.between(0, 5e6);
      return { name: `${i}`, beginUs, endUs: beginUs + this.between(1, 5e6) };
    });
    return {
      durationUs: this.between(1, 3e6),
      forward: this.path(this.chance(0.9)),
      flows: this.list(5, () => this.flow()),
      maxEvents: 20000,
      ...this.some({
        seed: this.whole(0, 2 ** 50),
        backward: this.path(this.chance(0.5)),
        windows,
        rateIntervalUs: this.between(1e3, 1e9),
        trace: { tables: [this.pick(SCHEMA.tables).name], intervalUs: this.between(1e3, 1e9) },
      }),
    };
  }

  /** Replaces one number or name, at any depth, with an invalid value. Returns its path. */
  breakOne(options: Json): string {
    const places = leaves(options).filter(
      ({ key, path, value }) =>
        typeof value === 'number' ||
        (typeof value === 'string' && key !== 'name' && !path.startsWith('trace')),
    );
    const { holder, key, path, value } = this.pick(places);
    holder[key] = typeof value === 'string' ? 'nonsense' : this.pick([NaN, -1, -Infinity, -1e300, NaN]);
    return path;
  }
}

describe('each number of the options', () => {
  const everything = (): Json => ({
    durationUs: 1e6,
    seed: 3,
    rateIntervalUs: 1e5,
    maxEvents: 1e5,
    forward: {
      capacityBps: 1e6,
      schedule: [
        { atUs: 1e5, capacityBps: 2e6 },
        { atUs: 2e5, capacityBps: 0 },
      ],
      queue: { kind: 'codel', targetMs: 5, intervalMs: 100, limitPackets: 1000, mtuBytes: 1514 },
      burstBytes: 5000,
      oneWayDelayUs: 25e3,
      lossRatio: 0.01,
      jitterUs: 1e3,
    },
    backward: { oneWayDelayUs: 25e3, lossRatio: 0.01, jitterUs: 1e3 },
    windows: [{ name: 'a', beginUs: 1e5, endUs: 2e5 }],
    flows: [
      {
        ...{ kind: 'media', startUs: 1e5, stopUs: 9e5, extraDelayUs: 1e3 },
        source: defaults(SCHEMA.components.media_source.parameters),
        parameters: defaults(SCHEMA.controllers.gcc.parameters),
        pauses: [{ fromUs: 2e5, toUs: 3e5 }],
      },
      {
        ...{ kind: 'tcp', startUs: 1e5, stopUs: 9e5, extraDelayUs: 1e3 },
        parameters: defaults(SCHEMA.components.tcp.parameters),
        short: { minBytes: 1e3, maxBytes: 1e4, idleMeanUs: 1e5 },
      },
    ],
    trace: { tables: ['rate'], intervalUs: 1e5 },
  });
  const defaults = (specs: readonly { name: string; default: number }[]): Json =>
    Object.fromEntries(specs.map(({ name, default: value }) => [name, value]));
  /** The end of a pause may be infinite. */
  const MAY_BE_INFINITE = ['flows.0.pauses.0.toUs'];

  it('is refused by its name when it is NaN, infinite, negative or beyond all measure', () => {
    const simulate = (options: Json) => failure(options);
    expect(simulate(everything())).toBe('nothing');
    const paths = leaves(everything())
      .filter(({ value }) => typeof value === 'number')
      .map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(100);
    for (const path of paths) {
      for (const bad of [NaN, Infinity, -Infinity, -1, 1e300, -1e300]) {
        if (bad > 0 && MAY_BE_INFINITE.includes(path)) continue;
        const options = everything();
        const leaf = leaves(options).find((each) => each.path === path);
        if (leaf !== undefined) leaf.holder[leaf.key] = bad;
        const told = simulate(options);
        // For an invalid pause, the error names the list of pauses.
        const expected = path.startsWith('flows.0.pauses') ? 'flows.0.pauses' : path;
        expect(told, `${path}: ${bad}`).toBe(expected);
      }
    }
  });
});

describe('options at random', () => {
  it('are simulated to the end, or given up when they need too much', () => {
    let ended = 0;
    for (let seed = 1; seed <= 250; seed++) {
      const options = new Fuzzer(seed).options() as unknown as SimulationOptions;
      let field: string | undefined;
      try {
        const { metrics, nowUs } = run({ ...options });
        expect(nowUs).toBe(options.durationUs);
        expectSane(metrics);
        ended += 1;
      } catch (error) {
        if (!(error instanceof CoreError)) throw new Error(`seed ${seed}`, { cause: error });
        field = error.field;
      }
      expect(field, `seed ${seed}`).toSatisfy(
        (where?: string) => where === undefined || where === 'maxEvents' || where.endsWith('payload_bytes'),
      );
    }
    expect(ended).toBeGreaterThan(100);
  });

  it('are refused when one of them is broken, and the error says where', () => {
    for (let seed = 1001; seed <= 1250; seed++) {
      const fuzzer = new Fuzzer(seed);
      const options = fuzzer.options();
      const where = fuzzer.breakOne(options);
      const simulate = (): void => void run(options);
      expect(simulate, `seed ${seed}: ${where}`).toThrow(CoreError);
      const field = failure(options);
      // The error may name a list instead of its entry, or another time that conflicts with the invalid one. So
      // names of times are not compared.
      const told = field?.replace(/\.(atUs|endUs|beginUs|stopUs|startUs)$/, '') ?? '';
      expect(
        where.startsWith(told) || where.replace(/_(\w)/g, (_, c: string) => c.toUpperCase()).startsWith(told),
        `seed ${seed}: ${where} told as ${field}`,
      ).toBe(true);
    }
  });
});
