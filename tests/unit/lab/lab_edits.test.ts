/** What the Lab does with changes of the network: it refuses those that are not possible, and keeps faint lines. */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';

import type { Scope } from '../../../src/boards/scope.js';
import {
  addFlow,
  changeDuration,
  changeFlow,
  changePath,
  FRESH_NETWORK,
  removeFlow,
} from '../../../src/app/lab/edits.js';
import { notices } from '../../../src/app/notices.js';
import { cellsOf, parseScenario } from '../../../src/scenario/index.js';
import type * as SimulationClient from '../../../src/worker/simulation/simulation_client.js';
import type { SimulationResult } from '../../../src/worker/simulation/simulation_protocol.js';
import type { TraceStore } from '../../../src/worker/trace/trace_client.js';

const DONE: SimulationResult = {
  windows: [],
  metrics: [],
  values: new Map(),
  densities: new Map(),
  events: 0,
  timeUs: 60e6,
  elapsedMs: 1,
  cancelled: false,
  faults: [],
};

/** A worker whose runs end at once, without rows. */
vi.mock('../../../src/worker/simulation/simulation_client.js', async (original) => ({
  ...(await original<typeof SimulationClient>()),
  SimulationWorker: class {
    check(text: string) {
      const scenario = parseScenario(JSON.parse(text));
      return Promise.resolve({ scenario, cells: cellsOf(scenario) });
    }
    run() {
      return Promise.resolve(DONE);
    }
  },
}));
// The modules of the page read these when they are loaded.
vi.stubGlobal('location', new URL('http://localhost/lab.html'));
vi.stubGlobal('addEventListener', () => undefined);
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
const { Lab } = await import('../../../src/app/lab/lab.js');
const { change, settings } = await import('../../../src/app/lab/settings.js');
const { DEFAULT_LAB } = await import('../../../src/app/lab/state.js');

afterEach(() => {
  change(DEFAULT_LAB);
  notices.value = [];
});
afterAll(() => vi.unstubAllGlobals());

type Ghosts = Pick<Scope, 'keepGhost' | 'dropGhost'>;

async function opened(scenario: object = FRESH_NETWORK, ghosts?: Ghosts) {
  const lab = new Lab({
    clear: () => Promise.resolve(),
    appendPacked: () => undefined,
  } as unknown as TraceStore);
  if (ghosts !== undefined)
    lab.charts = { axis: { holdCursor: () => undefined }, ...ghosts } as unknown as Scope;
  await lab.openText(JSON.stringify(scenario), { kind: 'controls' }, 'The network');
  return lab;
}
type OpenedLab = Awaited<ReturnType<typeof opened>>;

/** The names of the flows of the drawn run, once it is the run of the network that the controls show. */
async function drawn(lab: OpenedLab): Promise<string[]> {
  await expect.poll(() => lab.live.run.value?.scenario).toBe(lab.chosen.value);
  await expect.poll(() => lab.live.isRunning.value).toBe(false);
  return lab.live.run.value?.flows.map(({ name }) => name) ?? [];
}

