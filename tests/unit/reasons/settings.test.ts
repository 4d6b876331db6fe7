/**
 * Settings that change during a trace. Such changes explain why the target falls or is limited, and charts
 * mark the changes.
 */
import { describe, expect, it } from 'vitest';

import { marksOf, targetChanges } from '../../../src/reasons/index.js';
import { TraceData } from '../../../src/trace/index.js';
import { addRow, ratesOf, textsOf } from './support.js';

const GCC = { controller: 'gcc', preset: 'gcc-live', parameters: { max_bitrate_bps: 2e6 } };
const WHOLE = { flow: null, header: {} };
const steady = (bps: number, rows: number): number[] => Array.from({ length: rows }, () => bps);

describe('what the rows do not show', () => {
  it('is said to be unknown: of a controller of which only rates are there', () => {
    const changes = targetChanges(ratesOf([...steady(1e6, 30), ...steady(0.5e6, 30)]), WHOLE);
    expect(textsOf(changes)).toEqual([
      'hold: 1 Mbps for 2.9 s, no cause is visible in the recorded rows',
      'unknown: no cause is visible in the recorded rows, target × 0.50 of 1 Mbps = 500 kbps',
      'hold: 500 kbps for 2.9 s, no cause is visible in the recorded rows',
    ]);
  });

  it('is nothing where there is no row', () => {
    expect(targetChanges(new TraceData(), WHOLE)).toEqual([]);
  });
});

describe('a parameter', () => {
  const rows = [...steady(2e6, 30), ...steady(0.8e6, 30)];

  it('that bounds the target explains the fall that it made, and the hold at it', () => {
    const trace = ratesOf(rows);
    addRow(trace, 'group', { time_us: 1e5, signal: 0, state: 1, a_r_bps: 2e6 });
    trace.appendEvent({ time_us: 0, name: 'start', detail: GCC });
    trace.appendEvent({
      time_us: 2.95e6,
      name: 'parameter',
      detail: { name: 'max_bitrate_bps', value: 0.8e6 },
    });
    expect(textsOf(targetChanges(trace, { flow: null, header: GCC }))).toEqual([
      'cap: 2 Mbps for 2.9 s, the highest target rate (max_bitrate_bps) is 2 Mbps',
      'setting: max_bitrate_bps is 800000 now, target × 0.40 of 2 Mbps = 800 kbps',
      'cap: 800 kbps for 2.9 s, the highest target rate (max_bitrate_bps) is 800 kbps',
    ]);
  });

  it('of a call that is started again explains that the target starts again', () => {
    const trace = ratesOf(rows);
    trace.appendEvent({ time_us: 0, name: 'start', detail: GCC });
    trace.appendEvent({ time_us: 2.95e6, name: 'start', detail: GCC });
    expect(textsOf(targetChanges(trace, WHOLE))[1]).toBe(
      'restart: the call was started again, target × 0.40 of 2 Mbps = 800 kbps',
    );
  });

  it('of the controller in charge explains nothing of a shadow', () => {
    const trace = ratesOf(rows);
    trace.appendEvent({
      time_us: 2.95e6,
      name: 'parameter',
      detail: { name: 'max_bitrate_bps', value: 8e5 },
    });
    const header = { ...GCC, flows: [{ flow: 0, kind: 'shadow', controller: 'gcc', preset: 'gcc-live' }] };
    expect(textsOf(targetChanges(trace, { flow: 0, header }))[1]).toContain('no cause is visible');
  });

  it.each([
    ['a list', []],
    ['nothing', null],
    ['a value that is not a number', { name: 'alpha', value: 'much' }],
    ['a name that is not a text', { name: {}, value: 1 }],
  ])('with %s as its detail is passed over', (_, detail) => {
    const trace = ratesOf(rows);
    trace.appendEvent({ time_us: 2.95e6, name: 'parameter', detail });
    expect(textsOf(targetChanges(trace, { flow: null, header: GCC }))).toHaveLength(3);
  });
});

it('each controller explains its own time, where one followed another', () => {
  const trace = ratesOf([...steady(1e6, 20), ...steady(0.5e6, 20), ...steady(0.2e6, 20)]);
  const groups = [1.85, 1.95, 3.85, 3.95];
  for (const s of groups)
    addRow(trace, 'group', {
      time_us: s * 1e6,
      detector_input_ms: 14.2,
      gamma_ms: 12.5,
      signal: 2,
      state: 2,
      a_r_bps: 5e5,
    });
  addRow(trace, 'nada', { time_us: 3.95e6, x_curr_ms: 80, mode: 1, loss_ratio: 0 });
  trace.appendEvent({ time_us: 0, name: 'start', detail: GCC });
  trace.appendEvent({ time_us: 3e6, name: 'start', detail: { controller: 'nada', preset: 'nada-rfc8698' } });
  const falls = targetChanges(trace, { flow: 0, header: GCC }).filter(({ shape }) => shape === 'fall');
  expect(textsOf(falls)).toEqual([
    'overuse: T 14.2 > γ 12.5 ms, target × 0.50 of 1 Mbps = 500 kbps',
    'gradual: signal 80.0 > 50.0 ms of balance, target × 0.40 of 500 kbps = 200 kbps',
  ]);
});

