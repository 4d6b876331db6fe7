/** Compares the shown recording with a simulation of the same call. At most one comparison runs at a time. */
import { signal } from '@preact/signals';

import type { Scope } from '../../boards/scope.js';
import type { SeriesDistance } from '../../twin/comparison.js';
import { messageOf, notify } from '../notices.js';
import type { Recorder } from '../session/recorder.js';
import type { TraceStore } from '../../worker/trace/trace_client.js';

export type TwinState =
  | { kind: 'none' }
  /** The fraction that has been simulated, from 0 to 1. */
  | { kind: 'running'; share: number }
  /** The reason why the recording could not be compared, and advice for the user. */
  | { kind: 'refused'; message: string; fix: string }
  | {
      kind: 'done';
      distances: readonly SeriesDistance[];
      fromUs: number;
      toUs: number;
      assumed: readonly string[];
    };

export class TwinComparison {
  readonly state = signal<TwinState>({ kind: 'none' });
  #abort: AbortController | null = null;
  #store: TraceStore | null = null;

  constructor(
    private readonly recorder: Recorder,
    private readonly scope: Scope,
  ) {}

  /** Simulates the shown recording, up to its newest row. A failure leads to the state `refused`. */
  async compare(): Promise<void> {
    this.remove();
    const abort = new AbortController();
    this.#abort = abort;
    const show = (state: TwinState): void => {
      if (!abort.signal.aborted) this.state.value = state;
    };
    show({ kind: 'running', share: 0 });
    try {
      const { simulateTwin } = await import('./simulated.js');
      const { shown, ownInCharge } = this.recorder;
      const twin = await simulateTwin(
        { store: this.recorder.store, header: shown.peek().header, ownInCharge },
        {
          signal: abort.signal,
          onShare: (share) => show({ kind: 'running', share }),
          onError: (error) =>
            notify('error', 'twin', `The simulation failed: ${error.message}.`, 'Compare again.'),
        },
      );
      if (twin === null) return;
      const { store, ...done } = twin;
      if (abort.signal.aborted) {
        store.close();
        return;
      }
      this.#store = store;
      await this.scope.setGhost(store);
      show({ kind: 'done', ...done });
    } catch (error) {
      show({ kind: 'refused', message: messageOf(error), fix: fixOf(error) });
    }
  }

  /** Stops a comparison that is under way, or removes a finished one. */
  remove(): void {
    this.#abort?.abort();
    this.#abort = null;
    if (this.#store !== null) {
      this.scope.dropGhost();
      this.#store.close();
      this.#store = null;
    }
    this.state.value = { kind: 'none' };
  }
}

const fixOf = (error: unknown): string =>
  error instanceof Error && 'fix' in error && typeof error.fix === 'string'
    ? error.fix
    : 'try again, or choose another recording';
