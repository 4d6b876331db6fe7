/**
 * Playback of a run. The page shows one moment of the run, and the user plays, steps or drags to another
 * moment. The moment is the time of the charts' cursor or, without a cursor, the end of the charts' window.
 * The legends show the values at this moment.
 */
import { signal } from '@preact/signals';

import type { TimeAxis } from '../../../charts/index.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';
import type { ViewQuery } from '../../../trace/index.js';
import { rowOf, type Row } from './moment.js';

/** The speeds of playback, in simulated seconds per second. */
export const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10] as const;

/**
 * What one step moves to: the next event of a packet, the next decision of the controller, or the moment STEP_US
 * away.
 */
export type Step = 'event' | 'frame' | 'time';

const STEP_US = 100e3;
/**
 * The search for the next row begins with this span of time. The span grows until it contains a row at which
 * a step may stop, or until it reaches the end of the run (the start, for a step back).
 */
const LOOK_US = 500e3;

/** The rows at which a step may stop. */
export interface StepRows {
  query: Pick<ViewQuery, 'table' | 'where' | 'columns'>;
  /** Describes what happens in a row, compared with the row before. Empty if nothing happens; steps skip such rows. */
  tell: (now: Row, before: Row | undefined) => string;
}

/** What happens at a moment. */
interface Happening {
  timeUs: number;
  text: string;
}

interface PlaybackOptions {
  axis: TimeAxis;
  store: Pick<TraceStore, 'view'>;
  /** The end of the run. */
  durationUs: () => number;
  rowsOf: (step: 'event' | 'frame') => StepRows;
}

export class Playback {
  readonly timeUs = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal<number>(0.1);
  /**
   * What happened where the latest step stopped; null before the first step, after a step by a fixed time and after
   * `forget`. Unchanged if a step finds no row.
   */
  readonly happening = signal<Happening | null>(null);
  readonly #options: PlaybackOptions;
  readonly #detach: () => void;
  #movesCursor = false;
  #lastFrameMs = 0;
  /** Counts calls of `forget`, to recognise a step that began before the latest one. */
  #turn = 0;

  constructor(options: PlaybackOptions) {
    this.#options = options;
    // While playback is stopped, the pointer over the charts chooses the moment. During playback, the moment moves
    // the cursor instead.
    this.#detach = options.axis.subscribe(
      () => !this.#movesCursor && !this.isPlaying.peek() && this.#follow(),
    );
    this.#follow();
  }

  /** Ends playback, and stops following the axis. */
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

  /**
   * Forgets what happened where the latest step stopped, and abandons a step that still reads rows. To be called when
   * the run or the flow whose decisions are shown has changed.
   */
  forget(): void {
    this.#turn += 1;
    this.happening.value = null;
  }

  /** Moves one step forward or back. */
  async step(step: Step, back = false): Promise<void> {
    this.pause();
    const turn = this.#turn;
    const from = this.timeUs.peek();
    const next = step === 'time' ? null : await this.#next(step, from, back);
    const at = step === 'time' ? from + (back ? -STEP_US : STEP_US) : next?.timeUs;
    if (at === undefined || turn !== this.#turn) return;
    this.happening.value = next;
    this.seek(at);
  }

  async #next(step: 'event' | 'frame', from: number, back: boolean): Promise<Happening | null> {
    const end = this.#options.durationUs();
    const { query, tell } = this.#options.rowsOf(step);
    for (let look = LOOK_US; ; look *= 4) {
      const range = back ? { fromUs: from - look, toUs: from } : { fromUs: from, toUs: from + look };
      // A row is compared with the row before it, which may lie before the range.
      const readFromUs = range.fromUs - look;
      const { columns } = await this.#options.store.view({ ...query, ...range, fromUs: readFromUs });
      const times = columns['time_us'] ?? new Float64Array();
      // Whether the first row that was read is the run's first. If not, the row before it is unknown.
      const isFirstKnown = readFromUs <= 0;
      if (!back && !isFirstKnown && (times[0] ?? Infinity) > from) continue;
      const textAt = (index: number): string => tell(rowOf(columns, index) ?? {}, rowOf(columns, index - 1));
      const isStop = (timeUs: number, index: number): boolean =>
        (back ? timeUs < from && timeUs >= range.fromUs : timeUs > from) &&
        (index > 0 || isFirstKnown) &&
        textAt(index) !== '';
      const found = back ? times.findLastIndex(isStop) : times.findIndex(isStop);
      if (found >= 0) return { timeUs: times[found] ?? from, text: textAt(found) };
      if (back ? range.fromUs <= 0 : range.toUs >= end) return null;
    }
  }
}
