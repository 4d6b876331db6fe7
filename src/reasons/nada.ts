/**
 * Explains NADA's target. While there is no queue, the target follows the accelerated ramp-up. Otherwise it
 * follows the gradual rate update: each value of the congestion signal x_curr has an equilibrium rate, towards
 * which the target moves (RFC 8698, 4.3).
 */
import { NOT_BEGUN, reasonOf, UNKNOWN, type ChangeShape, type Reason } from './change.js';
import { outerReason, type Explainer, type Flow } from './explainer.js';
import { ofFlow, Rows, valueOf } from './rows.js';
import type { Segment } from './segments.js';
import { comparedText } from './words.js';
import { msText, percentText, rateText } from '../judge/text.js';
import type { TraceData } from '../trace/index.js';

const COLUMNS = ['x_curr_ms', 'mode', 'loss_ratio', 'received_rate_bps', 'bound_bps'];
const GRADUAL = valueOf('nada', 'mode', 'gradual');
const RAMP_UP = valueOf('nada', 'mode', 'ramp_up');
const SCATTER = 0.025;
/** A message from the receiver half shows in the `rate` rows within a round trip plus this time. */
const MESSAGE_US = 150e3;
/** Loss ratios below this are not mentioned. The ratio is smoothed, so it decays slowly after a loss. */
const LEAST_LOST = 1e-3;
/** The signal counts as balanced if it differs by at most this from the value at which the rate would not change. */
const BALANCED_MS = 2;

export class NadaExplainer implements Explainer {
  readonly #nada: Rows;

  constructor(
    trace: TraceData,
    private readonly flow: Flow,
  ) {
    this.#nada = new Rows(trace, 'nada', COLUMNS, ofFlow(flow.number));
  }

  isExact = (): boolean => false;
  scatter = (): number => SCATTER;
  isDecision = (): boolean => false;

  explain(segment: Segment): Reason {
    const { shape, from, to } = segment;
    const [first, end] = this.#messagesOf(from, to);
    if (end === 0) return NOT_BEGUN;
    const outer = outerReason(this.flow, segment, this.#nada, [first, end]);
    if (outer !== null) return outer;
    if (shape === 'fall') return this.#fall(segment, first, end);
    const isGradual =
      this.#nada.share('mode', GRADUAL, first, end) >= 0.5 &&
      !(shape === 'rise' && this.#isSteepestByRampUp(segment));
    return isGradual ? this.#gradual(segment, first, end) : this.#rampUp(segment, first, end);
  }

  #time(row: number): number {
    return this.flow.rate.timeUs[row] ?? NaN;
  }

  #messagesOf(from: number, to: number): [first: number, end: number] {
    return this.#nada.decidedIn(this.flow.rate, from, to, MESSAGE_US);
  }

