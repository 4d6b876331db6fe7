/** How a command reports progress: on a terminal as a bar, elsewhere as lines of text. */
import { PassThrough, Readable } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { progress } from '../../src/command_line/progress.js';

function streams() {
  const stderr = new PassThrough();
  return { io: { stdin: Readable.from([]), stdout: new PassThrough(), stderr }, stderr };
}

const text = (stream: PassThrough): string => String(stream.read() ?? '');

describe('progress', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => vi.useRealTimers());

  it('says nothing of work that is done within ten seconds', () => {
    const { io, stderr } = streams();
    const shown = progress(io, 4);
    for (let done = 0; done <= 4; done++) {
      vi.advanceTimersByTime(2400);
      shown.update(done, 'a run');
      if (done === 3) expect(text(stderr)).toBe('');
    }
    shown.clear();
    expect(text(stderr)).toBe('100 %  a run\n');
  });

  it('writes a line every ten seconds, however often it is told', () => {
    const { io, stderr } = streams();
    const shown = progress(io, 60);
    for (let second = 1; second <= 35; second++) {
      vi.advanceTimersByTime(1000);
      shown.update(second, `second ${second}`);
    }
    shown.clear();
    expect(text(stderr)).toBe('16 %  second 10\n33 %  second 20\n50 %  second 30\n');
  });

  it('draws a bar on a terminal and takes it away', () => {
    const { io, stderr } = streams();
    const shown = progress({ ...io, stderr: Object.assign(stderr, { isTTY: true, columns: 80 }) }, 2);
    shown.update(1, 'half of it');
    const drawn = text(stderr);
    expect(drawn).toContain('50 %  half of it');
    // An interrupt may end the process here, so the cursor is not hidden, and lines still wrap (DECTCEM, DECAWM).
    expect(drawn).not.toMatch(/\x1b\[\?(25|7)l/);
    shown.clear();
    expect(text(stderr)).not.toMatch(/\n/);
  });
});
