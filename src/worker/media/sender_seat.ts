import {
  controllerOfPreset,
  CoreError,
  TABLE_SPECS,
  type Feedback,
  type RateUpdate,
  type TraceBatch,
} from '../../core/index.js';
import type { SenderSlot, Slot, SlotConfig } from '../slot.js';
import { LossShare } from './loss_share.js';
import type { ReceiverReport, SentReport } from './protocol.js';

/**
 * After this long without feedback, receiver reports are used instead. Even the slowest presets send feedback
 * once a second.
 */
const FEEDBACK_SILENCE_US = 1_500_000;

const RATE_COLUMNS = TABLE_SPECS.find(({ name }) => name === 'rate')?.columns.map(({ name }) => name) ?? [];
const TIME = RATE_COLUMNS.indexOf('time_us');
const TARGET = RATE_COLUMNS.indexOf('target_bps');

/** Whether the sender half itself lowers its target by the losses in receiver reports. Only GCC's does. */
function usesReports({ url, controller, preset = '' }: SlotConfig): boolean {
  return url === undefined && (controller ?? controllerOfPreset(preset) ?? 'gcc') === 'gcc';
}

/**
 * A sender half that gets either feedback or receiver reports (RTCP). Receiver reports are only used while
 * there is no feedback. If the half itself does not use them, the seat lowers the half's target by their losses.
 */
export class SenderSeat implements Slot {
  #heardUs = -Infinity;
  #source: 'feedback' | 'receiver-reports' | 'none' = 'none';
  /** Null if the half uses receiver reports itself. */
  readonly #losses: LossShare | null;
  #minBps: number;
  /** The half's own target, before any share of it is taken. */
  #wholeBps = NaN;
  /** The lowered targets since the last `drain`, by the time of their rows. */
  readonly #lowered = new Map<number, number>();

  constructor(
    private readonly slot: SenderSlot,
    config: SlotConfig,
  ) {
    this.#losses = usesReports(config) ? null : new LossShare();
    this.#minBps = config.parameters['min_bitrate_bps'] ?? 0;
  }

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
    this.#losses?.reset();
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
  receiverReport(report: ReceiverReport, nowUs: number): void {
    if (nowUs - this.#heardUs < FEEDBACK_SILENCE_US) {
      this.#losses?.note(report);
      return;
    }
    const { packetsSent, packetsLost } = report;
    this.#source = 'receiver-reports';
    this.slot.pushReceiverReport(nowUs, Math.max(0, packetsSent - packetsLost), packetsLost);
    this.#losses?.take(report, this.#wholeBps > 0 ? this.#minBps / this.#wholeBps : 0);
  }

  run(nowUs: number): RateUpdate {
    const isSilent = nowUs - this.#heardUs > FEEDBACK_SILENCE_US;
    if (isSilent && this.#source === 'feedback') this.#source = 'none';
    const update = this.slot.run(nowUs);
    this.#wholeBps = update.targetBps;
    const share = this.#losses?.share ?? 1;
    if (share === 1) return update;
    const targetBps = Math.min(update.targetBps, Math.max(this.#minBps, share * update.targetBps));
    this.#lowered.set(nowUs, targetBps);
    return { ...update, targetBps };
  }

  setParameter(name: string, value: number): void {
    this.slot.setParameter(name, value);
    if (name === 'min_bitrate_bps') this.#minBps = value;
  }

  setPreset(name: string): void {
    this.slot.setPreset(name);
  }

  /** The half's rows. Rows of the table `rate` have the target that `run` returned, which may be lower than the half's. */
  drain(): TraceBatch[] {
    const batches = this.slot.drain();
    for (const { table, columns } of batches) {
      const targets = columns[TARGET];
      if (table !== 'rate' || targets === undefined) continue;
      columns[TARGET] = targets.map((bps, row) => this.#lowered.get(columns[TIME]?.[row] ?? NaN) ?? bps);
    }
    this.#lowered.clear();
    return batches;
  }

  destroy(): void {
    this.slot.destroy();
  }
}
