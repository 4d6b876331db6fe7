/** A replay of a simulation's trace gives the same `group` rows as the simulation itself. */
import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, type Core } from '../../src/core/index.js';
import { parseScenario, runCell, traceHeader } from '../../src/scenario/index.js';
import { formatTrace, TraceData } from '../../src/trace/index.js';
import { ccscope, rows, scratch } from './support.js';

const files = scratch();
let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const SCENARIO = {
  ccscope_scenario: 1,
  id: 'three',
  title: 'Three media flows and TCP',
  description: 'Flows with different presets and parameters behind one queue that overflows.',
  duration_s: 20,
  forward: { capacity: '2mbps', queue: 'droptail:150ms', one_way_delay_ms: 25, jitter_ms: 2 },
  flows: [
    { kind: 'media', name: 'adaptive' },
    { kind: 'tcp', name: 'tcp', start_s: 5 },
    {
      kind: 'media',
      name: 'static',
      preset: 'static-threshold',
      parameters: { gamma_init_ms: 40, max_bitrate_bps: 900_000 },
      start_s: 2,
    },
    { kind: 'media', name: 'deployed', preset: 'libwebrtc-2016-08', start_s: 4 },
  ],
};

function simulated(): string {
  const scenario = parseScenario(SCENARIO);
  const { batches } = runCell(core, scenario, {}, 3, {
    trace: { tables: ['arrival', 'group', 'rate', 'queue', 'throughput'] },
  });
  const trace = new TraceData();
  for (const batch of batches) trace.append(batch);
  const header = traceHeader(scenario, {}, 3);
  return [...formatTrace(trace, { ccscope_trace: 1, ...header })].join('');
}

const groupsOf = (text: string, flow: number): string[] =>
  text.split('\n').filter((line) => line.startsWith(`{"type":"group","flow":${flow},`));

describe('ccscope replay of a simulation', () => {
  it('gives the same group rows for every flow, bit for bit', async () => {
    const text = simulated();
    const { status, stdout, stderr } = await ccscope(['replay', files.write('simulated.ndjson', text)]);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    for (const flow of [0, 2, 3]) {
      const recorded = groupsOf(text, flow);
      expect(recorded.length).toBeGreaterThan(200);
      expect(groupsOf(stdout, flow)).toEqual(recorded);
    }
    expect(groupsOf(text, 1)).toEqual([]);
  });

  it('replays one flow alone, by name or number', async () => {
    const text = simulated();
    const file = files.write('one.ndjson', text);
    for (const flow of ['static', '2']) {
      const { status, stdout } = await ccscope(['replay', file, '--flow', flow]);
      expect(status).toBe(0);
      expect(groupsOf(stdout, 2)).toEqual(groupsOf(text, 2));
      expect(new Set(rows(stdout).map((row) => row['flow']))).toEqual(new Set([2]));
    }
  });

  it('keeps each flow within its own recorded bounds under another controller or preset', async () => {
    const file = files.write('bounds.ndjson', simulated());
    const choices = [
      ['--controller', 'gcc'],
      ['--controller', 'nada'],
      ['--preset', 'gcc-live'],
    ];
    for (const flags of choices) {
      const { stdout } = await ccscope(['replay', file, ...flags, '--rows', 'rate']);
      const highest = (flow: number): number =>
        Math.max(
          ...rows(stdout).flatMap((row) => (row['flow'] === flow ? [Number(row['target_bps'] ?? 0)] : [])),
        );
      expect(highest(2)).toBeLessThanOrEqual(900_000);
      expect(highest(0)).toBeGreaterThan(900_000);
    }
  });

  it('asks what another preset would have made of every flow', async () => {
    const file = files.write('other.ndjson', simulated());
    const { stdout } = await ccscope(['replay', file, '--preset', 'static-threshold', '--rows', 'group']);
    const gammas = rows(stdout).map((row) => row['gamma_ms']);
    expect(new Set(gammas).size).toBe(1);
  });

  it('says which flows there are when another is asked for', async () => {
    const file = files.write('none.ndjson', simulated());
    const named = await ccscope(['replay', file, '--flow', 'statc']);
    expect(named.status).toBe(2);
    expect(named.stderr).toContain('expected one of adaptive, static, deployed');
    const tcp = await ccscope(['replay', file, '--flow', 'tcp']);
    expect(tcp.status).toBe(2);
    expect(tcp.stderr).toContain('arrival row for flow 1');
  });
});
