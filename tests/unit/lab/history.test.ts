import { describe, expect, it } from 'vitest';

import { History } from '../../../src/app/lab/history.js';

describe('the history of edits', () => {
  it('takes a drag back at once, and two gestures one after the other', () => {
    let now = 0;
    const history = new History<number>(() => now);
    let value = 1;
    const set = (next: number, gesture: string): void => {
      history.add(value, gesture);
      value = next;
      now += 16;
    };
    for (let step = 2; step < 30; step++) set(step, 'capacity');
    set(100, 'rtt');
    value = history.back(value) ?? NaN;
    expect(value).toBe(29);
    value = history.back(value) ?? NaN;
    expect(value).toBe(1);
    expect(history.canUndo.value).toBe(false);
    value = history.forth(value) ?? NaN;
    value = history.forth(value) ?? NaN;
    expect(value).toBe(100);
    expect(history.canRedo.value).toBe(false);
  });

  it('begins a step after a pause, and after something was taken back', () => {
    let now = 0;
    const history = new History<number>(() => now);
    expect(history.add(1, 'capacity')).toBe(true);
    expect(history.add(2, 'capacity')).toBe(false);
    now += 5000;
    expect(history.add(3, 'capacity')).toBe(true);
    expect(history.back(4)).toBe(3);
    expect(history.add(3, 'capacity')).toBe(true);
    // An undone step cannot be redone after another change.
    expect(history.forth(5)).toBeUndefined();
  });
});
