/**
 * Playback of a run. The page shows one moment of the run, which the user can play, step or drag: that of the charts'
 * cursor or, without a cursor, the end of their window, whose values the legends then show.
 */
import { signal } from '@preact/signals';

import type { TimeAxis } from '../../../charts/index.js';
import type { TableName } from '../../../core/schema.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';

/** The speeds of playback, in simulated seconds per second. */
export const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10] as const;

/**
 * What one step moves to: the next event of a packet, the next decision of the controller, or the moment STEP_US
 * away.
 */
export type Step = 'event' | 'frame' | 'time';

const STEP_US = 100e3;
/**
 * The search for the next row begins with this span of time. The span grows until it contains a row or reaches the
 * end of the run.
 */
const LOOK_US = 500e3;

interface PlaybackOptions {
  axis: TimeAxis;
  store: Pick<TraceStore, 'view'>;
  /** The end of the run. */
  durationUs: () => number;
  /** The table whose rows are the targets of steps; `where` selects some of its rows. */
  rowsOf: (step: 'event' | 'frame') => { table: TableName; where?: { column: string; value: number } };
}

export class Playback {
  readonly timeUs = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal<number>(0.1);
  readonly #options: PlaybackOptions;
  readonly #detach: () => void;
  #movesCursor = false;
  #lastFrameMs = 0;

  constructor(options: PlaybackOptions) {
    this.#options = options;
    // While playback is stopped, the pointer over the charts chooses the moment. During playback, the moment moves
    // the cursor instead.
    this.#detach = options.axis.subscribe(
      () => !this.#movesCursor && !this.isPlaying.peek() && this.#follow(),
    );
    this.#follow();
  }

  /** Ends playback, which then follows the axis no more. */
  close(): void {
    this.pause();
    this.#detach();
  }

  #follow(): void {
    const { axis } = this.#options;
    this.timeUs.value = this.#within(axis.cursorUs ?? axis.window.toUs);
  }

  #within(us: number): number {
    return Math.min(this.#options.durationUs(), Math.max(0, us));
  }

  seek(us: number): void {
    const { axis } = this.#options;
    this.timeUs.value = this.#within(us);
    this.#movesCursor = true;
    axis.holdCursor(this.timeUs.peek());
    this.#movesCursor = false;
    const { fromUs, toUs } = axis.window;
    const { value } = this.timeUs;
    if (value < fromUs || value > toUs) axis.panBy(value - fromUs - (toUs - fromUs) / 10);
  }

  play(): void {
    if (this.isPlaying.peek()) return;
    if (this.timeUs.peek() >= this.#options.durationUs()) this.seek(0);
    this.isPlaying.value = true;
    this.#lastFrameMs = performance.now();
    requestAnimationFrame(this.#frame);
  }

  pause(): void {
    this.isPlaying.value = false;
  }

  toggle(): void {
    if (this.isPlaying.peek()) this.pause();
    else this.play();
  }

  readonly #frame = (nowMs: number): void => {
    if (!this.isPlaying.peek()) return;
    // A hidden page gets no frames. Limiting the elapsed time lets playback continue where it stopped.
    const elapsedMs = Math.min(100, Math.max(0, nowMs - this.#lastFrameMs));
    this.#lastFrameMs = nowMs;
    this.seek(this.timeUs.peek() + elapsedMs * 1e3 * this.speed.peek());
    if (this.timeUs.peek() >= this.#options.durationUs()) this.pause();
    else requestAnimationFrame(this.#frame);
  };

  /** Moves one step forward or back. */
  async step(step: Step, back = false): Promise<void> {
    this.pause();
    const from = this.timeUs.peek();
    const at = step === 'time' ? from + (back ? -STEP_US : STEP_US) : await this.#nextRow(step, from, back);
    if (at !== null) this.seek(at);
  }

  async #nextRow(step: 'event' | 'frame', from: number, back: boolean): Promise<number | null> {
    const end = this.#options.durationUs();
    for (let look = LOOK_US; ; look *= 4) {
      const range = back ? { fromUs: from - look, toUs: from } : { fromUs: from, toUs: from + look };
      const { columns } = await this.#options.store.view({
        ...this.#options.rowsOf(step),
        columns: [],
        ...range,
      });
      const times = columns['time_us'] ?? new Float64Array();
      const found = back ? times.findLast((us) => us < from) : times.find((us) => us > from);
      if (found !== undefined) return found;
      if (back ? range.fromUs <= 0 : range.toUs >= end) return null;
    }
  }
}
