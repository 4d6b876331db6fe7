import { afterEach, describe, expect, it, vi } from 'vitest';

import { Running } from '../../../src/app/session/running.js';
import { parseState } from '../../../src/app/state.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const { state } = parseState('?role=receive');

describe('the times of a call that another page began 2 s ago', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['of the same clock', 0],
    ['whose message took 100 ms', 100],
    ['of a machine whose clock is 5 min ahead', -300e3],
    ['of a machine whose clock is 5 min behind', 300e3],
  ])('count from its beginning, with an invitation %s', (_, aheadMs) => {
    vi.useFakeTimers({ now: NOW_MS, toFake: ['Date', 'performance'] });
    const running = new Running(state);
    const nowMs = Date.now() - aheadMs;
    running.accept({ originEpochMs: nowMs - 2000, nowMs });
    const lateMs = Math.abs(aheadMs) < 1000 ? aheadMs : 0;
    expect(running.originEpochMs).toBe(NOW_MS - 2000 - lateMs);
    expect(running.nowUs() / 1e6).toBeCloseTo(2 + lateMs / 1000, 1);
  });

  it('stay the same when the call is restarted', () => {
    const first = new Running(state);
    first.accept({ originEpochMs: 0, nowMs: 5000 });
    const again = new Running(state, first);
    again.accept({ originEpochMs: 0, nowMs: 9000 });
    expect(again.originEpochMs).toBe(first.originEpochMs);
    expect(again.invitedEpochMs).toBe(0);
  });
});
