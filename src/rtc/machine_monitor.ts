/**
 * Reports when the machine is too busy for the call. A notice is shown during the overload; events mark its start and
 * its end.
 */
import type { TraceEvent } from '../core/index.js';
import {
  distortion,
  FIX,
  MachineWatch,
  reasonText,
  TickLateness,
  timeZeroMs,
  type MachineState,
} from '../machine/index.js';
import { TICK_MS } from '../worker/media/protocol.js';
import type { OutboundCounters } from './stats.js';
import type { StatusBoard } from './status.js';

const LOOK_MS = 1000;
export const MACHINE_CODE = 'machine-overloaded';

export interface MachineMonitorOptions {
  board: StatusBoard;
  originEpochMs: number;
  onEvent(event: TraceEvent): void;
  /**
   * Frames per second requested from the source; undefined if there is no source, or if the number is unknown.
   */
  askedFps(): number | undefined;
  /** The browser's latest statistics on the sender. */
  counters(): OutboundCounters | null;
}

export class MachineMonitor {
  readonly #watch = new MachineWatch();
  readonly #page = new TickLateness(TICK_MS);
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  readonly #zeroMs = timeZeroMs();
  #pageLateMs = NaN;
  #before: OutboundCounters | null = null;
  #beganUs: number | null = null;
  /** The reasons that were last reported. The same reasons are not reported again, even if their numbers change. */
  #told = '';

  constructor(private readonly options: MachineMonitorOptions) {}

  /** Starts watching. To be called when the call is connected, since earlier load does not affect the call. */
  start(): void {
    if (this.#timers.length > 0) return;
    this.#before = this.options.counters();
    this.#timers.push(
      setInterval(() => this.#tick(), TICK_MS),
      setInterval(() => this.#look(), LOOK_MS),
    );
  }

  stop(): void {
    this.#timers.splice(0).forEach(clearInterval);
  }

  /** Processes the 95th percentile of the shaper's lateness in the last second. */
  shaperLate(p95Ms: number): void {
    if (this.#timers.length === 0) return;
    this.#watch.see('shaper', this.#nowUs(), p95Ms);
  }

  #nowUs(): number {
    return Math.round((this.#zeroMs + performance.now() - this.options.originEpochMs) * 1000);
  }

  /**
   * Measures the lateness of the page's timer. The lateness is ignored in a hidden page, since browsers slow
   * down the timers of hidden pages even without load.
   */
  #tick(): void {
    const lateMs = this.#page.tick(performance.now());
    if (lateMs !== null) this.#pageLateMs = document.visibilityState === 'hidden' ? NaN : lateMs;
  }

  #look(): void {
    const { workers } = this.options.board.status;
    const late = [this.#pageLateMs, workers.sender?.tickLateMs, workers.receiver?.tickLateMs];
    const known = late.filter((ms): ms is number => ms !== undefined && !Number.isNaN(ms));
    const nowUs = this.#nowUs();
    if (known.length > 0) this.#watch.see('callbacks', nowUs, Math.max(...known));
    this.#watch.see('source', nowUs, this.#frameShare());
    this.#tell(nowUs);
  }

  /** The fraction of the requested frames that the source has produced since the last call; NaN if unknown. */
  #frameShare(): number {
    const [before, now, askedFps] = [this.#before, this.options.counters(), this.options.askedFps()];
    this.#before = now;
    if (before === null || now === null || askedFps === undefined) return NaN;
    const seconds = (now.epochMs - before.epochMs) / 1e3;
    return seconds > 0 ? (now.sourceFrames - before.sourceFrames) / seconds / askedFps : NaN;
  }

  #tell(nowUs: number): void {
    const { board } = this.options;
    const { state } = this.#watch;
    board.update({ machine: state });
    const by = state.reasons.map((reason) => reason.by);
    if (by.join() === this.#told) return;
    this.#told = by.join();
    if (state.overloaded) {
      const message = `This machine is too busy for the call: ${reasonText(state.reasons)}. So ${distortion(by)}.`;
      board.notice('warning', MACHINE_CODE, message, FIX);
    } else board.clear(MACHINE_CODE);
    this.#record(nowUs, state);
  }

  /** Records that an overload begins, that its reasons change, or that it ends. */
  #record(nowUs: number, { overloaded, sinceUs, reasons }: MachineState): void {
    const beganUs = this.#beganUs ?? nowUs;
    this.#beganUs = overloaded ? beganUs : null;
    this.options.onEvent({
      time_us: nowUs,
      name: overloaded ? 'machine_overloaded' : 'machine_recovered',
      detail: overloaded ? { since_us: sinceUs, reasons } : { for_us: nowUs - beganUs },
    });
  }
}
