/**
 * The lines that explain changes of the target agree with the trace's rows, and every fall has exactly one
 * line.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, type Core, type FlowOptions } from '../../../src/core/index.js';
import { changeAt, FALL, momentOf, targetChanges } from '../../../src/reasons/index.js';
import { msText } from '../../../src/judge/text.js';
import { TraceData, type TraceView } from '../../../src/trace/index.js';
import { FALLING, headerOf, simulated, textsOf } from './support.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const PRESETS = [
  'gcc',
  'gcc-live',
  'ton-2017-literal',
  'chromium-2015',
  'cmp-2016',
  'libwebrtc-2016-08',
  'nada-rfc8698',
  'nada-2015',
  'nada-live',
  'lcc',
  'lcc-live',
];

const media = (preset: string, parameters: FlowOptions['parameters'] = {}): FlowOptions => ({
  kind: 'media',
  preset,
  parameters,
});

const columnsOf = (trace: TraceData, table: 'rate' | 'group' | 'nada' | 'lcc', ...columns: string[]) =>
  trace.view({ table, columns }).columns;

/** A column's value in the row with exactly this time. */
function atTime(columns: TraceView['columns'], name: string, timeUs: number): number {
  const row = columns['time_us']?.indexOf(timeUs) ?? -1;
  expect(row).toBeGreaterThanOrEqual(0);
  return columns[name]?.[row] ?? NaN;
}

/** The first number after `words` in `text`. */
const numberAfter = (text: string, words: string): number => {
  const rest = text.slice(text.indexOf(words) + words.length);
  return Number(/^ ?(−?[\d.]+)/.exec(rest)?.[1]?.replace('−', '-'));
};

describe.each(PRESETS)('of %s', (preset) => {
  const flow = media(preset);

  it('every drop by more than 5 % between two rows has exactly one line', () => {
    for (const lossRatio of [0, 0.12]) {
      const trace = simulated(core, flow, { ...FALLING, lossRatio });
      const changes = targetChanges(trace, { flow: 0, header: headerOf(flow) });
      const { time_us: time, target_bps: target } = columnsOf(trace, 'rate', 'target_bps');
      let drops = 0;
      for (let row = 1; row < (time?.length ?? 0); row++) {
        const [before, now] = [target?.[row - 1] ?? NaN, target?.[row] ?? NaN];
        if (!(now < before * (1 - FALL))) continue;
        drops++;
        const within = changes.filter(
          ({ fromUs, toUs }) => fromUs < (time?.[row] ?? NaN) && toUs > (time?.[row - 1] ?? NaN),
        );
        expect(within).toHaveLength(1);
        expect(within[0]).toMatchObject({
          shape: 'fall',
          fromUs: time?.[row - 1],
          toUs: time?.[row],
          fromBps: before,
          toBps: now,
        });
      }
      expect(drops).toBeGreaterThan(2);
    }
  });

  it('lines are in order, do not overlap, and each stands where it leads to', () => {
    const changes = targetChanges(simulated(core, flow), { flow: 0, header: headerOf(flow) });
    changes.forEach((change, i) => {
      if (change.shape === 'fall' && change.kind === 'overuse') {
        const causedUs = change.evidence['time_us'] ?? NaN;
        expect(momentOf(change)).toBe(
          causedUs > change.fromUs ? Math.min(causedUs, change.toUs) : change.toUs,
        );
      }
      expect(change.toUs).toBeGreaterThan(change.fromUs);
      expect(change.fromUs).toBeGreaterThanOrEqual(changes[i - 1]?.toUs ?? 0);
      expect(changeAt(changes, momentOf(change))).toBe(change);
    });
  });

  it('the factor and the rate in a fall’s line are those of the rows', () => {
    const changes = targetChanges(simulated(core, flow), { flow: 0, header: headerOf(flow) });
    for (const { shape, text, fromBps, toBps } of changes) {
      if (shape !== 'fall') continue;
      const [, factor, rate, unit] =
        /target × ([\d.]+) of ([\d.]+) ([kM])bps = [\d.]+ [kM]bps$/.exec(text) ?? [];
      expect(Number(factor)).toBeCloseTo(toBps / fromBps, 2);
      const said = Number(rate) * (unit === 'M' ? 1e6 : 1e3);
      expect(Math.abs(said / fromBps - 1)).toBeLessThan(0.01);
    }
  });
});

