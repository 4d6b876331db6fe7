import { expect, test } from 'vitest';

import { WindowClocks } from '../../src/command_line/attach/window_clocks.js';
import type { PageBatch } from '../../src/watch/index.js';

const at = (window: string, timeUs: number): PageBatch => ({
  ...{ window, url: 'https://example.org/', timeUs },
  messages: [{ type: 'late', timeUs, lateMs: 1 }],
});

test('a window whose clock is hours off is put on the clock of the others, and stays there', () => {
  const clocks = new WindowClocks();
  const times = (batch: PageBatch, nowUs: number): unknown[] => {
    const { timeUs, messages } = clocks.take(batch, nowUs);
    return [timeUs, ...messages.map((message) => (message.type === 'late' ? message.timeUs : NaN))];
  };
  expect(times(at('usual', 10e6), 10.2e6)).toEqual([10e6, 10e6]);
  expect(times(at('slept', 10e6 - 7200e6), 10e6)).toEqual([10e6, 10e6]);
  // A batch that is late itself does not change the clock of its window.
  expect(times(at('usual', 11e6), 40e6)).toEqual([11e6, 11e6]);
  expect(times(at('slept', 11e6 - 7200e6), 40e6)).toEqual([11e6, 11e6]);
});
