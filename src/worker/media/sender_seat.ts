import { CoreError, type Feedback, type RateUpdate, type TraceBatch } from '../../core/index.js';
import type { SenderSlot, Slot } from '../slot.js';
import type { ReceiverReport, SentReport } from './protocol.js';

/**
 * After this long without feedback, receiver reports are used instead. Even the slowest presets send feedback
 * once a second.
 */
const FEEDBACK_SILENCE_US = 1_500_000;

/**
 * A sender half that gets either feedback or receiver reports (RTCP). Receiver reports are only used while
 * there is no feedback.
 */
export class SenderSeat implements Slot {
  #heardUs = -Infinity;
  #source: 'feedback' | 'receiver-reports' | 'none' = 'none';

  constructor(private readonly slot: SenderSlot) {}

  get source(): 'feedback' | 'receiver-reports' | 'none' {
    return this.#source;
  }

  /**
   * Passes on feedback. The half refuses a message from a different controller on the far side. Such a
   * message is ignored.
   */
  pushFeedback(feedback: Feedback, nowUs: number): void {
    try {
      this.slot.pushFeedback(feedback, nowUs);
    } catch (error) {
      if (error instanceof CoreError) return;
      throw error;
    }
    this.#heardUs = nowUs;
    this.#source = 'feedback';
  }

  /**
   * Passes the sent bytes to the half, with the browser's round-trip time if there is no feedback. Returns
   * the round-trip time that was passed, or NaN.
   */
  sent({ sentBytes, rttUs, browserEstimateBps }: SentReport, nowUs: number): number {
    // The browser measures the round trip only every few seconds. Feedback echoes send times, so the half can
    // measure the round trip better.
    const told = this.#source === 'feedback' ? NaN : rttUs;
    this.slot.pushSent(nowUs, sentBytes, told, browserEstimateBps);
    return told;
  }

  /**
   * Passes on a receiver report, unless feedback has arrived recently. Without feedback, the losses in the
   * report are the only information about the network.
   */
  receiverReport({ packetsSent, packetsLost }: ReceiverReport, nowUs: number): void {
    if (nowUs - this.#heardUs < FEEDBACK_SILENCE_US) return;
    this.#source = 'receiver-reports';
    this.slot.pushReceiverReport(nowUs, Math.max(0, packetsSent - packetsLost), packetsLost);
  }

  run(nowUs: number): RateUpdate {
    const isSilent = nowUs - this.#heardUs > FEEDBACK_SILENCE_US;
    if (isSilent && this.#source === 'feedback') this.#source = 'none';
    return this.slot.run(nowUs);
  }

  setParameter(name: string, value: number): void {
    this.slot.setParameter(name, value);
  }

  setPreset(name: string): void {
    this.slot.setPreset(name);
  }

  drain(): TraceBatch[] {
    return this.slot.drain();
  }

  destroy(): void {
    this.slot.destroy();
  }
}