describe('marks', () => {
  const event = (time_us: number, name: string, detail: unknown) => ({ time_us, name, detail });

  it('say what was changed, once and in time order', () => {
    const trace = new TraceData();
    for (const one of [
      event(0, 'start', GCC),
      event(4e6, 'link', { capacity: '300kbps', rtt_ms: 80 }),
      event(5e6, 'parameter', { name: 'k_u', value: 0.02 }),
      event(5.02e6, 'parameter', { name: 'k_u', value: 0.02 }),
      event(6e6, 'preset', { name: 'static-threshold' }),
      event(7e6, 'controller', { from: 'gcc', to: 'nada' }),
      event(8e6, 'start', GCC),
      event(9e6, 'freeze', { duration_us: 1 }),
      event(9.5e6, 'link', { set: '1 Mbps, codel' }),
    ])
      trace.appendEvent(one);
    expect(marksOf(trace, null)).toEqual([
      { timeUs: 4e6, kind: 'link', text: '300kbps, rtt 80 ms' },
      { timeUs: 5e6, kind: 'parameter', text: 'k_u = 0.02' },
      { timeUs: 6e6, kind: 'parameter', text: 'preset static-threshold' },
      { timeUs: 7e6, kind: 'controller', text: 'controller gcc to nada' },
      { timeUs: 8e6, kind: 'controller', text: 'the call was started again' },
      { timeUs: 9.5e6, kind: 'link', text: '1 Mbps, codel' },
    ]);
  });

  it('name the queue and the download in words, with what was there before if it is known', () => {
    const trace = new TraceData();
    for (const one of [
      event(1e6, 'link', { cross_traffic: 'cubic:1' }),
      event(2e6, 'link', { queue: 'fq_codel' }),
      event(3e6, 'link', { queue: 'codel:target=13ms' }),
      event(4e6, 'link', { cross_traffic: 'cubic:2,newreno:1' }),
      event(5e6, 'link', { cross_traffic: 'none' }),
    ])
      trace.appendEvent(one);
    // An in-page bottleneck also reports its options, in the form of the core.
    const options = { bottleneck: 'serial', queue: { kind: 'fq_codel' } };
    trace.appendEvent(event(2e6, 'link', options));
    const link = { queue: 'droptail:300ms', cross_traffic: 'none', bottleneck: 'serial' };
    const texts = (header: object): string[] => marksOf(trace, null, header).map(({ text }) => text);
    expect(texts({ link })).toEqual([
      'a download starts (TCP CUBIC)',
      'queue: DropTail 300 ms to FQ-CoDel',
      'queue: FQ-CoDel to CoDel target=13 ms',
      'download: 2 × TCP CUBIC, TCP NewReno',
      'the download ends',
    ]);
    // Without the header, the earlier kind of bottleneck is unknown. So `serial` is reported as a change.
    expect(texts({})).toEqual([
      'download: TCP CUBIC',
      'queue: FQ-CoDel',
      'serial',
      'queue: FQ-CoDel to CoDel target=13 ms',
      'download: 2 × TCP CUBIC, TCP NewReno',
      'the download ends',
    ]);
    const ending = new TraceData();
    ending.appendEvent(event(1e6, 'link', { cross_traffic: 'none' }));
    expect(marksOf(ending, null).map(({ text }) => text)).toEqual(['no download']);
  });

  it('show a step of the in-page bottleneck once, though it is also reported in the form of the core', () => {
    const trace = new TraceData();
    trace.appendEvent(event(9e6, 'capacity', { capacity_bps: 3e5 }));
    trace.appendEvent(event(9.004e6, 'link', { capacityBps: 3e5 }));
    const link = { capacity: '1mbps,0.3mbps@9s', bottleneck: 'serial' };
    expect(marksOf(trace, null, { link }).map(({ text }) => text)).toEqual(['capacity 300 kbps']);
  });

  it('show the steps of a scheduled capacity, but not one that varies all the time', () => {
    const steps = (capacities: readonly number[]): TraceData => {
      const trace = new TraceData();
      capacities.forEach((capacity_bps, i) =>
        addRow(trace, 'queue', { link: 0, time_us: i * 200e3, capacity_bps }),
      );
      return trace;
    };
    const stepping = steps([...steady(1e6, 20), ...steady(2.5e6, 20), ...steady(6e5, 20)]);
    expect(marksOf(stepping, 0)).toEqual([
      { timeUs: 4e6, kind: 'link', text: 'capacity 1 Mbps to 2.5 Mbps' },
      { timeUs: 8e6, kind: 'link', text: 'capacity 2.5 Mbps to 600 kbps' },
    ]);
    expect(marksOf(stepping, 1)).toEqual([]);
    expect(marksOf(steps([1e6, 2e6, 1e6, 3e6, 1e6, 2e6, 1e6, 3e6, 1e6, 2e6]), 0)).toEqual([]);
  });

  it('are not made twice of a change that an event tells of and the rows show', () => {
    const trace = new TraceData();
    trace.appendEvent(event(3.9e6, 'link', { capacity: '300kbps' }));
    [...steady(1e6, 20), ...steady(3e5, 20)].forEach((capacity_bps, i) =>
      addRow(trace, 'queue', { link: 0, time_us: i * 200e3, capacity_bps }),
    );
    expect(marksOf(trace, 0)).toEqual([{ timeUs: 3.9e6, kind: 'link', text: '300kbps' }]);
  });
});