  /** Whether a message that asked for ramp-up may have made the largest step of a rise. */
  #isSteepestByRampUp({ from, to }: Segment): boolean {
    const targets = this.flow.rate.column('target_bps');
    const step = (row: number): number => (targets[row] ?? NaN) - (targets[row - 1] ?? NaN);
    let most = from + 1;
    for (let row = most; row <= to; row++) if (step(row) > step(most)) most = row;
    return this.#nada.share('mode', RAMP_UP, ...this.#messagesOf(most - 1, most)) > 0;
  }

  /** The value of the signal at which the target would not change; NaN if the parameters are unknown. */
  #balanceMs(row: number): number {
    const parameter = (name: string): number => this.flow.settings.value(name, this.#time(row));
    const origin = parameter('rate_origin') === 1 ? parameter('min_bitrate_bps') : 0;
    const above = Math.max(1, this.flow.rate.at('target_bps', row) - origin);
    return parameter('prio') * parameter('xref_ms') * ((parameter('max_bitrate_bps') - origin) / above);
  }

  #lossText(first: number, end: number): string {
    const lost = this.#nada.mean('loss_ratio', first, end);
    return lost >= LEAST_LOST ? `, with ${percentText(lost)} lost in it` : '';
  }

  #fall({ from }: Segment, first: number, end: number): Reason {
    let most = -1;
    for (let row = first; row < end; row++) {
      const isMore = this.#nada.at('x_curr_ms', row) > (most < 0 ? -1 : this.#nada.at('x_curr_ms', most));
      if (this.#nada.at('mode', row) === GRADUAL && isMore) most = row;
    }
    if (most < 0) return this.#receivedFall(from, first, end);
    const signal = this.#nada.at('x_curr_ms', most);
    const balance = this.#balanceMs(from);
    const before = this.#nada.at('x_curr_ms', most - 1);
    const evidence = {
      time_us: this.#nada.timeUs[most] ?? NaN,
      x_curr_ms: signal,
      ...(Number.isFinite(balance) && { balance_ms: balance }),
    };
    const lost = this.#lossText(most, most + 1);
    if (signal > balance) {
      const detail = `${comparedText(['signal', signal], ['', balance])} of balance${lost}`;
      return reasonOf('gradual', detail, evidence);
    }
    if (!(signal > before)) return UNKNOWN;
    const detail = `the signal rose from ${msText(before)} to ${msText(signal)}${lost}`;
    return reasonOf('gradual', detail, { ...evidence, before_ms: before });
  }

  /** During ramp-up the target is a multiple of the received rate, so it falls if the received rate falls. */
  #receivedFall(from: number, first: number, end: number): Reason {
    const received = this.#nada.at('received_rate_bps', end - 1);
    const most = 1 + this.flow.settings.value('gamma_max', this.#time(from));
    const isBelow = first < end && received * most < this.flow.rate.at('target_bps', from);
    if (!isBelow) return UNKNOWN;
    const detail = `only ${rateText(received)} are received`;
    return reasonOf('application-limited', detail, { received_rate_bps: received }, 'bound');
  }

  #gradual({ shape, from, to }: Segment, first: number, end: number): Reason {
    const signal = this.#nada.mean('x_curr_ms', first, end);
    const balance = this.#balanceMs(Math.floor((from + to) / 2));
    const evidence = { x_curr_ms: signal, ...(Number.isFinite(balance) && { balance_ms: balance }) };
    const lost = this.#lossText(first, end);
    const told = this.#signalText(shape, signal, balance, first, end);
    return reasonOf('gradual', `${told}${lost}`, evidence);
  }

  /**
   * Describes the mean of the signal that moved the rate. If this mean would move the rate in the other
   * direction, describes how the signal changed instead, if it did.
   */
  #signalText(shape: ChangeShape, signal: number, balance: number, first: number, end: number): string {
    const mean = `signal ${msText(signal)} on average`;
    if (Number.isNaN(balance)) return mean;
    if (shape === 'flat' && Math.abs(signal - balance) <= BALANCED_MS)
      return `signal ${msText(signal)}, in balance`;
    const pulls = shape === 'flat' || (shape === 'rise' ? signal < balance : signal > balance);
    if (pulls) return `${comparedText(['signal', signal], ['', balance])} of balance, on average`;
    // The largest movement of the signal in the direction that explains the shape.
    const sign = shape === 'rise' ? -1 : 1;
    let [start, before, after] = [NaN, 0, 0];
    for (const value of this.#nada.column('x_curr_ms').subarray(first, end)) {
      if (!(sign * (value - start) > 0)) start = value;
      else if (sign * (value - start) > sign * (after - before)) [before, after] = [start, value];
    }
    const [from, to] = [msText(before), msText(after)];
    return from === to ? mean : `the signal ${sign < 0 ? 'fell' : 'rose'} from ${from} to ${to}`;
  }

  #rampUp({ shape }: Segment, first: number, end: number): Reason {
    const received = this.#nada.mean('received_rate_bps', first, end);
    const isRampUp = (row: number): boolean => this.#nada.at('mode', row) === RAMP_UP;
    const signal = this.#nada.mean('x_curr_ms', first, end, isRampUp);
    const detail =
      shape === 'rise'
        ? `no queue is seen (signal ${msText(signal)} on average)`
        : `no queue is seen, and ${rateText(received)} are received on average`;
    const kind = shape === 'rise' ? 'ramping-up' : 'application-limited';
    return reasonOf(kind, detail, { x_curr_ms: signal, received_rate_bps: received }, 'ramp-up');
  }
}
