import type { ReceiverReport } from './protocol.js';

/** The rule's constants, as published. */
const LOSS_HIGH = 0.1;
const LOSS_LOW = 0.02;
const DECREASE_FACTOR = 0.5;
const INCREASE_FACTOR = 1.05;

/**
 * The share of a controller's target that the losses in receiver reports (RTCP) leave. It follows the rule of GCC's
 * loss-based controller (ToN eq. 14; draft-ietf-rmcat-gcc-02, 6), but never exceeds 1. It stands in for controllers
 * that learn of losses from feedback only: without feedback, their target would stay as it is, whatever is lost.
 */
export class LossShare {
  #share = 1;
  #before: ReceiverReport | null = null;

  get share(): number {
    return this.#share;
  }

  /** Takes a report that comes beside feedback: its counts are those from which the next report's losses are taken. */
  note(report: ReceiverReport): void {
    this.#before = report;
  }

  /** Takes a report that comes instead of feedback. The share does not fall below `lowest`. */
  take(report: ReceiverReport, lowest: number): void {
    const { packetsSent = NaN, packetsLost = NaN } = this.#before ?? {};
    const sent = report.packetsSent - packetsSent;
    // Without new packets, the report says nothing new; losses that it may add belong to the next one.
    if (sent === 0) return;
    this.#before = report;
    // The first report has nothing to be compared with, and neither has one after the counters were reset.
    if (!(sent > 0)) return;
    const lost = Math.min(1, (report.packetsLost - packetsLost) / sent);
    if (lost > LOSS_HIGH) this.#share *= 1 - DECREASE_FACTOR * lost;
    else if (lost < LOSS_LOW) this.#share *= INCREASE_FACTOR;
    this.#share = Math.min(1, Math.max(lowest, this.#share));
  }

  /** Gives the controller its whole target again. */
  reset(): void {
    this.#share = 1;
  }
}
