/** The user's controller in the simulation of a call: the file that was in charge of the call. */
import { beforeEach, expect, it, vi } from 'vitest';

import { NoTwin } from '../../../src/twin/no_twin.js';
import type { OwnController } from '../../../src/app/own_controllers.js';

/** The modules that the simulations ran. */
const ran = vi.hoisted(() => [] as unknown[]);
vi.mock('../../../src/twin/comparison.js', () => ({
  readCall: () => Promise.resolve({ own: 'mine.js', fromUs: 0, toUs: 1, assumed: [] }),
  asRecorded: () => [],
  distances: () => Promise.resolve([]),
}));
vi.mock('../../../src/twin/recorded_call.js', () => ({ recordedOptions: () => ({}) }));
vi.mock('../../../src/worker/trace/trace_client.js', () => ({
  createTraceStore: () => Promise.resolve({ close: () => undefined }),
}));
vi.mock('../../../src/worker/simulation/simulation_client.js', () => ({
  SimulationWorker: class {
    run({ controller }: { controller: unknown }): Promise<object> {
      ran.push(controller);
      return Promise.resolve({ faults: [], cancelled: false });
    }
    close(): void {}
  },
}));
const { simulateTwin } = await import('../../../src/app/twin/simulated.js');
const { ownControllers } = await import('../../../src/app/own_controllers.js');

const mine = (url: string): OwnController => ({ name: 'mine.js', url });
const simulate = (ownInCharge: readonly OwnController[]) =>
  simulateTwin(
    { store: {} as never, header: {}, ownInCharge },
    { signal: new AbortController().signal, onShare: () => undefined, onError: () => undefined },
  );

beforeEach(() => {
  ran.length = 0;
  ownControllers.list.value = [mine('blob:new')];
});

it('is the one of the call, which may have been started again with it', async () => {
  await simulate([mine('blob:old'), { name: 'other.js', url: 'blob:other' }, mine('blob:old')]);
  expect(ran).toEqual([mine('blob:old')]);
});

it('is the one that the page has, for a recording from a file', async () => {
  await simulate([]);
  expect(ran).toEqual([mine('blob:new')]);
});

it('is not chosen among several versions', async () => {
  const refused = await simulate([mine('blob:old'), mine('blob:new')]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NoTwin);
  expect(refused).toMatchObject({
    message:
      'several versions of mine.js were in charge in this recording, and the simulation can run only one',
    fix: 'stop the call and start it again each time the file has changed',
  });
  expect(ran).toEqual([]);
});
