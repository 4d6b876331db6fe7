import { describe, expect, it } from 'vitest';

import { Patience } from '../../src/app/session/recovery.js';
import type { WayBatch } from '../../src/node/shaper/protocol.js';
import { ThreadMemory } from '../../src/node/shaper/thread_memory.js';

const steps = (...values: number[]): Float64Array<ArrayBuffer> => Float64Array.from(values);
const batch = (scheduleStartUs: number | null, time_us: number): WayBatch =>
  ({ scheduleStartUs, row: { time_us } }) as WayBatch;

describe('what a new thread is told', () => {
  it('is every setting, the last of each', () => {
    const memory = new ThreadMemory({ forward: { options: { lossRatio: 0.1, queue: { kind: 'codel' } } } });
    memory.change({ forward: { options: { lossRatio: 0.2 } } });
    expect(memory.resume(0).change.forward).toEqual({
      options: { lossRatio: 0.2, queue: { kind: 'codel' } },
    });
  });

  it('is the rest of a schedule, which goes on by its own clock over several threads', () => {
    const memory = new ThreadMemory({ forward: { options: {}, capacity: steps(0, 1e6, 10, 2e6, 50, 3e6) } });
    // Before its first packet a schedule has not begun.
    expect(memory.resume(1000).change.forward?.capacity).toEqual(steps(0, 1e6, 10, 2e6, 50, 3e6));
    expect(memory.started('forward', batch(100, 120))).toBe(100);
    expect(memory.resume(130).change.forward?.capacity).toEqual(steps(0, 2e6, 20, 3e6));
    // The second thread's schedule began at 130, 30 after the whole one.
    expect(memory.started('forward', batch(130, 140))).toBe(100);
    expect(memory.extend(['forward'], steps(70, 4e6))).toEqual([
      { kind: 'extend', directions: ['forward'], steps: steps(40, 4e6) },
    ]);
    expect(memory.resume(160).change.forward?.capacity).toEqual(steps(0, 3e6, 10, 4e6));
  });

  it('are the agents, each once', () => {
    const memory = new ThreadMemory({});
    const side = { ufrag: 'b', candidates: [{ address: '127.0.0.1', port: 1 }] };
    const remote = { kind: 'remote', side } as const;
    for (let i = 0; i < 2; i++) {
      memory.agent({ kind: 'local', ufrag: 'a' });
      memory.agent({ ...remote, side: { ...side } });
    }
    expect(memory.resume(0).messages).toEqual([{ kind: 'local', ufrag: 'a' }, remote]);
    for (let i = 0; i < 3000; i++) memory.agent({ kind: 'local', ufrag: `ufrag${i}` });
    const { messages } = memory.resume(0);
    expect(messages).toHaveLength(1024);
    expect(messages.at(-1)).toEqual({ kind: 'local', ufrag: 'ufrag2999' });
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
