import { CoreError, type Feedback, type RateUpdate, type TraceBatch } from '../../core/index.js';
import type { SenderSlot, Slot } from '../slot.js';
import type { ReceiverReport, SentReport } from './protocol.js';

/**
 * Controllers send feedback every 200 ms or more often; after this long without any, receiver reports take over.
 */
const FEEDBACK_SILENCE_US = 1_500_000;

/** A sender half, together with the choice of where its information about the network comes from. */
export class SenderSeat implements Slot {
  #heardUs = -Infinity;
  #source: 'feedback' | 'receiver-reports' | 'none' = 'none';

  constructor(private readonly slot: SenderSlot) {}

  get source(): 'feedback' | 'receiver-reports' | 'none' {
    return this.#source;
  }

  /** Ignores a message that the half refuses: it comes from a different controller on the far side. */
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

  /** Returns the round-trip time that the half was given; NaN if it was given none. */
  sent({ sentBytes, rttUs, browserEstimateBps }: SentReport, nowUs: number): number {
    // The browser measures the round trip only every few seconds; the echo in feedback is better.
    const told = this.#source === 'feedback' ? NaN : rttUs;
    this.slot.pushSent(nowUs, sentBytes, told, browserEstimateBps);
    return told;
  }

  /** Passes on a receiver report if there is no feedback: then losses are all that is known of the network. */
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
