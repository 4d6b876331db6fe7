import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { comparedWith, type CallReport } from '../../src/command_line/call/types.js';
import { ccscope, rows, scratch } from './support.js';

const { path } = scratch();

async function twin(...args: string[]): Promise<CallReport> {
  const { status, stdout, stderr } = await ccscope([
    ...['call', '--twin', '--duration', '20s', '--json', '-'],
    ...args,
  ]);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout) as CallReport;
}

describe('ccscope call --twin', () => {
  it('keeps to the most that the source sends, and so does a replay of its trace', async () => {
    const trace = path('slow.ndjson');
    const report = await twin('--source-max', '200kbps', '--capacity', '2mbps', '--trace', trace);
    const [run] = report.runs;
    expect(run?.target_final_bps).toBe(200e3);
    const replayed = await ccscope(['replay', trace, '--rows', 'rate']);
    expect(replayed.status).toBe(0);
    expect(rows(replayed.stdout).at(-1)?.['target_bps']).toBe(200e3);
  });

  it('reports a simulated call as a real one', async () => {
    const report = await twin('--controller', 'gcc,nada', '--set', 'k_u=0.01', '--capacity', '1mbps');
    expect(report).toMatchObject({
      ...{ twin: true, machine: 'idle', browser: 'twin', mode: 'control' },
      ...{ controller: 'gcc', preset: 'gcc-live', parameters: { k_u: 0.01 }, codec: 'vp8', audio: false },
      ...{ source: { name: 'synthetic', width: 640, height: 360, fps: 30 }, duration_s: 20 },
      overloaded_runs: 0,
    });
    const others = comparedWith(report);
    expect(others.map(({ controller, preset }) => [controller, preset])).toEqual([['nada', 'nada-live']]);
    for (const { runs } of [report, ...others]) {
      const [run] = runs;
      expect(runs).toHaveLength(1);
      expect(run?.utilisation).toBeGreaterThan(0.8);
      expect(run?.utilisation).toBeLessThan(1);
      expect(run?.queue_delay_ms.p50).toBeGreaterThan(5);
      expect(run?.queue_delay_ms.p95).toBeLessThan(300);
      expect(run?.fps).toBeGreaterThan(28);
      expect(run?.fps).toBeLessThan(31);
      // As in Chromium, the encoder at first gets each new target divided by 1.2, and headers add 5 %. So a
      // target of 1.14 Mbps would fill the link of 1 Mbps.
      expect(run?.target_mean_bps).toBeGreaterThan(0.85e6);
      expect(run?.target_mean_bps).toBeLessThan(1.14e6);
      expect(run).toMatchObject({ cross_utilisation: 0, shadows: [], controller_faults: [] });
    }
  });

  it('counts how often the detector begins to signal overuse, of a controller that has one', async () => {
    const trace = path('overuses.ndjson');
    const falls = ['--capacity', '2mbps,0.5mbps@8s'];
    const [run] = (await twin(...falls, '--trace', trace)).runs;
    const signals = rows(readFileSync(trace, 'utf8'))
      .filter(({ type }) => type === 'group')
      .map(({ signal }) => signal);
    const begun = signals.filter((signal, i) => signal === 'overuse' && signals[i - 1] !== 'overuse');
    expect(begun.length).toBeGreaterThan(0);
    expect(run?.overuse_count).toBe(begun.length);
    const [nada] = (await twin(...falls, '--controller', 'nada')).runs;
    expect(nada?.overuse_count).toBeNull();
  });

  it('counts a freeze that never ends', async () => {
    const [dead] = (await twin('--capacity', '1mbps,0@5s')).runs;
    expect(dead?.freeze_count).toBe(1);
    expect(dead?.longest_freeze_s).toBeGreaterThan(14);
    expect(dead?.longest_freeze_s).toBeLessThan(15.1);
    const [back] = (await twin('--capacity', '1mbps,0@5s,1mbps@10s')).runs;
    expect(back?.longest_freeze_s).toBeGreaterThan(4.9);
    expect(back?.longest_freeze_s).toBeLessThan(7);
  });

  it('gives the same numbers for a seed, and others for the next run', async () => {
    const first = await twin('--runs', '2', '--seed', '5');
    const again = await twin('--runs', '2', '--seed', '5');
    expect(again).toEqual(first);
    const [one, two] = first.runs;
    expect(one?.utilisation).not.toBe(two?.utilisation);
    const next = await twin('--seed', '6');
    expect(next.runs[0]).toEqual(two);
  });

  it('follows a schedule and counts drops step by step', async () => {
    const report = await twin('--capacity', '1.5mbps,0.5mbps@8s', '--queue', 'droptail:150ms');
    const [run] = report.runs;
    const [before, after] = run?.steps ?? [];
    expect([before?.capacity_bps, after?.capacity_bps]).toEqual([1.5e6, 0.5e6]);
    expect(after?.drops).toBeGreaterThan(0);
    expect((before?.drops ?? 0) + (after?.drops ?? 0)).toBe(run?.drops);
    expect(after?.utilisation).toBeGreaterThan(0.6);
    expect(after?.utilisation).toBeLessThanOrEqual(1);
  });

  it('shares its link with TCP, whose part stands beside it', async () => {
    const report = await twin('--capacity', '2mbps', '--queue', 'fq_codel', '--cross-traffic', 'cubic:1');
    const [run] = report.runs;
    expect(run?.cross_utilisation).toBeGreaterThan(0.3);
    expect((run?.cross_utilisation ?? NaN) + (run?.utilisation ?? NaN)).toBeLessThanOrEqual(1);
    expect(run?.utilisation).toBeGreaterThan(0.25);
  });

  it('loses as many packets, alone or in bursts', async () => {
    for (const packets of ['1', '5']) {
      const args = ['--loss', '0.05', '--burst-loss', packets, '--duration', '60s'];
      const [run] = (await twin(...args)).runs;
      expect(run?.loss_ratio).toBeGreaterThan(0.03);
      expect(run?.loss_ratio).toBeLessThan(0.075);
    }
  });

  it('says in its text that it is a twin, and writes a trace that can be replayed', async () => {
    const trace = path('twin.ndjson');
    const { stdout } = await ccscope(['call', '--twin', '--duration', '5s', '--trace', trace]);
    expect(stdout).toMatch(/synthetic 640x360 at 30 fps in VP8, 5 s \(twin\)/);
    expect(stdout).not.toContain('shaper late');
    const [header, ...recorded] = rows(readFileSync(trace, 'utf8'));
    expect(header).toMatchObject({ source: 'simulator', twin: true, controller: 'gcc', preset: 'gcc-live' });
    const arrivals = recorded.filter(({ type }) => type === 'arrival').length;
    expect(arrivals).toBeGreaterThan(140);
    expect(arrivals).toBeLessThan(160);
    const replayed = await ccscope(['replay', trace]);
    expect(replayed.status).toBe(0);
    const groups = (text: Record<string, unknown>[]) => text.filter(({ type }) => type === 'group');
    expect(groups(rows(replayed.stdout))).toEqual(groups(recorded));
  });
});
