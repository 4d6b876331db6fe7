/** Runs the example controllers that public/controllers/README.md shows, from their own files. */
import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from 'vitest';

import aimd from '../../public/controllers/aimd.js';
import {
  controllerSetup,
  CoreError,
  loadCore,
  wasmController,
  type Core,
  type MediaFlowOptions,
  type SimulationOptions,
  type UserController,
  type WindowMetrics,
} from '../../src/core/index.js';
import { compileController } from '../support/compile_controller.js';

let core: Core;
let coreBytes: Buffer;
beforeAll(async () => {
  coreBytes = readFileSync('src/core/ccscope.wasm');
  core = await loadCore(coreBytes);
});

type Media = Omit<MediaFlowOptions, 'kind'>;
const PATH = { capacityBps: 1e6, oneWayDelayUs: 25e3, lossRatio: 0.005, jitterUs: 2e3 };

/** All metrics and the trace of a run with this controller. */
function outcome(
  media: Media,
  options: Partial<SimulationOptions> = {},
): { windows: WindowMetrics[]; trace: unknown } {
  const simulation = core.createSimulation({
    durationUs: 60e6,
    forward: PATH,
    flows: [{ kind: 'media', name: 'call', ...media }],
    trace: { tables: ['arrival', 'rate', 'throughput', 'queue'] },
    ...options,
  });
  simulation.runUntil(Infinity);
  expect(simulation.faults()).toEqual([]);
  const result = { windows: simulation.metrics(), trace: simulation.drain() };
  simulation.destroy();
  return result;
}

describe('aimd.ts', () => {
  it('has fewer than 40 lines', () => {
    expect(readFileSync('public/controllers/aimd.ts', 'utf8').split('\n').length - 1).toBeLessThan(40);
  });

  it.each([0.5e6, 1e6, 2e6])('uses a link of %d bps and keeps its queue short', (capacityBps) => {
    const forward = { capacityBps, oneWayDelayUs: 25e3 };
    const [run] = outcome({ controller: aimd }, { durationUs: 120e6, forward }).windows;
    expect(run?.forward.utilisation).toBeGreaterThan(0.6);
    expect(run?.forward.utilisation).toBeLessThanOrEqual(1);
    expect(run?.forward.queueDelayUs.p95).toBeLessThan(200e3);
    expect(run?.flows[0]?.lossRatio).toBe(0);
  });

  it('gives the same numbers each time, and others with another seed', () => {
    const first = outcome({ controller: aimd });
    expect(outcome({ controller: aimd })).toEqual(first);
    expect(outcome({ controller: aimd }, { seed: 2 })).not.toEqual(first);
  });

  it('shares a link fairly among its own', () => {
    const flow = { kind: 'media', controller: aimd } as const;
    const forward = { capacityBps: 2e6, oneWayDelayUs: 25e3 };
    const [run] = outcome({}, { durationUs: 120e6, forward, flows: [flow, flow] }).windows;
    expect(run?.jain).toBeGreaterThan(0.9);
  });
});

describe('controllers as WebAssembly modules', () => {
  it('aimd.c, compiled with one command, gives the numbers of aimd.ts', async () => {
    const controller = await wasmController(compileController('public/controllers/aimd.c'), { name: 'aimd' });
    expect(outcome({ controller })).toEqual(outcome({ controller: aimd }));
  });

  /**
   * The core's GCC, loaded as a user's controller. This is possible because the core's WebAssembly module has
   * the ABI of users' modules.
   */
  async function gccOfTheCore(): Promise<UserController> {
    const { index, values } = controllerSetup({ controller: 'gcc' }, 'simulation');
    return wasmController(coreBytes, { name: 'gcc', controller: index, parameters: values.slice(3) });
  }

  it('the core itself as a module: its GCC gives the numbers of GCC', async () => {
    const { windows, trace } = outcome({ controller: 'gcc' });
    const user = outcome({ controller: await gccOfTheCore() });
    // GCC's target is the lower of two rates. Only the core's own GCC reports when the loss-based rate is the lower
    // one, so `lossBoundShare` is left out.
    const withoutBinding = (of: typeof windows) =>
      of.map((window) => ({
        ...window,
        flows: window.flows.map((flow) => ({ ...flow, lossBoundShare: NaN })),
      }));
    expect(withoutBinding(user.windows)).toEqual(withoutBinding(windows));
    const arrivals = (of: unknown) => (of as { table: string }[]).filter(({ table }) => table === 'arrival');
    // Only the number of arrival rows is compared. Their values may differ: until the RTT is measured, a row
    // contains the controller's own guess of the RTT.
    expect(arrivals(user.trace).length).toBe(arrivals(trace).length);
  });

  it('what is no such module is refused by name', async () => {
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    await expect(wasmController(empty, { name: 'empty' })).rejects.toThrow(
      /empty: exports\.memory: expected/,
    );
    await expect(wasmController(empty, { name: 'empty' })).rejects.toThrow(CoreError);
    await expect(wasmController(Uint8Array.of(1, 2, 3), { name: 'x' })).rejects.toThrow(
      /expected a WebAssembly module/,
    );
  });

  it('memory beyond the limit is a fault', async () => {
    const controller = await wasmController(compileController('public/controllers/aimd.c'), {
      name: 'aimd',
      memoryLimitBytes: 1000,
    });
    const simulation = core.createSimulation({
      durationUs: 1e6,
      forward: PATH,
      flows: [{ kind: 'media', controller }],
    });
    simulation.runUntil(Infinity);
    expect(simulation.faults()[0]?.message).toMatch(
      /memory has grown to \d+ bytes; at most 1000 are allowed/,
    );
    simulation.destroy();
  });
});
