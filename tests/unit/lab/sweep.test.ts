import { expect, it } from 'vitest';

import { changeRtt, FRESH_NETWORK } from '../../../src/app/lab/edits.js';
import { alike, isSameButSwept, largest, type Swept } from '../../../src/app/lab/sweep/sweep.js';
import { sweepFigures } from '../../../src/app/lab/sweep/sweep_figures.js';
import { sweepables, sweepValues, sweptValue } from '../../../src/app/lab/sweep/sweepable.js';
import { parseScenario } from '../../../src/scenario/index.js';

/** The results of a sweep over 1, 2, 3, …; equal numbers in `runs` stand for runs with equal metrics. */
const results = (...runs: number[]): readonly Swept[] =>
  runs.map((run, index) => ({ value: index + 1, whole: { endUs: run } }) as Swept);

it.each([
  ['all runs', results(7, 7, 7), { from: 1, to: 3 }],
  ['the last runs', results(1, 2, 3, 3, 3), { from: 3, to: 5 }],
  ['the first runs', results(1, 1, 1, 2), { from: 1, to: 3 }],
  ['the longer of two ends', results(1, 1, 2, 3, 3, 3), { from: 4, to: 6 }],
  ['no runs at an end', results(1, 2, 2, 3), null],
  ['a single run', results(1), null],
])('%s that are the same are found', (_, given, found) => expect(alike(given)).toEqual(found));

it('finds the largest value of the runs of a hundred flows', () => {
  const line = (top: number) => ({
    timeS: [],
    values: Array.from({ length: 200 }, (_, i) => (i === 7 ? top : NaN)),
  });
  expect(
    largest(
      Array.from({ length: 1000 }, (_, i) => line(i)),
      100,
    ),
  ).toBe(999);
  expect(largest([line(3)], 100)).toBe(100);
});

/** The settings that can be swept, for FRESH_NETWORK with this queue. */
const sweepablesWith = (queue: string) =>
  sweepables(parseScenario({ ...FRESH_NETWORK, forward: { ...FRESH_NETWORK.forward, queue } }));

it('finds the present value among those of a sweep, also a large whole number', () => {
  const limit = sweepablesWith('droptail:65537B').find(({ id }) => id === 'queue');
  if (limit === undefined) throw new Error('the queue limit is not among the settings');
  expect(limit).toMatchObject({ now: 65537, whole: true });
  expect(sweepValues(limit)).toContain(sweptValue(limit.now, limit));
});

it('names the settings of a queue as its form does', () => {
  const labels = sweepablesWith('codel').filter(({ id }) => id.startsWith('queue.'));
  expect(labels.map(({ id, label }) => [id, label])).toEqual([
    ['queue.target_ms', 'Target'],
    ['queue.interval_ms', 'Interval'],
  ]);
});

it('keeps a sweep as long as nothing but the swept number differs', () => {
  const network = parseScenario(FRESH_NETWORK);
  const found = sweepables(network).find(({ id }) => id === 'loss');
  if (found === undefined) throw new Error('random loss is not among the settings');
  const request = { network, seed: 1, swept: found };
  expect(isSameButSwept(request, network)).toBe(true);
  expect(isSameButSwept(request, found.edit(5)(network))).toBe(true);
  expect(isSameButSwept(request, changeRtt(120)(network))).toBe(false);
  expect(isSameButSwept(request, changeRtt(120)(found.edit(5)(network)))).toBe(false);
});

it('draws the queuing delay and the share of the first call beside those of all flows', () => {
  const [capacity] = sweepables(parseScenario(FRESH_NETWORK));
  if (capacity === undefined) throw new Error('the capacity is not among the settings');
  const flow = (name: string, kind: 'media' | 'tcp') => ({
    ...{ name, kind, direction: 'forward', receiveRateBps: 5e5 },
    ...{ probeQueueDelayUs: { p95: 20e3 }, queueDelayUs: { p95: 30e3 } },
  });
  const whole = (flows: object[]) => ({
    ...{ flows, forward: { capacityBps: 2e6, utilisation: 0.9, queueDelayUs: { p95: 40e3 } } },
  });
  const swept = (...flows: object[]) =>
    [1, 2].map((value) => ({ value, whole: whole(flows) }) as unknown as Swept);
  const several = sweepFigures(capacity, swept(flow('tcp', 'tcp'), flow('call', 'media')));
  expect(several.map(({ series }) => series.map(({ label, points }) => [label, points[0]?.[1]]))).toEqual([
    [
      ['all flows', 40],
      ['call', 20],
    ],
    [
      ['all flows', 90],
      ['call', 25],
    ],
  ]);
  expect(several[0]?.x.logarithmic).toBe(true);
  expect(sweepFigures(capacity, swept(flow('call', 'media')))[0]?.series).toHaveLength(1);
});
