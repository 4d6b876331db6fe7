/**
 * Replays reference vectors (see tests/vectors/README.md) on the command line. For each packet group, the
 * outputs of the filter and the detector must agree with the vector's outputs, within small tolerances.
 */
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { presetValue, SCHEMA } from '../../src/core/index.js';
import { ccscope, rows, scratch } from './support.js';

interface Vector {
  /** The constants of the reference implementation. */
  constants: Readonly<
    Record<
      'slope0' | 'var0' | 'gamma0' | 'ku' | 'kd' | 'overuse_time_ms' | 'max_deltas' | 'group_ms' | 'beta',
      number
    >
  > &
    Readonly<Record<'Q' | 'P0', [number, number]>>;
  packets: [sendUs: number, absSendTime: number, arrivalMs: number, size: number][];
  group_fields: string[];
  groups: number[][];
}

interface Arrival {
  send_time_us?: number;
  abs_send_time?: number;
  arrival_time_us: number;
  size_bytes: number;
}

const STATES = ['normal', 'underuse', 'overuse'];
const PRESET = ['--preset', 'libwebrtc-2016-08', '--rows', 'group'];
const { write } = scratch();

function vector(name: string): Vector {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as Vector;
}

/** Writes a trace file with these arrivals. */
function trace(name: string, arrivals: readonly Arrival[]): string {
  const header = {
    ccscope_trace: 1,
    created: '2026-01-31T12:00:00Z',
    source: 'reference',
    clock: 'receiver',
  };
  const lines = [header, ...arrivals.map((arrival, seq) => ({ type: 'arrival', flow: 0, seq, ...arrival }))];
  return write(`${name}.ndjson`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Arrivals with send times in microseconds, converted from the 24-bit clock, which wraps every 64 s. */
function unwrapped(packets: Vector['packets']): Arrival[] {
  let wraps = 0;
  let last = 0;
  return packets.map(([, abs, arrivalMs, size]) => {
    if (abs < last - 2 ** 23) wraps += 1;
    last = abs;
    const ticks = wraps * 2 ** 24 + abs;
    return { send_time_us: (ticks * 1e6) / 2 ** 18, arrival_time_us: arrivalMs * 1000, size_bytes: size };
  });
}

async function expectGroups(
  file: string,
  { group_fields, groups }: Vector,
  flags: readonly string[],
): Promise<void> {
  const outcome = await ccscope(['replay', file, ...flags]);
  expect(outcome).toMatchObject({ status: 0, stderr: '' });
  const replayed = rows(outcome.stdout);
  expect(groups.length).toBeGreaterThan(100);
  expect(replayed).toHaveLength(groups.length);
  groups.forEach((group, index) => {
    const row = replayed[index] ?? {};
    const reference = (field: string): number => group[group_fields.indexOf(field)] ?? NaN;
    const differsBy = (column: string, field: string): number =>
      Math.abs(Number(row[column]) - reference(field));
    const where = `group ${index}`;
    expect(row['signal'], where).toBe(STATES[reference('state')]);
    expect(differsBy('m_ms', 'm_ms'), where).toBeLessThanOrEqual(1e-6);
    expect(differsBy('detector_input_ms', 'T'), where).toBeLessThanOrEqual(6e-5);
    expect(differsBy('gamma_ms', 'gamma_ms'), where).toBeLessThanOrEqual(1e-4);
    expect(differsBy('inverse_capacity_ms_per_byte', 'slope_ms_per_byte'), where).toBeLessThanOrEqual(1e-9);
    expect(differsBy('noise_variance_ms2', 'var_noise'), where).toBeLessThanOrEqual(1e-5);
  });
}

describe.each(['B_overload_drain', 'D_jitter_sd3', 'H_spike_and_step'])('%s', (name) => {
  const reference = vector(name);

  it('is of the constants that the preset has', () => {
    const { constants: c } = reference;
    const { parameters, presets } = SCHEMA.controllers.gcc;
    const preset = presets.find((each) => each.name === 'libwebrtc-2016-08');
    const of = Object.fromEntries(parameters.map((each) => [each.name, preset && presetValue(preset, each)]));
    expect(of).toMatchObject({
      ...{ q_inverse_capacity: c.Q[0], q_m: c.Q[1], p0_inverse_capacity: c.P0[0], p0_m: c.P0[1] },
      ...{ inverse_capacity_init: c.slope0, noise_variance_init_ms2: c.var0, gamma_init_ms: c.gamma0 },
      ...{ k_u: c.ku, k_d: c.kd, overuse_time_ms: c.overuse_time_ms, detector_gain_groups: c.max_deltas },
      ...{ group_length_ms: c.group_ms, alpha: c.beta, burst_max_duration_ms: 0 },
    });
  });

  const { packets, groups } = reference;

  it('gives the same m, gamma and signals from packets with send times', async () => {
    const file = trace(`${name}-send`, unwrapped(packets));
    await expectGroups(file, reference, PRESET);
  });

  it('gives the same from packets with nothing but the 24-bit abs-send-time', async () => {
    const arrivals = packets.map(([, abs, arrivalMs, size]) => {
      return { abs_send_time: abs, arrival_time_us: arrivalMs * 1000, size_bytes: size };
    });
    await expectGroups(trace(`${name}-abs`, arrivals), reference, PRESET);
  });

  it('gives the same from one packet a group', async () => {
    const last = { send_time_us: 0, arrival_time_us: 50_000, size_bytes: 100_000 };
    const arrivals = [{ ...last }];
    for (const [, , sendMs = 0, arrivalMs = 0, size = 0] of groups) {
      last.send_time_us += sendMs * 1000;
      last.arrival_time_us += arrivalMs * 1000;
      last.size_bytes += size;
      arrivals.push({ ...last });
    }
    // A group is complete only when the first packet of the next group arrives. So one more packet follows
    // the last group.
    arrivals.push({
      ...last,
      send_time_us: last.send_time_us + 1e5,
      arrival_time_us: last.arrival_time_us + 1e5,
    });
    await expectGroups(trace(`${name}-groups`, arrivals), reference, PRESET);
  });
});
