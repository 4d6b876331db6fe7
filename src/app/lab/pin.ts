/** A pinned run. It is shown beside the run that the user continues to change. */
import { signal } from '@preact/signals';

import type { Scope } from '../../boards/scope.js';
import { chartTheme } from '../../boards/theme.js';
import { createTraceStore } from '../../worker/trace/trace_client.js';
import { followPaper } from '../print.js';
import { LiveRun, type Wanted } from '../../runs/live_run.js';
import { traceOf } from '../../runs/run.js';
import { runScope } from '../../runs/run_scope.js';

export interface Pinned {
  live: LiveRun;
  scope: Scope;
  /** Removes the pinned run. */
  close(): void;
}

/**
 * Keeps the charts of two scopes at the same time window, cursor and value scales. Returns a function that
 * separates the scopes again.
 */
export function together(a: Scope, b: Scope): () => void {
  let isFollowing = false;
  const follow =
    (leader: Scope, follower: Scope) =>
    (change: 'window' | 'cursor'): void => {
      if (isFollowing) return;
      isFollowing = true;
      if (change === 'window') follower.axis.setWindow(leader.axis.window);
      else {
        const { cursorUs, heldUs } = leader.axis;
        if (follower.axis.heldUs !== heldUs) follower.axis.holdCursor(heldUs);
        follower.axis.setCursor(cursorUs === heldUs ? null : cursorUs);
      }
      isFollowing = false;
    };
  const ends = [a.axis.subscribe(follow(a, b)), b.axis.subscribe(follow(b, a)), a.shareScales(b)];
  return () => ends.forEach((end) => end());
}

export class Pin {
  readonly pinned = signal<Pinned | null>(null);
  /** Whether a run is pinned, or will be pinned as soon as its charts exist. */
  isDue = false;
  /** Counts calls of `pin` and `unpin`; only the latest call takes effect. */
  #turn = 0;

  /**
   * Simulates a run again and shows it next to the charts of `beside`. The same seed gives the same rows, so
   * nothing has to be copied. Resolves to false if the run is not pinned, since `pin` or `unpin` was called
   * meanwhile. Rejects if the trace store does not start, or with SimulationError if the simulation fails; no
   * run is pinned then.
   */
  async pin(
    { scenario, cell, seed, controller }: Wanted,
    beside: Scope,
    onError: (error: Error) => void,
  ): Promise<boolean> {
    const turn = ++this.#turn;
    this.#close();
    this.isDue = true;
    const store = await createTraceStore({ onError }).catch((error: unknown) => {
      if (turn === this.#turn) this.isDue = false;
      throw error;
    });
    if (turn !== this.#turn) {
      store.close();
      return false;
    }
    const live = new LiveRun(store, {
      traceOf: (options) => traceOf(options, { packets: false, inside: false }),
    });
    // The axis of these charts leads that of `beside`, so they must never show another window.
    const shown = (): { window_s: number; from_s: number } => {
      const { lengthUs, window } = beside.axis;
      return { window_s: lengthUs / 1e6, from_s: window.fromUs / 1e6 };
    };
    const scope = runScope(live, shown, () => undefined);
    const ends = [
      together(beside, scope),
      chartTheme.subscribe((theme) => scope.setTheme(theme)),
      followPaper(scope),
    ];
    const close = (): void => {
      ends.forEach((end) => end());
      scope.close();
      live.close();
      store.close();
    };
    this.pinned.value = { live, scope, close };
    try {
      await live.play({ scenario, cell, seed, ...(controller && { controller }) });
    } catch (error) {
      if (turn === this.#turn) this.unpin();
      throw error;
    }
    if (turn !== this.#turn) return false;
    scope.axis.setWindow(beside.axis.window);
    scope.axis.holdCursor(beside.axis.heldUs);
    return true;
  }

  unpin(): void {
    this.#turn += 1;
    this.isDue = false;
    this.#close();
  }

  #close(): void {
    this.pinned.peek()?.close();
    this.pinned.value = null;
  }
}
