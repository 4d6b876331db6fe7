/**
 * `ccscope replay --twin` compares a recorded call with its twin (a simulation of the call). Here the recorded
 * call is also simulated, but with another seed. Its link changes during the call.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, tableSpec, type Core, type SimulationOptions } from '../../src/core/index.js';
import { DEFAULT_LINK_CONFIG } from '../../src/link/link_config.js';
import { formatTrace, TraceData, type TraceHeader } from '../../src/trace/index.js';
import { twinOptions } from '../../src/twin/options.js';
import { ccscope, scratch } from './support.js';

const files = scratch();
const BOUNDS = { min_bitrate_bps: 50_000, max_bitrate_bps: 2_500_000, start_bitrate_bps: 300_000 };
const CHANGE_US = 8e6;
let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/**
 * A trace as the Call page writes it. The call begins at 1 s; the link's capacity falls at 8 s, and its RTT
 * grows at 12 s.
 */
function recording(name: string, changed: Partial<TraceHeader> = {}): string {
  const link = { ...DEFAULT_LINK_CONFIG, capacity: '1.5mbps' };
  const options = twinOptions(
    {
      ...{
        controller: 'gcc',
        preset: 'gcc-live',
        set: BOUNDS,
        sourcePreset: 'synthetic',
        fps: 30,
        audio: false,
      },
      ...{ link, durationUs: 16e6, keyFrameIntervalS: 0, sourceMaxBps: 2.5e6 },
    },
    { machine: 'idle', seed: 77, tables: ['arrival', 'feedback', 'group', 'rate', 'queue'] },
  );
  const simulated: SimulationOptions = {
    ...options,
    forward: { ...options.forward, schedule: [{ atUs: CHANGE_US, capacityBps: 0.7e6 }] },
    flows: [{ ...options.flows[0], startUs: 1e6 }],
    changes: [{ atUs: 12e6, forward: { oneWayDelayUs: 125e3 }, backward: { oneWayDelayUs: 125e3 } }],
  };
  const trace = new TraceData();
  trace.appendEvent({ time_us: 0.9e6, name: 'start', detail: { preset: 'gcc-live', parameters: BOUNDS } });
  trace.appendEvent({ time_us: 12e6, name: 'link', detail: { rtt_ms: 250 } });
  const simulation = core.createSimulation(simulated);
  simulation.runUntil(Infinity);
  const estimate = tableSpec('rate').columns.findIndex((column) => column.name === 'browser_estimate_bps');
  for (const batch of simulation.drain()) {
    if (batch.table === 'rate') batch.columns[estimate]?.fill(3e6);
    trace.append(batch);
  }
  simulation.destroy();
  const header = {
    ...{ ccscope_trace: 1, source: 'call', controller: 'gcc', preset: 'gcc-live', parameters: BOUNDS },
    ...{ mode: 'control', audio: false, link: { ...link, at: 'shaper' } },
    video: { label: 'synthetic', width: 640, height: 360, frame_rate: 30, codec: 'vp8' },
    ...changed,
  } as TraceHeader;
  return files.write(name, [...formatTrace(trace, header)].join(''));
}

interface Compared {
  assumed: string[];
  series: { name: string; unit: string; call: number; simulation: number; apart: number; relative: number }[];
}

describe('ccscope replay --twin', () => {
  it('tells how far a call is from the simulation of its schedule', async () => {
    const trace = recording('call.ndjson');
    const { status, stdout, stderr } = await ccscope(['replay', trace, '--twin', '--json', '-']);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const { assumed, series } = JSON.parse(stdout) as Compared;
    expect(assumed).toEqual([]);
    expect(series.map(({ name, unit }) => [name, unit])).toEqual([
      ['Target', 'kbps'],
      ['Received', 'kbps'],
      ['Queuing delay', 'ms'],
      ['RTT', 'ms'],
      ['Loss', '%'],
    ]);
    const of = (name: string) => series.find((each) => each.name === name);
    for (const name of ['Target', 'Received']) {
      // The call and its twin have different seeds, so they differ. They have the same schedule, so they do not
      // differ much.
      expect(of(name)?.apart, name).toBeGreaterThan(1);
      expect(of(name)?.relative, name).toBeLessThan(0.2);
    }
    // Without the change of the RTT (+200 ms for a quarter of the time), the twin would differ by 50 ms on
    // average.
    expect(of('RTT')?.apart).toBeLessThan(35);

    const text = await ccscope(['replay', trace, '--twin']);
    expect(text.stdout).toMatch(
      /the call and its simulation, averages over the seconds from 1\.0 to 16\.\d s/,
    );
    expect(text.stdout).toMatch(/^Queuing delay {2}ms +[\d.]+ +[\d.]+ +-?[\d.]+ +[\d.]+ +[\d.]+ % +[\d.]+$/m);
  });

  it('says why there is none, and what it does not take', async () => {
    const observed = recording('observed.ndjson', { mode: 'observe' });
    const refused = await ccscope(['replay', observed, '--twin']);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('--twin: the browser’s own controller set the rates');
    const unknown = await ccscope([
      'replay',
      recording('bad.ndjson', { link: { capacity: 'much' } }),
      '--twin',
    ]);
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('link.capacity: expected');
    const both = await ccscope(['replay', observed, '--twin', '--set', 'k_u=0.02']);
    expect(both).toMatchObject({ status: 2, stdout: '' });
    expect(both.stderr).toContain('with its recorded settings; remove --set');
    const rows = await ccscope(['replay', observed, '--twin', '--format', 'csv']);
    expect(rows.stderr).toContain('remove --format');
  });
});
