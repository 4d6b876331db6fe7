import { describe, expect, it } from 'vitest';

import { loadCore, type TraceBatch } from '../../../src/core/index.js';
import { compile, instantiate, parseScenario, quantityKey, runCell } from '../../../src/scenario/index.js';
import { formatTrace, TraceData, unpackBatches } from '../../../src/trace/index.js';
import type {
  SimulationProgress,
  SimulationRequest,
} from '../../../src/worker/simulation/simulation_protocol.js';
import { SimulationService } from '../../../src/worker/simulation/simulation_service.js';
import { ONE_GCC } from './one_gcc.js';

const TABLES = ['arrival', 'group', 'rate', 'queue', 'throughput'] as const;
const CELL = { capacity: '1mbps' };

async function run(request: SimulationRequest, onProgress?: (progress: SimulationProgress) => void) {
  const service = new SimulationService();
  const batches: TraceBatch[] = [];
  const shares: number[] = [];
  const ran = await service.run(request, (progress) => {
    onProgress?.(progress);
    batches.push(...unpackBatches(progress.rows));
    shares.push(progress.share);
  });
  return { ran, batches, shares };
}

function ndjson(batches: readonly TraceBatch[]): string {
  const trace = new TraceData();
  for (const batch of batches) trace.append(batch);
  return [...formatTrace(trace, { ccscope_trace: 1 })].join('');
}

describe('the simulation service', () => {
  it('gives the metrics and rows that a run in one go gives', async () => {
    const { ran, batches, shares } = await run({
      scenario: ONE_GCC,
      cell: CELL,
      seed: 7,
      trace: { tables: TABLES },
    });
    if (!ran.ok) throw new Error(ran.problem.message);
    const direct = runCell(await loadCore(), parseScenario(ONE_GCC), CELL, 7, { trace: { tables: TABLES } });
    expect(ran.result.windows).toEqual(direct.windows);
    const [utilisation] = ran.result.metrics;
    expect(utilisation).toMatchObject({ name: 'utilisation', window: 'late', published: 0.9 });
    expect(utilisation?.measured.mean).toBe(direct.values.get('utilisation||late'));
    expect(utilisation?.verdict).toMatch(/within|off/);
    expect(ndjson(batches)).toBe(ndjson(direct.batches));
    expect(batches.filter(({ table }) => table === 'group').length).toBeGreaterThan(10);
    expect(shares.at(-1)).toBe(1);
    expect(ran.result.timeUs).toBe(30e6);
    expect(ran.result.cancelled).toBe(false);
  });

  it('sends the rows that were asked for alone, also where a metric is made of others', async () => {
    const scenario = { ...ONE_GCC, metrics: [{ metric: 'delay_variation_modes', flow: 'gcc' }] };
    const none = await run({ scenario, cell: CELL });
    expect(none.batches).toEqual([]);
    const { ran, batches } = await run({ scenario, cell: CELL, trace: { tables: ['rate'] } });
    expect(new Set(batches.map(({ table }) => table))).toEqual(new Set(['rate']));
    if (!ran.ok || !none.ran.ok) throw new Error('it did not run');
    expect(
      ran.result.values.get(quantityKey({ metric: 'delay_variation_modes', flow: 'gcc' })),
    ).toBeGreaterThan(0);
    expect(ran.result.values).toEqual(none.ran.result.values);
  });

  it('measures the same whether it runs in slices or not', async () => {
    const core = await loadCore();
    const scenario = parseScenario(ONE_GCC);
    const simulation = core.createSimulation(compile(instantiate(scenario, CELL), 7));
    simulation.runUntil(30e6);
    expect(runCell(core, scenario, CELL, 7).windows).toEqual(simulation.metrics());
    simulation.destroy();
  });

  it('runs plain options, and judges nothing then', async () => {
    const options = compile(instantiate(parseScenario(ONE_GCC), CELL), 7);
    const { ran } = await run({ options });
    if (!ran.ok) throw new Error(ran.problem.message);
    expect(ran.result.metrics).toEqual([]);
    expect(ran.result.windows.map(({ name }) => name)).toEqual(['run', 'late']);
  });

  it('stops when it is told to, with what it has so far', async () => {
    const service = new SimulationService();
    const long = { ...ONE_GCC, duration_s: 100_000 };
    const ran = await service.run({ scenario: long, cell: CELL }, () => service.cancel());
    if (!ran.ok) throw new Error(ran.problem.message);
    expect(ran.result.cancelled).toBe(true);
    expect(ran.result.timeUs).toBeGreaterThan(0);
    expect(ran.result.timeUs).toBeLessThan(50_000e6);
    expect(ran.result.windows[0]?.flows[0]?.receivedBytes).toBeGreaterThan(0);
  });

  it('goes on while a report is being handled, and then reports all later rows at once', async () => {
    const scenario = { ...ONE_GCC, duration_s: 3000 };
    const reports: SimulationProgress[] = [];
    let handle = (): void => undefined;
    const running = new SimulationService().run(
      { scenario, cell: CELL, trace: { tables: ['rate'] } },
      (progress) => {
        reports.push(progress);
        if (reports.length > 1) return undefined;
        return new Promise<void>((resolve) => (handle = resolve));
      },
    );
    await expect.poll(() => reports.length).toBe(1);
    // Each round lets the simulation run for another slice of 25 ms.
    for (let round = 0; round < 1000; round++) await new Promise((resolve) => setImmediate(resolve));
    handle();
    const ran = await running;
    if (!ran.ok) throw new Error(ran.problem.message);
    expect(reports.map(({ share }) => share)).toEqual([expect.any(Number), 1]);
    expect(reports[0]?.share).toBeLessThan(1);
    expect(reports[0]?.elapsedMs).toBeGreaterThanOrEqual(80);
    expect(ran.result.timeUs).toBe(3000e6);
  });

  it('fails if a report fails', async () => {
    const ran = await new SimulationService().run({ scenario: ONE_GCC, cell: CELL }, () =>
      Promise.reject(new Error('nobody listens')),
    );
    expect(ran.ok ? '' : ran.problem.message).toContain('nobody listens');
  });

  it('says which field of a scenario is wrong, what was expected and what to do', async () => {
    const { ran } = await run({ scenario: { ...ONE_GCC, duration_s: -1 } });
    expect(ran).toMatchObject({ ok: false, problem: { kind: 'scenario', got: '-1' } });
    if (ran.ok) return;
    expect(ran.problem.field).toContain('duration_s');
    expect(ran.problem.expected).toBeTruthy();
    expect(ran.problem.fix).toBeTruthy();
  });

  it('names the field that the core refuses', async () => {
    const options = { durationUs: 1e6, forward: { capacityBps: 1e6, lossRatio: 2 }, flows: [] };
    const { ran } = await run({ options: { ...options, flows: [{ kind: 'media' }] } });
    expect(ran).toMatchObject({ ok: false, problem: { kind: 'scenario', field: 'forward.lossRatio' } });
  });

  it('says that the core could not be loaded', async () => {
    const service = new SimulationService(new URL('./no-such.wasm', import.meta.url));
    const ran = await service.run({ scenario: ONE_GCC }, () => undefined);
    expect(ran).toMatchObject({ ok: false, problem: { kind: 'core' } });
  });
});

