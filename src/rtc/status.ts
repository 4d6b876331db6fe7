import type { CallStatus, Mode, Notice } from './types.js';

/** Holds a call's status. All changes go through this class, which reports them to one listener. */
export class StatusBoard {
  #status: CallStatus;

  constructor(
    mode: Mode,
    bottleneck: CallStatus['bottleneck'],
    private readonly changed: (status: CallStatus) => void,
  ) {
    this.#status = {
      phase: 'connecting',
      requestedMode: mode,
      effectiveMode: mode === 'control' ? 'cap' : mode,
      notices: [],
      sendTimeSource: 'trailer',
      arrivalTimeSource: 'receiveTime',
      bottleneck,
      encoderTargetBps: NaN,
      workers: {},
      deadWorkers: [],
      controllerFaults: [],
      machine: null,
    };
  }

  get status(): CallStatus {
    return this.#status;
  }

  update(change: Partial<CallStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.changed(this.#status);
  }

  /** Shows a notice, replacing an earlier one with the same code. */
  notice(level: Notice['level'], code: string, message: string, fix: string): void {
    if (this.#status.notices.some((n) => n.code === code && n.message === message)) return;
    const others = this.#status.notices.filter((n) => n.code !== code);
    this.update({ notices: [...others, { level, code, message, fix }] });
  }

  has(code: string): boolean {
    return this.#status.notices.some((n) => n.code === code);
  }

  /** Withdraws a notice that no longer applies. */
  clear(code: string): void {
    if (this.has(code)) this.update({ notices: this.#status.notices.filter((n) => n.code !== code) });
  }
}
