/** Explains falls of GCC's target rate. */
import { reasonOf, type Reason } from './change.js';
import { settingReason } from './explainer.js';
import { DECREASE, OVERUSE, type GccRows } from './gcc_rows.js';
import type { Segment } from './segments.js';
import { capacityShown, factorText } from './words.js';
import { percentText, rateText } from '../judge/text.js';

/**
 * A target counts as lowered to drain a queue only if it is below the smaller of A_r and A_s by more than this
 * fraction of A_r.
 */
const DRAINS = 0.02;
/**
 * If the received rate is below this fraction of the estimated capacity, the received rate also bounds the
 * target. The explanation then mentions the received rate.
 */
const STARVED = 0.5;
/** Overuse that ended more than this before the beginning of a fall did not cause the fall. */
const LAST_OVERUSE_US = 1e6;

/** Explains a fall of the target in one step or in many small steps. Null if the rows show no reason. */
export function fallReason(rows: GccRows, segment: Segment): Reason | null {
  const { from, to } = segment;
  return (
    settingReason(rows.flow, segment) ??
    lossFall(rows, to) ??
    competitiveFall(rows, from, to) ??
    drainFall(rows, from, to, 1) ??
    capacityFall(rows, from, to) ??
    overuseFall(rows, from, to) ??
    receivedFall(rows, to) ??
    drainFall(rows, from, to, 0)
  );
}

function lossFall(rows: GccRows, row: number): Reason | null {
  if (!rows.lossFell(row)) return null;
  const [lost, bound] = [rows.rate('fraction_lost', row), rows.lossBound('loss_high', row)];
  if (!(lost > bound)) return null;
  const detail = `${percentText(lost)} of the packets lost > ${percentText(bound)}`;
  return reasonOf('loss', detail, { fraction_lost: lost, loss_high: bound });
}

/**
 * The reason if A_r fell while another flow filled the queue; otherwise null. In this state, A_r falls if packets are
 * lost, or if the received rate, an upper bound of A_r, falls.
 */
function competitiveFall(rows: GccRows, from: number, to: number): Reason | null {
  const made = rows.madeAt(to, ...rows.groupsOf(from, to));
  if (rows.group.at('competing', made) !== 1) return null;
  if (!(rows.rate('a_r_bps', to) < rows.rate('a_r_bps', from))) return null;
  const lost = rows.rate('fraction_lost', to);
  const bound = lost > 0 ? null : receivedBound(rows, to);
  const detail = 'a packet was lost in the queue, which another flow keeps full';
  return bound ?? reasonOf('loss', detail, { fraction_lost: lost });
}

/**
 * The reason if the target fell so that a queue can drain; otherwise null. What is left out of the target must have
 * grown by more than `timesFall` times the fall of A_r. With `timesFall` = 1, it must have grown more than A_r fell. With
 * 0, any growth is enough.
 */
function drainFall(rows: GccRows, from: number, to: number, timesFall: number): Reason | null {
  const left = rows.leftOut(to);
  const a_r = rows.rate('a_r_bps', to);
  const more = left - rows.leftOut(from);
  const fell = rows.rate('a_r_bps', from) - a_r;
  if (!(left > DRAINS * a_r && more > timesFall * fell && more > 0)) return null;
  const detail = `${rateText(left)} of A_r ${rateText(a_r)} are left out until the queue is empty`;
  return reasonOf('drain', detail, { drain_bps: left, a_r_bps: a_r });
}

/**
 * The reason if A_r fell with the capacity estimate from frames; otherwise null. If there is an estimate, A_r is a
 * fraction of the estimate, and the overuse detector does not affect A_r.
 */
function capacityFall(rows: GccRows, from: number, to: number): Reason | null {
  const made = rows.madeAt(to, ...rows.groupsOf(from, to));
  const capacity = rows.group.at('capacity_estimate_bps', made);
  const received = rows.group.at('received_rate_bps', made);
  const a_r = rows.rate('a_r_bps', to);
  if (!(capacity > 0) || !(a_r < rows.rate('a_r_bps', from))) return null;
  const lost = rows.rate('fraction_lost', to);
  const isStarved = received < STARVED * capacity;
  const also = [
    ...(isStarved ? [`; ${rateText(received)} received`] : []),
    ...(lost > 0 ? [`; ${percentText(lost)} of the packets lost`] : []),
  ].join('');
  const detail = `${capacityShown(capacity)}, the delay-based rate A_r is ${factorText(a_r / capacity)} of that${also}`;
  const evidence = {
    capacity_estimate_bps: capacity,
    a_r_bps: a_r,
    ...(isStarved && { received_rate_bps: received }),
    ...(lost > 0 && { fraction_lost: lost }),
  };
  return reasonOf('capacity', detail, evidence);
}

function overuseFall(rows: GccRows, from: number, to: number): Reason | null {
  const [first, end] = rows.groupsOf(from, to);
  const decrease = rows.group.lastWith('state', DECREASE, first, end);
  const since = rows.group.lastAt(rows.time(from) - LAST_OVERUSE_US) + 1;
  // Ends the search at the group that set A_r to its value in row `to`. Later groups did not cause the fall.
  const overuse = rows.group.lastWith('signal', OVERUSE, since, rows.madeAt(to, first, end) + 1);
  if (overuse < 0) return null;
  const received = rows.group.at('received_rate_bps', decrease < 0 ? overuse : decrease);
  const { detail, evidence } = rows.detected(overuse, 1);
  return reasonOf('overuse', detail, {
    ...evidence,
    ...(Number.isFinite(received) && { received_rate_bps: received }),
  });
}

/** The reason if the received rate bounds A_r, and the settings let this bound lower A_r; otherwise null. */
function receivedFall(rows: GccRows, to: number): Reason | null {
  return rows.parameter('upper_bound_forces_decrease', to) === 1 ? receivedBound(rows, to) : null;
}

export function receivedBound(rows: GccRows, row: number): Reason | null {
  const group = rows.group.lastAt(rows.time(row));
  if (!rows.isAtBound(rows.rate('a_r_bps', row), group, row)) return null;
  const received = rows.group.at('received_rate_bps', group);
  const factor = rows.parameter('upper_bound_factor', row);
  const detail = `A_r is bounded by ${factor} × the ${rateText(received)} received`;
  const evidence = { received_rate_bps: received, upper_bound_factor: factor };
  return reasonOf('application-limited', detail, evidence, 'bound');
}
