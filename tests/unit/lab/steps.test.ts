import { describe, expect, it } from 'vitest';

import { tableSpec } from '../../../src/core/schema.js';
import { TimeAxis } from '../../../src/charts/time_axis.js';
import { Playback } from '../../../src/app/lab/playback/playback.js';
import { decisionSteps, packetSteps } from '../../../src/app/lab/playback/steps.js';
import { TraceData } from '../../../src/trace/index.js';

const CALL = { flow: 0, name: 'call', kind: 'media', direction: 'forward', controller: 'gcc' } as const;

it('stops at a decision of GCC only where signal, state or A_r changes', () => {
  const { query, tell } = decisionSteps(CALL);
  expect(query).toMatchObject({ table: 'group', where: { column: 'flow', value: 0 } });
  const before = { signal: 0, state: 1, a_r_bps: 1e6, m_ms: 1 };
  expect(tell({ ...before, m_ms: 2 }, before)).toBe('');
  expect(tell({ ...before, a_r_bps: 1.05e6 }, before)).toBe('A_r 1.05 Mbps');
  expect(tell({ signal: 2, state: 2, a_r_bps: 863e3 }, before)).toBe(
    'signal overuse, state decrease, A_r 863 kbps',
  );
});

it('stops at the decisions of the other controllers, and at what a user’s controller received', () => {
  const nada = decisionSteps({ ...CALL, controller: 'nada' });
  expect(nada.tell({ mode: 1, x_curr_ms: 12 }, { mode: 0, x_curr_ms: 12 })).toBe('mode gradual');
  const lcc = decisionSteps({ ...CALL, controller: 'lcc' });
  expect(lcc.tell({ action: 1, next_rate_bps: 7e5 }, { action: 1, next_rate_bps: 1e6 })).toBe(
    'next rate 700 kbps',
  );
  const { controller, ...own } = CALL;
  expect(controller).toBe('gcc');
  expect(decisionSteps(own).tell({ received_bps: 7e5 }, undefined)).toBe('received 700 kbps');
});

it.each([
  ['nada', 'mode', 0, 'mode ramp-up'],
  ['gcc', 'state', 2, 'state decrease'],
  ['lcc', 'action', 2, 'action exploration'],
] as const)('names a state of %s as the charts do', (controller, column, value, text) => {
  const { tell } = decisionSteps({ ...CALL, controller });
  expect(tell({ [column]: value }, { [column]: 1 - value })).toBe(text);
});

describe('a step to the next change', () => {
  const INCREASE = 1;
  const DECREASE = 2;
  /** The states of a controller. After a long pause, its first row repeats the state from before the pause. */
  const rows: Readonly<Record<string, number>>[] = [
    { time_us: 1e6, state: INCREASE },
    { time_us: 1.2e6, state: DECREASE },
    { time_us: 9e6, state: DECREASE },
    { time_us: 9.1e6, state: INCREASE },
  ].map((row) => ({ flow: 0, signal: 0, a_r_bps: 1e6, ...row }));
  const store = new TraceData();
  const { columns } = tableSpec('group');
  for (const row of rows)
    store.appendRow(
      'group',
      Float64Array.from(columns, ({ name }) => row[name] ?? NaN),
    );
  const playbackAt = (timeUs: number): Playback => {
    const playback = new Playback({
      axis: new TimeAxis(10e6, false),
      store: { view: (query) => Promise.resolve(store.view(query)) },
      durationUs: () => 10e6,
      rowsOf: () => decisionSteps(CALL),
    });
    playback.seek(timeUs);
    return playback;
  };
  const from = async (timeUs: number, back: boolean) => {
    const playback = playbackAt(timeUs);
    await playback.step('frame', back);
    return playback.happening.peek();
  };

  it('passes over a row that repeats the one before a long pause', async () => {
    expect(await from(8.9e6, false)).toEqual({ timeUs: 9.1e6, text: 'state increase' });
    expect(await from(9.05e6, true)).toEqual({ timeUs: 1.2e6, text: 'state decrease' });
  });

  it('stops at the first row of all, which nothing precedes', async () => {
    expect((await from(0, false))?.timeUs).toBe(1e6);
    expect((await from(1.1e6, true))?.timeUs).toBe(1e6);
    expect(await from(0.5e6, true)).toBeNull();
    expect(await from(9.5e6, false)).toBeNull();
  });

  it('is forgotten when the run changes, also while it still reads rows of the run before', async () => {
    const playback = playbackAt(0);
    await playback.step('frame');
    expect(playback.happening.peek()?.timeUs).toBe(1e6);
    const step = playback.step('frame');
    playback.forget();
    expect(playback.happening.peek()).toBeNull();
    await step;
    expect(playback.happening.peek()).toBeNull();
    expect(playback.timeUs.peek()).toBe(1e6);
  });
});

it('says what happens to a packet, and whose packet it is', () => {
  const { tell } = packetSteps([CALL, { flow: 1, name: 'tcp-2', kind: 'tcp', direction: 'forward' }]);
  expect(tell({ flow: 1, dropped: 0 }, undefined)).toBe('a packet of tcp-2 leaves the queue');
  expect(tell({ flow: 0, dropped: 2 }, undefined)).toBe(
    'a packet of call is dropped, because the queue is full',
  );
});