describe('GCC', () => {
  // The detector compares T with the threshold of the group before, and updates the threshold afterwards.
  it.each([0.01, 0.05])('says the T and γ that the detector compared, with k_u = %f', (k_u) => {
    const flow = media('gcc', { k_u });
    const trace = simulated(core, flow);
    const changes = targetChanges(trace, { flow: 0, header: headerOf(flow) });
    const groups = columnsOf(trace, 'group', 'detector_input_ms', 'gamma_ms', 'signal');
    const gammaBefore = (timeUs: number): number =>
      groups['gamma_ms']?.[(groups['time_us']?.indexOf(timeUs) ?? NaN) - 1] ?? NaN;
    const overuses = changes.filter(({ kind }) => kind === 'overuse');
    expect(overuses.length).toBeGreaterThan(3);
    for (const { text, evidence, toUs } of overuses) {
      const timeUs = evidence['time_us'] ?? NaN;
      expect(toUs - timeUs).toBeGreaterThanOrEqual(0);
      expect(toUs - timeUs).toBeLessThan(1.5e6);
      expect(atTime(groups, 'signal', timeUs)).toBe(2);
      const [t, gamma] = [atTime(groups, 'detector_input_ms', timeUs), gammaBefore(timeUs)];
      expect(t).toBeGreaterThan(gamma);
      expect(evidence['gamma_ms']).toBe(gamma);
      expect(numberAfter(text, 'overuse: T')).toBeCloseTo(t, 0.9);
      expect(numberAfter(text, '> γ')).toBeCloseTo(gamma, 0.9);
    }
  });

  it('says underuse with the T and γ that the detector compared', () => {
    const flow = media('gcc');
    const trace = simulated(core, flow);
    const groups = columnsOf(trace, 'group', 'gamma_ms');
    const underuses = targetChanges(trace, { flow: 0, header: headerOf(flow) }).filter(
      ({ kind }) => kind === 'underuse',
    );
    expect(underuses.length).toBeGreaterThan(0);
    for (const { text, evidence } of underuses) {
      const row = groups['time_us']?.indexOf(evidence['time_us'] ?? NaN) ?? NaN;
      expect(evidence['gamma_ms']).toBe(groups['gamma_ms']?.[row - 1]);
      expect(text).toMatch(/T −[\d.]+ < −γ −[\d.]+ ms/);
    }
  });

  it('explains all of its falls without losses by its detector', () => {
    const flow = media('gcc');
    const trace = simulated(core, flow, { capacityBps: 1e6, oneWayDelayUs: 25e3 });
    const falls = targetChanges(trace, { flow: 0, header: headerOf(flow) }).filter(
      ({ shape }) => shape === 'fall',
    );
    expect(falls.length).toBeGreaterThan(2);
    expect(new Set(falls.map(({ kind }) => kind))).toEqual(new Set(['overuse']));
  });

  it('says loss with the fraction that the sender half counted, against the bound in force', () => {
    for (const loss_high of [0.1, 0.05]) {
      const flow = media('gcc', { loss_high });
      const trace = simulated(core, flow, { capacityBps: 1.5e6, lossRatio: 0.2 });
      const changes = targetChanges(trace, { flow: 0, header: headerOf(flow) });
      const rates = columnsOf(trace, 'rate', 'fraction_lost');
      const losses = changes.filter(({ kind, shape }) => kind === 'loss' && shape === 'fall');
      expect(losses.length).toBeGreaterThan(3);
      for (const { text, toUs } of losses) {
        const lost = atTime(rates, 'fraction_lost', toUs);
        expect(lost).toBeGreaterThan(loss_high);
        expect(numberAfter(text, 'loss:')).toBeCloseTo(lost * 100, 0.9);
        expect(text).toContain(`> ${loss_high * 100} %`);
      }
    }
  });

  it.each([
    [3, '(multiplicative)', 'growth_per_s', 1.08, 0.01],
    [1, '(additive)', 'growth_bps_per_s', 30e3, 15e3],
  ])('tells the increase of mode %i by its speed', (mode, words, name, expected, within) => {
    const flow = media('gcc', { increase_mode: mode, fast_start_factor: 1, a_s_follows_a_r: 1 });
    const trace = simulated(core, flow, { capacityBps: 2e6, oneWayDelayUs: 25e3 });
    const rises = targetChanges(trace, { flow: 0, header: headerOf(flow) }).filter(
      ({ shape, fromUs, toUs }) => shape === 'rise' && toUs - fromUs > 3e6,
    );
    expect(rises.length).toBeGreaterThan(0);
    for (const { text, evidence } of rises) {
      expect(text).toContain(words);
      expect(Math.abs((evidence[name] ?? NaN) - expected)).toBeLessThan(within);
    }
  });

  const linesOn = (flow: FlowOptions, forward: Parameters<typeof simulated>[2]): string[] =>
    textsOf(targetChanges(simulated(core, flow, forward), { flow: 0, header: headerOf(flow) }));

  it('says that a rise was bounded by what is received only where the bound acted', () => {
    const forward = { capacityBps: 2e6, oneWayDelayUs: 25e3 };
    expect(linesOn(media('gcc'), forward).join('\n')).toContain('bounded by 1.5 × what is received');
    for (const flow of [media('chromium-2015'), media('cmp-2016'), media('gcc', { upper_bound_factor: 0 })])
      expect(linesOn(flow, forward).filter((text) => text.includes('bounded by'))).toEqual([]);
  });

  it('says what frames showed of the capacity where live rules follow that', () => {
    const flow = media('gcc-live');
    const trace = simulated(core, flow);
    const falls = targetChanges(trace, { flow: 0, header: headerOf(flow) }).filter(
      ({ kind, fromUs }) => kind === 'capacity' && fromUs > 30e6 && fromUs < 45e6,
    );
    expect(falls.length).toBeGreaterThan(0);
    for (const { text } of falls)
      expect(text).toMatch(
        /[:,] the frames’ arrival times show a capacity of [\d.]+ [kM]bps, the delay-based rate A_r is 0\.\d+ of that/,
      );
    const estimates = falls
      .map(({ evidence }) => evidence['capacity_estimate_bps'] ?? NaN)
      .sort((a, b) => a - b);
    // The link carries 0.7 Mbps. The largest estimate is left out: it comes from frames behind a queue, and
    // is far too high.
    expect(estimates[0]).toBeGreaterThan(0.6e6);
    expect(estimates.at(-2)).toBeLessThan(0.9e6);
  });

  it('says that A_s waits for a report of losses only if none came meanwhile', () => {
    const flow = media('gcc');
    const trace = simulated(core, flow, { ...FALLING, lossRatio: 0.12 });
    const { time_us: time = [], fraction_lost: lost = [] } = columnsOf(trace, 'rate', 'fraction_lost');
    let reports = 0;
    for (const { shape, text, fromUs, toUs } of targetChanges(trace, { flow: 0, header: headerOf(flow) })) {
      const within = lost.filter((_, i) => (time[i] ?? NaN) >= fromUs && (time[i] ?? NaN) <= toUs);
      const last = within.at(-1) ?? NaN;
      if (shape !== 'flat' || !text.includes('lost') || within.every((value) => value === last)) continue;
      reports++;
      expect(text).not.toContain('waits');
      expect(numberAfter(text, ' s,')).toBeCloseTo(last * 100, 0.9);
    }
    expect(reports).toBeGreaterThan(0);
  });

  it('names a law of growth only where A_r grew, and without a capacity estimate', () => {
    const flow = media('gcc-live');
    const trace = simulated(core, flow);
    const { time_us: time = [], capacity_estimate_bps: estimates = [] } = columnsOf(
      trace,
      'group',
      'capacity_estimate_bps',
    );
    const rates = columnsOf(trace, 'rate', 'a_r_bps');
    const rises = targetChanges(trace, { flow: 0, header: headerOf(flow) }).filter(
      ({ shape }) => shape === 'rise',
    );
    for (const { text, fromUs, toUs, fromBps, toBps } of rises) {
      if (!/\((fast start|multiplicative|additive)\)|bounded by/.test(text)) continue;
      const within = estimates.filter((_, i) => (time[i] ?? NaN) > fromUs && (time[i] ?? NaN) <= toUs);
      expect(within.filter((estimate) => estimate > 0).length, text).toBeLessThan(within.length / 2);
      const grown = atTime(rates, 'a_r_bps', toUs) - atTime(rates, 'a_r_bps', fromUs);
      expect(grown, text).toBeGreaterThan(0.5 * (toBps - fromBps));
    }
    expect(textsOf(rises).join('\n')).toMatch(
      /increase: .*, the queue drains, so that more of A_r [\d.]+ [kM]bps is used again/,
    );
  });

  // The receiver half of a live call decides when feedback is due, which may be between two groups of packets.
  it('finds the group of a decision that was made after the last group', () => {
    const flow = media('gcc-live');
    let found = 0;
    for (const capacityBps of [1e6, 2e6, 3e6]) {
      const trace = simulated(core, flow, { capacityBps, oneWayDelayUs: 25e3 });
      const groups = columnsOf(trace, 'group', 'a_r_bps');
      const rates = columnsOf(trace, 'rate', 'a_r_bps');
      for (const change of targetChanges(trace, { flow: 0, header: headerOf(flow) })) {
        const { kind, shape, text, fromUs, toUs } = change;
        const [before, a_r] = [atTime(rates, 'a_r_bps', fromUs), atTime(rates, 'a_r_bps', toUs)];
        const next = groups['time_us']?.findIndex((us) => us > toUs) ?? -1;
        const isOf = (row: number): boolean => Math.abs((groups['a_r_bps']?.[row] ?? NaN) / a_r - 1) < 1e-6;
        if (shape !== 'fall' || a_r > 0.98 * before || !isOf(next) || isOf(next - 1)) continue;
        expect(kind, text).toBe('capacity');
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(0);
  });
});

describe('NADA', () => {
  it('says the signal against its balance, PRIO x_ref RMAX / r_ref (RFC 8698, 4.3)', () => {
    const flow = media('nada-rfc8698', { max_bitrate_bps: 2e6 });
    const trace = simulated(core, flow);
    const changes = targetChanges(trace, { flow: 0, header: headerOf(flow) });
    const messages = columnsOf(trace, 'nada', 'x_curr_ms', 'mode');
    const falls = changes.filter(
      ({ kind, shape, text }) => shape === 'fall' && kind === 'gradual' && text.includes('balance'),
    );
    expect(falls.length).toBeGreaterThan(2);
    for (const { text, evidence, fromBps } of falls) {
      const timeUs = evidence['time_us'] ?? NaN;
      const signal = atTime(messages, 'x_curr_ms', timeUs);
      expect(atTime(messages, 'mode', timeUs)).toBe(1);
      expect(numberAfter(text, 'signal')).toBeCloseTo(signal, 0.9);
      expect(numberAfter(text, '>')).toBeCloseTo((10 * 2e6) / fromBps, 0.9);
      expect(signal).toBeGreaterThan((10 * 2e6) / fromBps);
    }
  });

  it('credits the law only with what the law can do, and the bound from frames with the rest (RFC 8698, 4.3)', () => {
    const flow = media('nada-live');
    const trace = simulated(core, flow);
    const { time_us: time = [], x_curr_ms: signals = [] } = columnsOf(trace, 'nada', 'x_curr_ms');
    const falls = targetChanges(trace, { flow: 0, header: headerOf(flow) }).filter(
      ({ shape }) => shape === 'fall' || shape === 'decline',
    );
    const laws = falls.filter(({ kind }) => kind === 'gradual');
    expect(laws.length).toBeGreaterThan(5);
    for (const { text, fromUs, toUs, fromBps, toBps } of laws) {
      // What is left if each message of the fall, and those that were on their way as it began, lowered the rate.
      let left = fromBps;
      signals.forEach((signal, i) => {
        if ((time[i] ?? NaN) <= fromUs - 400e3 || (time[i] ?? NaN) > toUs) return;
        const offset = signal - (6 * 2.5e6) / fromBps;
        const rise = signal - (signals[i - 1] ?? NaN);
        left *= Math.min(1, 1 - 0.5 * (100 / 500) * (offset / 500) - 0.5 * 2 * (rise / 500));
      });
      expect(toBps, text).toBeGreaterThan(0.9 * left);
    }
    const [deepest] = falls.sort((a, b) => a.toBps / a.fromBps - b.toBps / b.fromBps);
    expect(deepest).toMatchObject({ kind: 'capacity', shape: 'fall' });
    expect(deepest?.text).toMatch(
      /^capacity: the frames’ arrival times allow at most \d+ kbps, target × 0\.\d+ of/,
    );
    const unbound = media('nada-live', { capacity_bound: 0 });
    const changes = targetChanges(simulated(core, unbound), { flow: 0, header: headerOf(unbound) });
    expect(changes.map(({ kind }) => kind)).not.toContain('capacity');
  });

  it.each(['nada-rfc8698', 'nada-2015', 'nada-chromium-2015', 'nada-live'])(
    'says how the signal of %s moved in the order of its messages',
    (preset) => {
      const flow = media(preset);
      const trace = simulated(core, flow);
      const { time_us: time = [], x_curr_ms: signals = [] } = columnsOf(trace, 'nada', 'x_curr_ms');
      for (const { text, kind, fromUs, toUs } of targetChanges(trace, { flow: 0, header: headerOf(flow) })) {
        if (kind === 'ramping-up') expect(numberAfter(text, '(signal')).toBeLessThan(20);
        const [, way, from, to] = /the signal (rose|fell) from ([\d.]+) ms to ([\d.]+) ms/.exec(text) ?? [];
        if (way === undefined) continue;
        expect(Number(from) < Number(to), text).toBe(way === 'rose');
        const within = Array.from(signals)
          .filter((_, i) => (time[i] ?? NaN) > fromUs - 1.2e6 && (time[i] ?? NaN) <= toUs)
          .map((signal) => msText(signal));
        expect(within.indexOf(`${from} ms`), text).toBeGreaterThanOrEqual(0);
        expect(within.lastIndexOf(`${to} ms`), text).toBeGreaterThan(within.indexOf(`${from} ms`));
      }
    },
  );

  it('says ramp-up where a message that saw no queue made the largest step of a rise', () => {
    const flow = media('nada-live');
    const changes = targetChanges(simulated(core, flow), { flow: 0, header: headerOf(flow) });
    const steepest = changes
      .filter(({ shape }) => shape === 'rise')
      .sort((a, b) => b.toBps / b.fromBps - a.toBps / a.fromBps)
      .slice(0, 3);
    expect(steepest.map(({ kind }) => kind)).toEqual(['ramping-up', 'ramping-up', 'ramping-up']);
  });

  it('says ramp-up where no queue is seen', () => {
    const flow = media('nada-rfc8698');
    const [first] = targetChanges(simulated(core, flow), { flow: 0, header: headerOf(flow) });
    expect(first).toMatchObject({ shape: 'rise', kind: 'ramping-up' });
  });
});

describe('LCC', () => {
  it('says cut with a delay that is above 1.1 times the target', () => {
    const flow = media('lcc');
    const trace = simulated(core, flow);
    const changes = targetChanges(trace, { flow: 0, header: headerOf(flow) });
    const epochs = columnsOf(trace, 'lcc', 'average_delay_us', 'target_delay_us', 'action');
    const cuts = changes.filter(({ kind, shape }) => kind === 'cut' && shape === 'fall');
    expect(cuts.length).toBeGreaterThan(2);
    for (const { text, evidence } of cuts) {
      const timeUs = evidence['time_us'] ?? NaN;
      expect(atTime(epochs, 'action', timeUs)).toBe(1);
      const [delayUs, targetUs] = ['average_delay_us', 'target_delay_us'].map((name) =>
        atTime(epochs, name, timeUs),
      );
      expect(delayUs).toBeGreaterThan(1.1 * (targetUs ?? NaN));
      expect(numberAfter(text, 'delay')).toBeCloseTo((delayUs ?? NaN) / 1e3, 0.9);
      expect(numberAfter(text, 'target')).toBeCloseTo((targetUs ?? NaN) / 1e3, 0.9);
    }
  });

  it('credits the bound from frames with a fall to a rate that it set', () => {
    const flow = media('lcc-live');
    const trace = simulated(core, flow);
    const epochs = columnsOf(trace, 'lcc', 'next_rate_bps', 'bound_bps');
    const falls = targetChanges(trace, { flow: 0, header: headerOf(flow) }).filter(
      ({ shape }) => shape === 'fall',
    );
    const bounded = falls.filter(({ kind }) => kind === 'capacity');
    expect(bounded.length).toBeGreaterThan(0);
    expect(bounded.length).toBeLessThan(falls.length);
    for (const { evidence } of bounded)
      expect(atTime(epochs, 'next_rate_bps', evidence['time_us'] ?? NaN)).toBe(evidence['bound_bps']);
    const [deepest] = falls.sort((a, b) => a.toBps / a.fromBps - b.toBps / b.fromBps);
    expect(deepest?.kind).toBe('capacity');
  });
});

it('four times the rows, 60,000 of rates and more of groups, take no more than eight times as long', () => {
  const flow = media('gcc');
  const tracedFor = (durationUs: number): TraceData => {
    const simulation = core.createSimulation({
      durationUs,
      forward: { capacityBps: 1e6, oneWayDelayUs: 25e3 },
      flows: [flow],
      trace: { tables: ['group', 'rate'], intervalUs: 20e3 },
    });
    simulation.runUntil(Infinity);
    const trace = new TraceData();
    for (const batch of simulation.drain()) trace.append(batch);
    simulation.destroy();
    return trace;
  };
  const [part, whole] = [tracedFor(300e6), tracedFor(1200e6)] as const;
  expect(whole.extent().rows['rate']).toBeGreaterThanOrEqual(59_000);
  // Processor time, which other load on the machine hardly affects.
  const tookUs = (trace: TraceData): number => {
    const start = process.cpuUsage();
    targetChanges(trace, { flow: 0, header: headerOf(flow) });
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  // A search that is quadratic in the rows would take sixteen times as long.
  const turns = Array.from({ length: 7 }, () => [tookUs(part), tookUs(whole)] as const);
  const least = (which: 0 | 1): number => Math.min(...turns.map((turn) => turn[which]));
  expect(least(1) / least(0)).toBeLessThan(8);
});
