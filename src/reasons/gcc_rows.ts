/** Looks up GCC's rows by time. GCC's receiver half writes the table `group`, its sender half the table `rate`. */
import type { Reason } from './change.js';
import type { Flow } from './explainer.js';
import { ofFlow, Rows, valueOf } from './rows.js';
import { comparedText } from './words.js';
import { LOSS_DECREASES, LOSS_HOLDS } from '../judge/loss_thresholds.js';
import type { TraceData } from '../trace/index.js';

const COLUMNS = [
  'detector_input_ms',
  'gamma_ms',
  'signal',
  'state',
  'received_rate_bps',
  'a_r_bps',
  'capacity_estimate_bps',
  'competing',
];
export const OVERUSE = valueOf('group', 'signal', 'overuse');
export const UNDERUSE = valueOf('group', 'signal', 'underuse');
export const DECREASE = valueOf('group', 'state', 'decrease');
export const INCREASE = valueOf('group', 'state', 'increase');

/** Rates that differ by less than this fraction count as equal. */
const SAME = 1e-3;
/** A rate that is below a bound by at most this fraction counts as being at the bound. */
const NEAR_BOUND = 0.1;
/** A decision of the receiver half shows in the `rate` rows within a round trip plus this time. */
const MESSAGE_US = 250e3;

export class GccRows {
  /** One row for each packet group. */
  readonly group: Rows;
  /** The index of the first group in the state `decrease`; Infinity if there is none. */
  readonly firstDecrease: number;

  constructor(
    trace: TraceData,
    readonly flow: Flow,
  ) {
    this.group = new Rows(trace, 'group', COLUMNS, ofFlow(flow.number));
    const first = this.group.column('state').indexOf(DECREASE);
    this.firstDecrease = first < 0 ? Infinity : first;
  }

  rate(name: string, row: number): number {
    return this.flow.rate.at(name, row);
  }

  time(row: number): number {
    return this.flow.rate.timeUs[row] ?? NaN;
  }

  parameter(name: string, row: number): number {
    return this.flow.settings.value(name, this.time(row));
  }

  /** The latest capacity estimate from frames at a `rate` row. NaN if the controller makes no such estimates. */
  capacityBps(row: number): number {
    return this.group.at('capacity_estimate_bps', this.group.lastAt(this.time(row)));
  }

  /** Whether another flow fills the queue, so that losses alone set the rate (competitive_mode.h). */
  isCompeting(row: number): boolean {
    return this.group.at('competing', this.group.lastAt(this.time(row))) === 1;
  }

  /** How far the target is below the smaller of A_r and A_s, so that a queue can drain. */
  leftOut(row: number): number {
    return Math.min(this.rate('a_r_bps', row), this.rate('a_s_bps', row)) - this.rate('target_bps', row);
  }

  /** The groups whose decisions may have changed the rate between two `rate` rows. */
  groupsOf(from: number, to: number): [first: number, end: number] {
    return this.group.decidedIn(this.flow.rate, from, to, MESSAGE_US);
  }

  /**
   * T of a group beside the γ with which it was compared, which is that of the group before: the detector updates γ
   * after the comparison. Groups that the detector passed over repeat T. With `sign` −1, T is compared with −γ.
   */
  detected(row: number, sign: 1 | -1): Pick<Reason, 'detail' | 'evidence'> {
    const t = this.group.at('detector_input_ms', row);
    let before = row - 1;
    while (before > 0 && this.group.at('detector_input_ms', before) === t) before--;
    const gamma = this.group.at('gamma_ms', Math.max(0, before));
    return {
      detail: comparedText(['T', t], [sign < 0 ? '−γ' : 'γ', sign * gamma]),
      evidence: { time_us: this.group.timeUs[row] ?? NaN, detector_input_ms: t, gamma_ms: gamma },
    };
  }

  /**
   * Whether a value of A_r is at its bound, a multiple of the rate that a group received. The settings are those of row
   * `row`. The received rate may have changed a little since the bound was applied, so a value slightly below the bound
   * also counts.
   */
  isAtBound(a_r: number, group: number, row: number): boolean {
    const factor = this.parameter('upper_bound_factor', row);
    const bound =
      this.group.at('received_rate_bps', group) * factor + this.parameter('upper_bound_offset_bps', row);
    return factor > 0 && a_r > bound * (1 - NEAR_BOUND);
  }

  /** Whether the loss-based rate bounds the target. */
  isLossBased(row: number): boolean {
    return this.rate('a_s_bps', row) < this.rate('a_r_bps', row) * (1 - SAME);
  }

  /**
   * Whether the loss-based rate A_s fell because of loss. A_s also falls when it follows a falling A_r, but then
   * the two are equal.
   */
  lossFell(row: number): boolean {
    const fell = this.rate('a_s_bps', row) < this.rate('a_s_bps', row - 1) * (1 - SAME);
    return fell && this.isLossBased(row);
  }

  /** A threshold of the loss controller: the flow's parameter or, if that is unknown, the paper's value. */
  lossBound(name: 'loss_high' | 'loss_low', row: number): number {
    const value = this.parameter(name, row);
    return Number.isNaN(value) ? { loss_high: LOSS_DECREASES, loss_low: LOSS_HOLDS }[name] : value;
  }

  /**
   * The first group whose A_r equals A_r in row `to` of `rate`. The receiver half also decides when feedback is due. Such
   * a decision is recorded with the next group, which may come after row `to`. If no group has this A_r, the last group
   * before `end`.
   */
  madeAt(to: number, first: number, end: number): number {
    const a_r = this.rate('a_r_bps', to);
    for (let row = first; row <= end; row++)
      if (Math.abs(this.group.at('a_r_bps', row) - a_r) <= SAME * a_r) return row;
    return end - 1;
  }
}
