/**
 * Shows the progress of a command: on a terminal as a bar, elsewhere as a line on standard error every ten seconds.
 */
import { SingleBar } from 'cli-progress';

import type { Io } from './io.js';

export interface Progress {
  /** `done`: the part of `total` that is finished. `what`: the name of the current work. */
  update(done: number, what?: string): void;
  /**
   * Removes the bar. Must be called before other text is written, and at the end. The next update draws the bar
   * again.
   */
  clear(): void;
}

export interface ProgressOptions {
  /** The bar appears after this time, so quick commands show none. Default 0. */
  afterMs?: number;
  /** Whether the bar estimates the remaining time. */
  withEta?: boolean;
  /** The time between two lines of progress, if standard error is not a terminal. Default 10 s. */
  everyMs?: number;
}

/** Reports progress on standard error; `total` corresponds to 100 %. */
export function progress(io: Io, total: number, options: ProgressOptions = {}): Progress {
  return io.stderr.isTTY === true ? progressBar(io, total, options) : progressLines(io, total, options);
}

function progressBar(io: Io, total: number, { afterMs = 0, withEta = false }: ProgressOptions): Progress {
  const bar = new SingleBar({
    stream: io.stderr,
    format: `{bar} {percentage} %  ${withEta ? '{eta_formatted} to go  ' : ''}{what}`,
    // An interrupt may end the process at any time, so the terminal's own settings stay as they are.
    hideCursor: false,
    linewrap: true,
    clearOnComplete: true,
    etaBuffer: 50,
  });
  const begin = Date.now();
  let isShown = false;
  return {
    update: (done, what = '') => {
      if (Date.now() - begin < afterMs) return;
      if (!isShown) bar.start(total, done, { what });
      isShown = true;
      bar.update(done, { what });
    },
    clear: () => {
      if (isShown) bar.stop();
      isShown = false;
    },
  };
}

const LINE_INTERVAL_MS = 10_000;

function progressLines(io: Io, total: number, { everyMs = LINE_INTERVAL_MS }: ProgressOptions): Progress {
  let last = Date.now();
  return {
    update: (done, what = '') => {
      if (Date.now() - last < everyMs) return;
      last = Date.now();
      io.stderr.write(`${`${Math.floor((done / total) * 100)} %  ${what}`.trimEnd()}\n`);
    },
    clear: () => undefined,
  };
}