describe('a change that leads to an invalid scenario', () => {
  const notice = (): string => notices.value.map(({ message, fix }) => `${message} ${fix}`).join();

  it.each([
    ['a capacity that begins with an outage', { capacity: '0,1mbps@5s' }, 'my-network.forward.capacity'],
    ['outages that are too short', { outage: '100ms/0.5ms' }, 'my-network.forward.outage'],
  ])('is refused: %s', async (_, patch, field) => {
    const lab = await opened();
    const before = lab.loaded.value;
    lab.edit('forward', changePath('forward', patch));
    expect(lab.loaded.value).toBe(before);
    expect(lab.history.canUndo.value).toBe(false);
    expect(notice()).toContain(`The change was not made: ${field}: expected `);

    lab.edit('forward', changePath('forward', { capacity: '1mbps' }));
    await drawn(lab);
    expect(lab.network.value?.forward.capacity).toBe('1mbps');
    await expect.poll(notice).toBe('');
  });

  it.each([
    ['one that a shorter run does not reach', changeDuration(10)],
    ['one that would begin with the end', changeFlow('tcp', { start_s: 30 })],
    ['one that would end before it begins', changeFlow('tcp', { stop_s: 20 })],
  ])('is refused for the times of a flow: %s', async (_, edit) => {
    const lab = await opened({ ...FRESH_NETWORK, duration_s: 30 });
    lab.edit('tcp', addFlow({ kind: 'tcp', name: 'tcp', start_s: 20 }));
    await drawn(lab);
    const before = lab.loaded.value;
    lab.edit('times', edit);
    expect(lab.loaded.value).toBe(before);
    expect(notice()).toContain(
      'The change was not made: my-network.flows.tcp: expected a start before the end',
    );
  });

  it('is not a shorter run that a flow would have outlasted', async () => {
    const lab = await opened({ ...FRESH_NETWORK, duration_s: 30 });
    lab.edit('tcp', addFlow({ kind: 'tcp', name: 'tcp', start_s: 5, stop_s: 28 }));
    lab.edit('duration', changeDuration(10));
    await drawn(lab);
    expect(lab.network.value?.flows[1]).toEqual({ kind: 'tcp', name: 'tcp', start_s: 5 });
    expect(notice()).toBe('');
  });

  it('is refused as a choice, too', async () => {
    const set = { 'flows.call.count': 2 };
    const lab = await opened({ ...FRESH_NETWORK, axes: [{ name: 'n', values: [{ name: '2', set }] }] });
    // The check of a file would refuse this value, so only a fault of the page could lead to it.
    const { value: loaded } = lab.loaded;
    if (loaded === null) throw new Error('nothing was loaded');
    const values = [
      { name: '2', set },
      { name: 'x', set: { 'flows.call.count': -1 } },
    ];
    const scenario = { ...loaded.scenario, axes: [{ name: 'n', values }] };
    lab.loaded.value = { ...loaded, scenario, cells: [{ n: '2' }, { n: 'x' }] };
    lab.vary({ cell: { n: 'x' } });
    expect(notice()).toContain('The choice was not made: my-network[n=x].flows.0.count: expected ');
    expect(settings.value.cell).toEqual({});
    lab.vary({ seed: 7 });
    expect(settings.value.seed).toBe(7);
  });

  it('is not what a controller makes for a flow with a dot in its name', async () => {
    const flows = [{ kind: 'media', name: 'a.b', preset: 'gcc' }];
    const lab = await opened({ ...FRESH_NETWORK, flows });
    lab.vary({ controller: 'nada-rfc8698' });
    expect(notice()).toBe('');
    expect(lab.network.value?.flows).toMatchObject([{ name: 'a.b', controller: 'nada' }]);
  });
});

describe('the faint lines of the run before', () => {
  const CALL = { kind: 'media', name: 'call' } as const;
  const ghosts = () => ({ keepGhost: vi.fn(() => Promise.resolve()), dropGhost: vi.fn() });

  it('stay while each flow keeps its number', async () => {
    const charts = ghosts();
    const lab = await opened(FRESH_NETWORK, charts);
    await drawn(lab);
    charts.dropGhost.mockClear();
    lab.edit('add', addFlow(CALL));
    expect(await drawn(lab)).toEqual(['call', 'call-2']);
    lab.edit('remove call-2', removeFlow('call-2'));
    expect(await drawn(lab)).toEqual(['call']);
    lab.edit('count', changeFlow('call', { count: 2 }));
    expect(await drawn(lab)).toEqual(['call-1', 'call-2']);
    expect(charts.keepGhost).toHaveBeenCalledTimes(3);
    expect(charts.dropGhost).not.toHaveBeenCalled();
  });

  it('go once a flow has the number of another one', async () => {
    const charts = ghosts();
    const lab = await opened(FRESH_NETWORK, charts);
    lab.edit('add', addFlow(CALL));
    await drawn(lab);
    charts.keepGhost.mockClear();
    charts.dropGhost.mockClear();
    lab.edit('remove call', removeFlow('call'));
    expect(await drawn(lab)).toEqual(['call-2']);
    expect(charts.keepGhost).not.toHaveBeenCalled();
    expect(charts.dropGhost).toHaveBeenCalledTimes(1);
  });
});
