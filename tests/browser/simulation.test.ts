/** A scenario simulated in a page's worker gives the same bytes as in Node; failures are reported. */
import { createHash } from 'node:crypto';

import { loadCore } from '../../src/core/index.js';
import { judge, parseScenario, runCell, traceHeader } from '../../src/scenario/index.js';
import { readScenario } from '../../src/command_line/scenarios.js';
import { formatTrace, TraceData } from '../../src/trace/index.js';
import type { Asked } from './harness/simulations.js';
import { expect, test } from './support.js';

const TABLES = ['arrival', 'group', 'feedback', 'rate', 'queue', 'throughput'] as const;

const MIX = {
  ccscope_scenario: 1,
  id: 'mix',
  title: 'A bit of everything',
  description:
    'Media and TCP over a lossy, jittery link whose capacity falls, and something on the way back.',
  duration_s: 40,
  forward: {
    capacity: '3mbps,1mbps@15s,2mbps@30s',
    queue: 'fq_codel',
    one_way_delay_ms: 20,
    loss_ratio: 0.01,
    jitter_ms: 5,
  },
  backward: { capacity: '1mbps', queue: 'pie', one_way_delay_ms: 20 },
  flows: [
    { kind: 'media', name: 'gcc', count: 2, start_step_s: 3 },
    { kind: 'tcp', name: 'cubic', start_s: 5, stop_s: 35 },
    { kind: 'tcp', name: 'reno', congestion_control: 'new_reno', direction: 'backward', start_s: 8 },
    { kind: 'tcp', name: 'web', short: { min_bytes: 30000, max_bytes: 50000, idle_mean_s: 2 } },
  ],
  windows: [{ name: 'low', begin_s: 15, end_s: 30 }],
  metrics: [{ metric: 'utilisation' }, { metric: 'jain_all', window: 'low' }],
};

/** The same run in Node. */
async function inNode({ scenario: input, cell, seed, tables }: Asked) {
  const scenario = parseScenario(input);
  const run = runCell(await loadCore(), scenario, cell, seed, { trace: { tables } });
  const trace = new TraceData();
  for (const batch of run.batches) trace.append(batch);
  const values = new Map([...run.values].map(([key, value]) => [key, [value]]));
  const metrics = judge(scenario, [{ cell, values }]).cells[0]?.metrics ?? [];
  return {
    windows: JSON.stringify(run.windows),
    metrics: JSON.stringify(metrics),
    trace: [...formatTrace(trace, { ccscope_trace: 1, ...traceHeader(scenario, cell, seed) })].join(''),
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const CASES: readonly Asked[] = [
  {
    scenario: readScenario('ton-fig11'),
    cell: { queue: '350ms', capacity: '1mbps' },
    seed: 1,
    tables: TABLES,
  },
  { scenario: readScenario('aqm-fig4'), cell: {}, seed: 5, tables: TABLES },
  { scenario: MIX, cell: {}, seed: 42, tables: TABLES },
];

for (const asked of CASES) {
  const { id } = asked.scenario as { id: string };
  test(`${id} gives the same metrics and trace in Chromium as in Node, byte for byte`, async ({ call }) => {
    const page = await call.page.evaluate((a) => window.harness.simulations.simulate(a), asked);
    const node = await inNode(asked);
    expect(page.windows).toBe(node.windows);
    expect(page.metrics).toBe(node.metrics);
    expect(page.trace.length).toBe(node.trace.length);
    expect(sha256(page.trace)).toBe(sha256(node.trace));
    expect(page.trace.split('\n').length).toBeGreaterThan(9_000);
  });
}

test('a run that is aborted stops soon, with what it has', async ({ call }) => {
  const long = { ...MIX, duration_s: 50_000, flows: [MIX.flows[0]] };
  const result = await call.page.evaluate((s) => window.harness.simulations.aborted(s), long);
  expect(result.cancelled).toBe(true);
  expect(result.timeUs).toBeLessThan(50_000e6);
  expect(result.stoppedMs).toBeLessThan(1000);
});

test('a trap in the module fails the run and not the page', async ({ call }) => {
  const problems = await call.page.evaluate(async (scenario) => {
    const wasmUrl = await window.harness.trapped('ccs_sim_run_until');
    return window.harness.simulations.failures({ wasmUrl }, scenario);
  }, MIX);
  expect(problems).toHaveLength(2);
  for (const problem of problems) {
    expect(problem?.kind).toBe('fault');
    expect(problem?.message).toContain('the simulator broke down');
    expect(problem?.fix).toBeTruthy();
  }
  // The page can still simulate, in new workers.
  const next = await call.page.evaluate((scenario) => window.harness.simulations.failures({}, scenario), MIX);
  expect(next).toEqual([null, null]);
});

test('a worker that breaks down fails its run, and the next run has a new one', async ({ call }) => {
  const problems = await call.page.evaluate(
    (scenario) => window.harness.simulations.failures(window.harness.simulations.brokenOnce(), scenario),
    MIX,
  );
  expect(problems[0]).toMatchObject({ kind: 'fault' });
  expect(problems[0]?.message).toContain('broken script');
  expect(problems[1]).toBeNull();
});

test('a worker that breaks down before it is asked is replaced', async ({ call }) => {
  const problem = await call.page.evaluate(
    (scenario) => window.harness.simulations.failureAfterPrepare(scenario),
    MIX,
  );
  expect(problem).toBeNull();
});

test('a user’s controller simulates in the worker; one that never returns is ended and named', async ({
  page,
}) => {
  await page.goto('/');
  const module = (rate: string): string => `export default { name: 'mine',
    createReceiver: () => ({ onArrival: () => [] }),
    createSender: () => ({ onFeedback() {}, rate() { ${rate} return { targetBps: 4e5 }; } }) };`;
  const failure = (source: string) =>
    page.evaluate(([text, scenario]) => window.harness.simulations.controllerFailure(text, scenario), [
      source,
      MIX,
    ] as const);
  expect(await failure(module(''))).toBeNull();
  expect(await failure(module('for (;;);'))).toMatchObject({
    kind: 'controller',
    message: expect.stringContaining('mine.js did not answer for 2 s'),
  });
});
