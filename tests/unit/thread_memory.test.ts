import { describe, expect, it } from 'vitest';

import { Patience } from '../../src/app/session/recovery.js';
import type { WayBatch } from '../../src/shaper/thread/protocol.js';
import { ThreadMemory } from '../../src/shaper/thread/thread_memory.js';

const steps = (...values: number[]): Float64Array<ArrayBuffer> => Float64Array.from(values);
const batch = (scheduleStartUs: number | null, time_us: number): WayBatch =>
  ({ scheduleStartUs, row: { time_us } }) as WayBatch;

describe('what a new thread is told', () => {
  it('is every setting, the last of each', () => {
    const memory = new ThreadMemory({
      seed: 1,
      change: { forward: { options: { lossRatio: 0.1, queue: { kind: 'codel' } } } },
    });
    memory.done({ kind: 'set', owner: null, change: { forward: { options: { lossRatio: 0.2 } } } });
    expect(memory.resume(0).change.forward).toEqual({
      options: { lossRatio: 0.2, queue: { kind: 'codel' } },
    });
  });

  it('is the rest of a schedule, which goes on by its own clock over several threads', () => {
    const memory = new ThreadMemory({
      seed: 1,
      change: { forward: { options: {}, capacity: steps(0, 1e6, 10, 2e6, 50, 3e6) } },
    });
    // A schedule starts when the first packet arrives. A thread that starts before the first packet gets the
    // whole schedule.
    expect(memory.resume(1000).change.forward?.capacity).toEqual(steps(0, 1e6, 10, 2e6, 50, 3e6));
    expect(memory.started(null, 'forward', batch(100, 120))).toBe(100);
    expect(memory.resume(130).change.forward?.capacity).toEqual(steps(0, 2e6, 20, 3e6));
    // In the second thread, the rest of the schedule begins at 130 µs. The whole schedule still counts from
    // 100 µs.
    expect(memory.started(null, 'forward', batch(130, 140))).toBe(100);
    expect(memory.extend(null, ['forward'], steps(70, 4e6))).toEqual([
      { kind: 'extend', owner: null, directions: ['forward'], steps: steps(40, 4e6) },
    ]);
    expect(memory.resume(160).change.forward?.capacity).toEqual(steps(0, 3e6, 10, 4e6));
  });

  it('is what the old thread made of a function whose capacity is too high beside cross traffic', () => {
    const cross = { crossTraffic: { cubic: 1 } };
    const change = {
      forward: { options: cross, capacity: steps(0, 1e6) },
      backward: { options: {}, capacity: steps(0, 1e6) },
    };
    const memory = new ThreadMemory({ seed: 1, change });
    memory.extend(null, ['forward', 'backward'], steps(10, 2e9, 20, 3e6));
    expect(memory.resume(0).change.forward?.capacity).toEqual(steps(0, 1e6, 10, 1e9, 20, 3e6));
    expect(memory.resume(0).change.backward?.capacity).toEqual(steps(0, 1e6, 10, 2e9, 20, 3e6));
  });

  it("is what pages have of their own, before their agents, each with its own schedule's rest", () => {
    const memory = new ThreadMemory({ seed: 1, change: { forward: { options: { lossRatio: 0.1 } } } });
    const change = { backward: { options: {}, capacity: steps(0, 1e6, 50, 2e6) } };
    memory.agent({ kind: 'local', ufrag: 'a', page: 3 });
    memory.done({ kind: 'open', owner: 3, seed: 7, change });
    memory.done({ kind: 'set', owner: 3, change: { backward: { options: { lossRatio: 0.3 } } } });
    expect(memory.started(3, 'backward', batch(100, 120))).toBe(100);
    const { change: shared, messages } = memory.resume(130);
    expect(shared.forward?.options).toEqual({ lossRatio: 0.1 });
    const backward = { options: { lossRatio: 0.3 }, capacity: steps(0, 1e6, 20, 2e6) };
    expect(messages).toEqual([
      { kind: 'open', id: 0, owner: 3, seed: 7, change: { forward: { options: {} }, backward } },
      { kind: 'local', ufrag: 'a', page: 3 },
    ]);
  });

  it('are the agents, each once', () => {
    const memory = new ThreadMemory({ seed: 1, change: {} });
    const side = { ufrag: 'b', candidates: [{ address: '127.0.0.1', port: 1 }] };
    const remote = { kind: 'remote', side } as const;
    for (let i = 0; i < 2; i++) {
      memory.agent({ kind: 'local', ufrag: 'a', page: 0 });
      memory.agent({ ...remote, side: { ...side } });
    }
    expect(memory.resume(0).messages).toEqual([{ kind: 'local', ufrag: 'a', page: 0 }, remote]);
    for (let i = 0; i < 3000; i++) memory.agent({ kind: 'local', ufrag: `ufrag${i}`, page: 0 });
    const { messages } = memory.resume(0);
    expect(messages).toHaveLength(1024);
    expect(messages.at(-1)).toEqual({ kind: 'local', ufrag: 'ufrag2999', page: 0 });
  });
});

describe('recoveries of a call', () => {
  it('are three a minute at most', () => {
    const patience = new Patience();
    expect([0, 1, 2, 3].map((nowMs) => patience.allows(nowMs))).toEqual([true, true, true, false]);
    expect(patience.allows(60_000)).toBe(true);
    expect(patience.allows(60_000)).toBe(false);
  });
});
