/**
 * Explains GCC's target, which is the smaller of the loss-based rate A_s and the delay-based rate A_r. While a
 * queue drains, the target is lower than both. A_r is determined by
 * - losses, while another flow fills the queue;
 * - otherwise, in live calls, a capacity estimate from frame arrivals;
 * - otherwise, the overuse detector.
 */
import { NOT_BEGUN, reasonOf, UNKNOWN, type Reason } from './change.js';
import { boundReason, type Explainer, type Flow } from './explainer.js';
import { fallReason, receivedBound } from './gcc_falls.js';
import { growthDetail } from './gcc_growth.js';
import { DECREASE, GccRows, INCREASE, OVERUSE, UNDERUSE } from './gcc_rows.js';
import type { Segment } from './segments.js';
import { capacityShown } from './words.js';
import { msText, percentText, rateText } from '../judge/text.js';
import type { TraceData } from '../trace/index.js';

/**
 * How far a constant rate varies, as a fraction of its value. `law`: a rate that follows the paper's law
 * varies very little. `capacity`: a rate that follows the capacity estimate from frames varies more.
 */
const SCATTER = { law: 0.01, capacity: 0.025 };
/**
 * The rate counts as held if the controller's state was not `increase` in at least this fraction of the packet
 * groups.
 */
const HELD = 0.3;

export class GccExplainer implements Explainer {
  readonly #rows: GccRows;

  constructor(
    trace: TraceData,
    private readonly flow: Flow,
  ) {
    this.#rows = new GccRows(trace, flow);
  }

  isExact = (row: number): boolean =>
    Number.isNaN(this.#rows.capacityBps(row)) || this.#rows.isCompeting(row);

  scatter = (row: number): number => (this.isExact(row) ? SCATTER.law : SCATTER.capacity);

  isDecision = (row: number): boolean => {
    if (this.#rows.lossFell(row)) return true;
    if (!this.isExact(row)) return false;
    const [first, end] = this.#rows.groupsOf(row - 1, row);
    return (
      this.#rows.group.lastWith('signal', OVERUSE, first, end) >= 0 ||
      this.#rows.group.lastWith('state', DECREASE, first, end) >= 0
    );
  };

  explain(segment: Segment): Reason {
    switch (segment.shape) {
      case 'fall':
        return fallReason(this.#rows, segment) ?? UNKNOWN;
      case 'decline':
        return fallReason(this.#rows, segment) ?? { ...UNKNOWN, label: 'decrease' };
      case 'flat':
        return this.#flat(segment);
      case 'rise':
        return this.#rise(segment);
    }
  }

  #rise(segment: Segment): Reason {
    const { from, to } = segment;
    const grown = this.#rows.rate('target_bps', to) - this.#rows.rate('target_bps', from);
    if (this.#rows.isLossBased(to)) {
      const [lost, bound] = [this.#rows.rate('fraction_lost', to), this.#rows.lossBound('loss_low', to)];
      const detail =
        lost < bound ? `A_s grows: ${percentText(lost)} lost < ${percentText(bound)}` : 'A_s grows';
      return reasonOf('increase', detail, { fraction_lost: lost, loss_low: bound });
    }
    if (this.#rows.isCompeting(to)) {
      const detail = 'another flow fills the queue, so A_r grows until packets are lost';
      return reasonOf('increase', detail);
    }
    if (this.#rows.leftOut(from) - this.#rows.leftOut(to) > grown / 2) {
      const a_r = this.#rows.rate('a_r_bps', to);
      const detail = `the queue drains, so that more of A_r ${rateText(a_r)} is used again`;
      return reasonOf('drain', detail, { a_r_bps: a_r }, 'increase');
    }
    const [first, end] = this.#rows.groupsOf(from, to);
    const estimates = this.#rows.group.column('capacity_estimate_bps').subarray(first, end);
    if (estimates.filter((estimate) => estimate > 0).length * 2 >= Math.max(1, end - first))
      return this.#capacityReason('increase', first, end);
    const { detail, evidence } = growthDetail(this.#rows, segment);
    return reasonOf('increase', detail, evidence);
  }

  #capacityReason(kind: 'increase' | 'hold', first: number, end: number): Reason {
    const capacity = this.#rows.group.mean('capacity_estimate_bps', first, end);
    return reasonOf(kind, capacityShown(capacity), { capacity_estimate_bps: capacity });
  }

  #flat(segment: Segment): Reason {
    const { from, to } = segment;
    const [first, end] = this.#rows.group.between(this.#rows.time(from), this.#rows.time(to));
    if (end === 0) return NOT_BEGUN;
    const bound = boundReason(this.flow, segment);
    if (bound !== null) return bound;
    const startsMs = this.#rows.parameter('initialise_after_ms', from);
    if (from === 0 && startsMs > 0 && first < this.#rows.firstDecrease) return startReason(startsMs);
    if (this.#rows.isCompeting(to)) {
      const detail = 'another flow fills the queue, so that only losses lower A_r';
      return reasonOf('hold', detail);
    }
    if (this.#rows.group.mean('capacity_estimate_bps', first, end) > 0)
      return this.#capacityReason('hold', first, end);
    return (
      this.#lossHold(segment) ??
      this.#stateHold(first, end) ??
      receivedBound(this.#rows, to) ?? { ...UNKNOWN, kind: 'hold', label: 'hold' }
    );
  }

  /** The reason if losses held the rate. Of the reports within the segment, the last one is named. */
  #lossHold({ from, to }: Segment): Reason | null {
    if (!this.#rows.isLossBased(Math.floor((from + to) / 2))) return null;
    const lost = this.#rows.rate('fraction_lost', to);
    const [low, high] = [this.#rows.lossBound('loss_low', to), this.#rows.lossBound('loss_high', to)];
    const isBetween = lost >= low && lost <= high;
    const detail = isBetween
      ? `${percentText(lost)} lost, between ${percentText(low)} and ${percentText(high)}`
      : `A_s waits for the next report of losses, ${percentText(lost)} in the last one`;
    const evidence = { fraction_lost: lost, loss_low: low, loss_high: high };
    return reasonOf(isBetween ? 'loss' : 'hold', detail, evidence, 'hold');
  }

  /**
   * The reason if the rate was held so that a queue could drain: after a decrease, or while the detector signals
   * underuse.
   */
  #stateHold(first: number, end: number): Reason | null {
    if (this.#rows.group.share('state', INCREASE, first, end) > 1 - HELD) return null;
    const underuse = this.#rows.group.lastWith('signal', UNDERUSE, first, end);
    if (underuse < 0) return reasonOf('hold', 'until the queue has drained');
    const { detail, evidence } = this.#rows.detected(underuse, -1);
    return reasonOf('underuse', `the queue drains: ${detail}`, evidence);
  }
}

/**
 * The reason for a constant rate at the start. Like deployed versions of GCC, the controller waits for `afterMs`
 * milliseconds, and then initialises A_r with the rate received during this time.
 */
const startReason = (afterMs: number): Reason =>
  reasonOf(
    'hold',
    `A_r is to begin with what is received in the first ${msText(afterMs)}`,
    { initialise_after_ms: afterMs },
    'start',
  );