describe('a user’s controller in the simulation service', () => {
  const module = (rate: string): { url: string; name: string } => {
    const text = `export default { name: 'mine',
      createReceiver: () => ({ onArrival: () => [] }),
      createSender: () => ({ onFeedback() {}, rate(nowUs) { ${rate} return { targetBps: 4e5 }; } }) };`;
    return { url: `data:text/javascript,${encodeURIComponent(text)}`, name: 'mine.js' };
  };
  const request = (controller: { url: string; name: string }): SimulationRequest => ({
    scenario: ONE_GCC,
    cell: CELL,
    controller,
  });

  it('has all media flows', async () => {
    const { ran } = await run(request(module('')));
    if (!ran.ok) throw new Error(ran.problem.message);
    expect(ran.result.faults).toEqual([]);
    const target = ran.result.windows[0]?.flows[0]?.targetRateBps;
    expect(target).toBeGreaterThan(399e3);
    expect(target).toBeLessThan(401e3);
  });

  it('that fails is named, and the run goes on', async () => {
    const { ran } = await run(request(module('if (nowUs > 5e6) throw new Error("boom");')));
    if (!ran.ok) throw new Error(ran.problem.message);
    expect(ran.result.faults).toMatchObject([
      { controller: 'mine', half: 'sender', message: 'rate() threw Error: boom' },
    ]);
    expect(ran.result.timeUs).toBe(30e6);
  });

  it('that is invalid is refused', async () => {
    const { ran } = await run(request({ url: 'data:text/javascript,export%20const%20x=1', name: 'x.js' }));
    expect(ran).toMatchObject({ ok: false, problem: { kind: 'controller', field: 'controller' } });
    expect(!ran.ok && ran.problem.message).toMatch(/x\.js: expected a default export/);
  });
});
