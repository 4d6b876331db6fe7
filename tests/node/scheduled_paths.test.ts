/** The capacities of a path in a shaping thread, on a clock that the test controls. */
import { afterEach, beforeAll, expect, it } from 'vitest';

import type { CapacityChange } from '../../src/calls/record/record.js';
import { loadCoreModule, type CoreModule } from '../../src/core/load.js';
import { ScheduledPaths } from '../../src/shaper/packets/scheduled_paths.js';
import type { PathChange, WayChange } from '../../src/shaper/thread/protocol.js';

let core: CoreModule;
beforeAll(async () => {
  core = await loadCoreModule();
});

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

const way = (options: WayChange['options'], ...steps: number[]): WayChange => ({
  options,
  ...(steps.length > 0 && { capacity: Float64Array.from(steps) }),
});

/** Paths whose shared path has had its first packet at time 0. */
function open(change: PathChange) {
  const at = { nowUs: 0 };
  let offer: () => void = () => undefined;
  const paths = new ScheduledPaths<number>({
    core,
    front: {
      attach: (_, path) => (offer = () => path.offer('forward', 0, 100)),
      deliver: () => true,
    },
    nowUs: () => at.nowUs,
  });
  closers.push(() => paths.close());
  paths.open(null, 1, change);
  offer();
  const forward: CapacityChange[] = [];
  const backward: CapacityChange[] = [];
  /** Reports ten times a second until this time, and returns the present capacities of both directions. */
  const until = (nowUs: number): [forwardBps: number, backwardBps: number] => {
    for (;;) {
      const [batch] = paths.batches();
      if (batch === undefined) throw new Error('the path is open');
      forward.push(...batch.forward.capacity);
      backward.push(...batch.backward.capacity);
      if (at.nowUs >= nowUs) return [batch.forward.row.capacity_bps, batch.backward.row.capacity_bps];
      at.nowUs += 100e3;
    }
  };
  return { paths, until, forward, backward };
}

const CROSS = { crossTraffic: { cubic: 1 } };
const cross = 'no connections while capacityBps or a step of the schedule is above 1e9 bit/s';

it('refuses cross traffic at a capacity that comes much later', () => {
  const change = { forward: way(CROSS, 0, 1e7, 3600e6, 2e9) };
  expect(() => open(change)).toThrow(expect.objectContaining({ field: 'crossTraffic' }) as Error);
  expect(() => open(change)).toThrow(cross);
});

it.each<[string, before: PathChange, refused: PathChange, field: string]>([
  ['the other way', {}, { forward: way({}, 0, 3e6), backward: way(CROSS, 0, 2e9) }, 'backward.crossTraffic'],
  ['a capacity beside cross traffic', { forward: way(CROSS) }, { forward: way({}, 0, 2e9) }, 'crossTraffic'],
  [
    'a step beside cross traffic',
    { forward: way(CROSS) },
    { forward: way({}, 0, 3e6, 5e6, 2e9) },
    'crossTraffic',
  ],
  [
    'cross traffic at a step that is still to come',
    { forward: way({}, 0, 1e6, 60e6, 2e9) },
    { forward: way({ ...CROSS, lossRatio: 1 }) },
    'crossTraffic',
  ],
  [
    'what the core refuses for another reason',
    {},
    { forward: way({}, 0, 3e6), backward: way({ lossRatio: 2 }) },
    'backward.lossRatio',
  ],
])('changes nothing if the core refuses any of it: %s', (_, before, refused, field) => {
  const { paths, until, forward, backward } = open({
    forward: way({}, 0, 1e6),
    backward: way({}, 0, 1e6),
  });
  paths.set(null, before);
  until(1e6);
  const told = [forward.length, backward.length];
  expect(() => paths.set(null, refused)).toThrow(expect.objectContaining({ field }) as Error);
  expect(until(2e6)).toEqual([1e6, 1e6]);
  expect([forward.length, backward.length]).toEqual(told);
});

it('takes cross traffic when a step above its limit is over, and a high capacity without it', () => {
  const { paths, until } = open({ forward: way({}, 0, 2e9, 1.5e6, 1e6) });
  until(1e6);
  expect(() => paths.set(null, { forward: way(CROSS) })).toThrow(cross);
  until(2e6);
  paths.set(null, { forward: way(CROSS) });
  paths.set(null, { forward: way({ crossTraffic: {} }, 0, 2e9) });
  expect(until(2.1e6)[0]).toBe(2e9);
});

it('limits what a running function gives, while the direction has cross traffic', () => {
  const { paths, until, forward, backward } = open({
    forward: way(CROSS, 0, 1e6),
    backward: way({}, 0, 1e6),
  });
  const steps = Float64Array.of(1e6, 2e9, 2e6, 5e6, 3e6, 1e10);
  paths.extend(null, ['forward', 'backward'], steps);
  until(2.5e6);
  paths.set(null, { forward: way({ crossTraffic: {} }) });
  paths.extend(null, ['forward'], Float64Array.of(4e6, 3e9));
  until(5e6);
  expect(forward.map(({ capacityBps }) => capacityBps)).toEqual([1e6, 1e9, 5e6, 1e9, 3e9]);
  expect(backward.map(({ capacityBps }) => capacityBps)).toEqual([1e6, 2e9, 5e6, 1e10]);
});
