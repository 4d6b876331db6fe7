/** `ccscope call` from the outside: a real call through the shaper, and its report. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from '@playwright/test';

import type { MachineReport } from '../../src/machine/index.js';
import { comparedWith, type CallReport } from '../../src/command_line/call/types.js';
import { start } from './command.js';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccscope-call-'));
});
test.afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Expects a consistent report, whether or not the machine is overloaded. A run of 8 s is long enough to fill a
 * time window of the overload check.
 */
function expectMachine(machine: MachineReport | undefined): void {
  expect(machine?.shaper_late_p95_ms).toBeGreaterThanOrEqual(0);
  expect(machine?.callbacks_late_ms).toBeGreaterThanOrEqual(0);
  expect(machine?.share).toBeGreaterThanOrEqual(0);
  expect(machine?.share).toBeLessThan(1);
  expect(machine?.reasons.length).toBeGreaterThanOrEqual(machine?.overloaded === true ? 1 : 0);
  if (machine?.overloaded === false) expect(machine.reasons).toEqual([]);
}

test('a run of each controller gives a report of both, with ratios, and traces that replay', async () => {
  const trace = join(folder, 'trace.ndjson');
  // The lateness of callbacks is known only after five measured seconds, which a busy machine reaches late.
  const args = ['--controller', 'gcc,native', '--duration', '12s', '--capacity', '1mbps,0.5mbps@4s'];
  const { status, stdout, stderr } = await start(['call', ...args, '--trace', trace, '--json', '-']).outcome;
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const report = JSON.parse(stdout) as CallReport;
  expect(report).toMatchObject({ controller: 'gcc', mode: 'control', preset: 'gcc-live', duration_s: 12 });
  expect(report.link).toMatchObject({ capacity: '1mbps,0.5mbps@4s', queue: 'droptail:300ms', rtt_ms: 50 });
  const [native] = comparedWith(report);
  for (const [run, mode] of [
    [report.runs[0], 'control'],
    [native?.runs[0], 'observe'],
  ] as const) {
    expect(run).toMatchObject({ mode, steps: [{ at_s: 0 }, { at_s: 4, capacity_bps: 500_000 }] });
    expect(run?.utilisation).toBeGreaterThan(0.1);
    expect(run?.utilisation).toBeLessThan(1.05);
    expect(run?.fps).toBeGreaterThan(5);
    expect(run?.fps).toBeLessThan(35);
    expect(run?.queue_delay_ms.p50).toBeLessThanOrEqual(run?.queue_delay_ms.p95 ?? 0);
    expect(run?.shaper_lateness_ms.p50).toBeGreaterThanOrEqual(0);
    expectMachine(run?.machine);
    expect(run?.machine.source_frames_ratio).toBeGreaterThan(0.1);
    expect(run?.machine.source_frames_ratio).toBeLessThan(1.2);
  }
  expect(report.comparison?.ratios.utilisation?.of_medians).toBeCloseTo(
    (report.runs[0]?.utilisation ?? 0) / (native?.runs[0]?.utilisation ?? 1),
    9,
  );
  const file = join(folder, 'trace.gcc-1.ndjson');
  expect(readFileSync(file, 'utf8').split('\n')[0]).toContain('"ccscope_trace":1');
  const replay = await start(['replay', file, '--rows', 'group', '--out', join(folder, 'replayed')]).outcome;
  expect(replay.status).toBe(0);
});

test('NADA in charge, with shadows: what each would have asked for', async () => {
  const trace = join(folder, 'shadows.ndjson');
  const args = ['--controller', 'nada', '--shadow', 'gcc', '--shadow', 'lcc', '--duration', '8s'];
  const { status, stdout, stderr } = await start(['call', ...args, '--trace', trace, '--json', '-']).outcome;
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const report = JSON.parse(stdout) as CallReport;
  expect(report).toMatchObject({ controller: 'nada', mode: 'control', preset: 'nada-live' });
  const [run] = report.runs;
  expect(run).toMatchObject({ mode: 'control', controller_faults: [], overuse_count: null });
  expect(run?.shadows.map(({ name, controller }) => ({ name, controller }))).toEqual([
    { name: 'GCC', controller: 'gcc' },
    { name: 'LCC', controller: 'lcc' },
  ]);
  for (const target of [run, ...(run?.shadows ?? [])]) {
    // All targets stay within the application's bounds; the capacity is 1 Mbps.
    expect(target?.target_mean_bps).toBeGreaterThanOrEqual(50_000);
    expect(target?.target_mean_bps).toBeLessThanOrEqual(2_500_000);
    // All controllers get the call's frames, so each target must change.
    expect(target?.target_of_capacity.p5).toBeLessThan(target?.target_of_capacity.p95 ?? 0);
    expect(target?.target_final_bps).toBeLessThanOrEqual(2_500_000);
  }
  const lines = readFileSync(trace, 'utf8').trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    controller: 'nada',
    preset: 'nada-live',
    flows: [
      { flow: 1, kind: 'shadow', name: 'GCC', controller: 'gcc', preset: 'gcc-live' },
      { flow: 2, kind: 'shadow', name: 'LCC', controller: 'lcc' },
    ],
  });
  const flowsOf = (type: string): Set<unknown> =>
    new Set(
      lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((row) => row['type'] === type)
        .map((row) => row['flow']),
    );
  expect(flowsOf('arrival')).toEqual(new Set([0]));
  expect(flowsOf('nada')).toEqual(new Set([0]));
  expect(flowsOf('group')).toEqual(new Set([1]));
  expect(flowsOf('rate')).toEqual(new Set([0, 1, 2]));
  const replay = await start(['replay', trace, '--rows', 'rate', '--out', join(folder, 'replayed')]).outcome;
  expect(replay.status).toBe(0);
});

test('a controller of the user is in charge, another one fails as its shadow', async () => {
  const mine = join(folder, 'mine.ts');
  const wrong = join(folder, 'wrong.mjs');
  const module = (rate: string): string => `export default {
    name: 'mine',
    createReceiver: () => ({ onArrival: (a) => [a.sizeBytes] }),
    createSender: () => { let n = 0; return { onFeedback() {}, rate() { n++; ${rate} return { targetBps: 400e3 }; } }; },
  }`;
  writeFileSync(mine, `const name: string = 'typed';\n${module('')} satisfies object;`);
  writeFileSync(wrong, module('if (n > 20) return { targetBps: NaN };'));
  const args = ['--controller', mine, '--shadow', wrong, '--duration', '6s', '--json', '-'];
  const { status, stdout, stderr } = await start(['call', ...args]).outcome;
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const report = JSON.parse(stdout) as CallReport;
  expect(report).toMatchObject({ controller: 'mine.ts', mode: 'control', preset: null });
  const [run] = report.runs;
  expect(run).toMatchObject({ mode: 'control', target_final_bps: 400_000 });
  expect(run?.controller_faults).toMatchObject([{ controller: 'wrong.mjs', half: 'sender', flow: 1 }]);
  expect(run?.controller_faults[0]?.message).toMatch(/NaN/);
});

test('a Chromium that is not there is named', async () => {
  const { status, stderr } = await start(['call'], { ...process.env, CCSCOPE_CHROMIUM: join(folder, 'none') })
    .outcome;
  expect(stderr).toContain('CCSCOPE_CHROMIUM');
  expect(status).toBe(2);
});
