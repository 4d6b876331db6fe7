/** Puts the reports of all windows on one clock. */
import { ClockShift } from '../../inject/clocks.js';
import { rebased } from '../../inject/rebase.js';
import type { PageBatch } from '../../watch/index.js';

export class WindowClocks {
  readonly #shifts = new Map<string, ClockShift>();

  /** Returns a batch with its times on the clock of the command. `nowUs` is the present time on that clock. */
  take(batch: PageBatch, nowUs: number): PageBatch {
    const shift = this.#shifts.get(batch.window) ?? new ClockShift();
    this.#shifts.set(batch.window, shift);
    const laterUs = shift.laterUs(batch.timeUs, nowUs);
    return laterUs === 0 ? batch : rebased(batch, laterUs);
  }

  windowEnded(window: string): void {
    this.#shifts.delete(window);
  }
}
