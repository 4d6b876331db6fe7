/** A controller's equations, with the values of their variables at a moment of a run. */
import { stripState } from '../../../charts/index.js';
import type { Moment, Row, TableRows } from './moment.js';

export interface Equation {
  title: string;
  /** The source: a paper with section and equation, or an RFC. */
  source: string;
  /** The equation in TeX. */
  formula: string;
  /** The values of the formula's variables at the moment, and the result. */
  values: string;
}

/** Returns the value of a parameter by its name. */
export type Values = (name: string) => number;

/** Milliseconds as text. Negative numbers are in brackets, since they may follow an operator. */
function ms(value: number, digits = Math.abs(value) < 10 ? 2 : 1): string {
  const text = `${Math.abs(value).toFixed(digits)} ms`;
  return value < 0 && Number.parseFloat(text) !== 0 ? `(−${text})` : text;
}
/** A variable of a formula has more decimals than the result, so that readers can recompute the result. */
const exactMs = (value: number): string => ms(value, 3);
/**
 * The detector multiplies the filter's m by up to detector_gain_groups (60 by default), and so multiplies the
 * rounding error, too. Therefore m has four decimals.
 */
const filterMs = (value: number): string => ms(value, 4);
const seconds = (us: number): string => `${(us / 1e6).toFixed(3)} s`;
const kbps = (bps: number): string => `${(bps / 1e3).toFixed(0)} kbps`;
const percent = (ratio: number): string => `${(100 * ratio).toFixed(1)} %`;
const number = (value: number, digits = 3): string => String(Number(value.toPrecision(digits)));
/** The filter's gain, in brackets if it is negative. A gain too small to change m counts as 0. */
function gainText(gain: number): string {
  const text = number(Math.abs(gain) < 1e-6 ? 0 : Math.abs(gain), 4);
  return gain < 0 && text !== '0' ? `(−${text})` : text;
}
/** Rates that differ by less than this may be the same number as text. */
const ROUNDED_BPS = 1000;
const of = (row: Row | undefined, name: string): number => row?.[name] ?? NaN;
/** Whether the rules for live calls kept this pair of groups from the filter and the detector. */
const isFilterHeld = (row: Row): boolean => of(row, 'held') > 0;

const SIGNALS = ['normal', 'underuse', 'overuse'];
const STATES = ['hold', 'increase', 'decrease'];

/** ToN: Carlucci et al., "Congestion Control for Web Real-Time Communication", 2017. */
export function gccEquations({ rows }: Moment, value: Values): Equation[] {
  return [...delayEquations(rows.group, value), ...rateEquations(rows, value)];
}

function delayEquations(group: Moment['rows']['group'], value: Values): Equation[] {
  if (group === undefined) return [];
  const { now, before } = group;
  const isHeld = isFilterHeld(now);
  const m = of(now, 'm_ms');
  const variation = of(now, 'delay_variation_ms');
  const equations: Equation[] = [
    {
      title: 'One-way delay variation',
      source: 'ToN, section III-A, eq. 3',
      formula: String.raw`d_m(t_i) = (t_i - t_{i-1}) - (T_i - T_{i-1})`,
      values: `${exactMs(of(now, 'arrival_delta_us') / 1e3)} − ${exactMs(of(now, 'send_delta_us') / 1e3)} = ${ms(variation)}`,
    },
  ];
  if (before !== undefined) {
    const last = of(before, 'm_ms');
    const sizePart = of(before, 'inverse_capacity_ms_per_byte') * of(now, 'size_delta_bytes');
    const innovation = variation - sizePart - last;
    const gain = (m - last) / innovation;
    equations.push({
      title: 'Kalman filter',
      source: 'ToN, section III-A, eq. 6 and 9',
      formula: String.raw`m(t_i) = m(t_{i-1}) + k_m \left(d_m(t_i) - \frac{\Delta L}{C} - m(t_{i-1})\right)`,
      values:
        Number.isFinite(gain) && !isHeld
          ? `${filterMs(last)} + ${gainText(gain)} · (${exactMs(variation)} − ${exactMs(sizePart)} − ${filterMs(last)}) = ${exactMs(m)}`
          : `the filter held: ${exactMs(m)}`,
    });
    equations.push(thresholdEquation(now, before, value));
  }
  equations.push({
    title: 'Overuse detector',
    source: 'ToN, section III-A',
    formula: String.raw`T = n \cdot m(t_i), \quad -\gamma(t_{i-1}) \le T \le \gamma(t_{i-1})`,
    values: isHeld
      ? `the detector held: ${SIGNALS[of(now, 'signal')] ?? '–'}`
      : detection(now, before, value),
  });
  return equations;
}

/** Compares T (the detector's input) with the previous threshold, and names the resulting signal. */
function detection(now: Row, before: Row | undefined, value: Values): string {
  const [m, input, gamma] = [of(now, 'm_ms'), of(now, 'detector_input_ms'), of(before, 'gamma_ms')];
  const signal = SIGNALS[of(now, 'signal')] ?? '–';
  const product = m === 0 ? ms(input) : `${number(input / m)} · ${filterMs(m)} = ${ms(input)}`;
  if (Number.isNaN(gamma)) return `${product}: ${signal}`;
  const place = Math.abs(input) > gamma ? 'beyond' : 'within';
  const isEarly = input > gamma && signal !== 'overuse';
  const reason = isEarly ? whyNotYet(m < of(before, 'm_ms'), value) : '';
  return `${product} ${place} ± ${ms(gamma)}${reason}: ${signal}`;
}

/** Why a T above the threshold is not yet signalled as overuse. */
function whyNotYet(isFalling: boolean, value: Values): string {
  if (isFalling && value('overuse_needs_rising_m') > 0) return ', but m falls';
  const groups = value('overuse_min_groups');
  const inGroups = groups > 1 ? ` and ${number(groups)} groups` : '';
  return `, but not yet for ${number(value('overuse_time_ms'))} ms${inGroups}`;
}

/** The term ΔT · k_γ · (|T| − γ) of the threshold's update. */
interface ThresholdStep {
  last: number;
  gamma: number;
  gain: number;
  magnitude: number;
}

/** The update of the threshold between two rows whose times are those of the groups. */
function stepFromTimes(
  { last, gamma, gain, magnitude }: ThresholdStep,
  elapsed: number,
  value: Values,
): string {
  const longest = value('threshold_delta_max_ms');
  const counted = longest > 0 ? Math.min(elapsed, longest) : elapsed;
  const follows = last + counted * gain * (magnitude - last);
  const bounded =
    follows < value('gamma_min_ms') ? ', at least ' : follows > value('gamma_max_ms') ? ', at most ' : '';
  return `${exactMs(last)} + ${number(counted, 4)} ms · ${number(gain)} · (${exactMs(magnitude)} − ${exactMs(last)}) = ${ms(follows)}${bounded && bounded + ms(gamma)}`;
}

/**
 * The update of the threshold by the sender. It handles all groups of one message at once, so the times of the rows are
 * not those of the groups. The time between the groups is therefore found from the new threshold.
 */
function stepFromThreshold({ last, gamma, gain, magnitude }: ThresholdStep, value: Values): string {
  const isBound = gamma === value('gamma_min_ms') || gamma === value('gamma_max_ms');
  if (isBound || gamma === last) return `${exactMs(last)} → ${ms(gamma)}`;
  const counted = (gamma - last) / (gain * (magnitude - last));
  return `${exactMs(last)} + ${number(counted, 4)} ms · ${number(gain)} · (${exactMs(magnitude)} − ${exactMs(last)}) = ${ms(gamma)}`;
}

function thresholdEquation(now: Row, before: Row, value: Values): Equation {
  const [gamma, last] = [of(now, 'gamma_ms'), of(before, 'gamma_ms')];
  const magnitude = Math.abs(of(now, 'detector_input_ms'));
  const gain = magnitude < last ? value('k_d') : value('k_u');
  const step = { last, gamma, gain, magnitude };
  const elapsed = (of(now, 'time_us') - of(before, 'time_us')) / 1e3;
  const guard = value('adaptation_guard_ms');
  const values =
    value('adaptive_threshold') === 0
      ? `the threshold of this preset is static: ${ms(gamma)}`
      : isFilterHeld(now)
        ? `the detector held: ${ms(gamma)}`
        : guard > 0 && magnitude > last + guard
          ? `|T| is more than ${ms(guard)} above γ, which does not follow: ${ms(gamma)}`
          : value('filter_at') > 0
            ? stepFromThreshold(step, value)
            : stepFromTimes(step, elapsed, value);
  return {
    title: 'Adaptive threshold',
    source: 'ToN, section III-A, eq. 11 and 12',
    formula: String.raw`\gamma(t_i) = \gamma(t_{i-1}) + \Delta T_i \, k_\gamma \left(|T| - \gamma(t_{i-1})\right)`,
    values,
  };
}

/** What the delay-based controller did with A_r in this update. */
function stepText(state: string, { now, before, cut }: TableRows): string {
  const [last, next] = [of(before, 'a_r_bps'), of(now, 'a_r_bps')];
  if (Number.isNaN(last)) return kbps(next);
  // In a live call, A_r follows the capacity that the frames show, and not the state machine.
  const capacity = of(now, 'capacity_estimate_bps');
  if (capacity > 0 && next !== last)
    return `${kbps(last)} → ${kbps(next)}, since the frames show a capacity of ${kbps(capacity)}`;
  if (state === 'decrease' && next < last) {
    const received = of(now, 'received_rate_bps');
    return `α · R_r = ${number(next / received, 4)} · ${kbps(received)} = ${kbps(next)}`;
  }
  if (next !== last) return `${kbps(last)} → ${kbps(next)}`;
  if (state !== 'decrease') return `A_r stays at ${kbps(next)}`;
  return cut !== undefined && of(cut, 'a_r_bps') === next
    ? `already cut to ${kbps(next)} at ${seconds(of(cut, 'time_us'))}`
    : `α · R_r is not below A_r, which stays at ${kbps(next)}`;
}

function rateEquations({ group, rate }: Moment['rows'], value: Values): Equation[] {
  const equations: Equation[] = [];
  if (group !== undefined) {
    const state = STATES[of(group.now, 'state')] ?? '–';
    const received = of(group.now, 'received_rate_bps');
    equations.push({
      title: 'Delay-based controller',
      source: 'ToN, section III-A, eq. 13',
      formula: String.raw`A_r(t_i) = \begin{cases} A_r(t_{i-1}) + \bar{A} & \text{increase} \\ \alpha R_r(t_i) & \text{decrease} \\ A_r(t_{i-1}) & \text{hold} \end{cases}`,
      values: `${state}: ${stepText(state, group)}; R_r = ${kbps(received)}`,
    });
  }
  if (rate !== undefined) {
    const { now } = rate;
    const lost = of(now, 'fraction_lost');
    const bound = of(now, 'a_s_bps') >= of(now, 'a_r_bps') ? ', bounded by A_r' : '';
    equations.push(
      {
        title: 'Loss-based controller',
        source: 'ToN, section III-B, eq. 14',
        formula: String.raw`A_s(t_k) = \begin{cases} A_s(t_{k-1})(1 - 0.5 f_l) & f_l > 0.1 \\ 1.05 A_s(t_{k-1}) & f_l < 0.02 \\ A_s(t_{k-1}) & \text{otherwise} \end{cases}`,
        values: Number.isNaN(lost)
          ? 'no report of losses yet'
          : `f_l = ${percent(lost)}: ${lossLaw(lost, value)}; A_s = ${kbps(of(now, 'a_s_bps'))}${bound}`,
      },
      {
        title: 'Target',
        source: 'ToN, section III',
        formula: String.raw`A = \min(A_s, A_r)`,
        values: targetText(now, value('filter_at') > 0 ? NaN : of(group?.now, 'a_r_bps')),
      },
    );
  }
  return equations;
}

/** What the loss-based controller does with A_s after a report of this loss. */
function lossLaw(lost: number, value: Values): string {
  if (lost > value('loss_high')) return `A_s·(1 − ${number(value('loss_decrease_factor'))}·f_l)`;
  if (lost >= value('loss_low')) return 'A_s stays';
  const base = value('loss_increase_base') > 0 ? 'the lowest A_s of the last second' : 'A_s';
  const offset = value('loss_increase_offset_bps');
  return `${number(value('loss_increase_factor'))}·${base}${offset > 0 ? ` + ${kbps(offset)}` : ''}`;
}

/**
 * The sender's target. The sender's values are recorded at intervals, and the sender learns the receiver's A_r only
 * from the next feedback. So the sender's A_r and its target may be older than the receiver's A_r at the moment.
 * `receiverBps` is NaN if the sender computes A_r itself, or if the receiver's A_r is unknown.
 */
function targetText(sender: Row, receiverBps: number): string {
  const [a_s, known, target] = [of(sender, 'a_s_bps'), of(sender, 'a_r_bps'), of(sender, 'target_bps')];
  // While a queue drains in a live call, the sender leaves out a part of A_r (wasm/cc/gcc/sender.cc).
  const isDraining = Math.min(a_s, known) - target > ROUNDED_BPS;
  const delayBased = isDraining
    ? `${kbps(known)} − ${kbps(known - target)} until the queue is empty`
    : kbps(known);
  const minimum = `min(${kbps(a_s)}, ${delayBased}) = ${kbps(target)}`;
  return Number.isNaN(receiverBps) || kbps(receiverBps) === kbps(known)
    ? minimum
    : `${minimum} at the sender, recorded at ${seconds(of(sender, 'time_us'))}; the receiver’s A_r is ${kbps(receiverBps)} now`;
}

export function nadaEquations({ rows }: Moment, value: Values): Equation[] {
  const { nada, rate } = rows;
  if (nada === undefined) return [];
  const { now, before } = nada;
  const x = of(now, 'x_curr_ms');
  const [warped, loss] = [of(now, 'warped_delay_ms'), of(now, 'loss_ratio')];
  const target = of(rate?.now, 'target_bps');
  // As in the core (wasm/cc/nada/rate_controller.cc), rates are counted from 0 or from RMIN.
  const isFromRmin = value('rate_origin') > 0;
  const origin = isFromRmin ? value('min_bitrate_bps') : 0;
  const above = Math.max(target - origin, 1);
  const wanted = value('prio') * value('xref_ms') * ((value('max_bitrate_bps') - origin) / above);
  const mode = stripState('mode', of(now, 'mode'));
  return [
    {
      title: 'Congestion signal',
      source: 'RFC 8698, section 4.2, eq. 1 and 2',
      formula: String.raw`x_{curr} = \tilde{d} + \text{penalty}(p_{loss})`,
      values: `${ms(warped)} (of ${ms(of(now, 'queue_delay_ms'))} queuing) + ${ms(x - warped)} for ${percent(loss)} loss = ${ms(x)}`,
    },
    {
      title: 'Offset from the equilibrium',
      source: `${isFromRmin ? 'Chromium 2015; ' : ''}RFC 8698, section 4.3, eq. 5`,
      formula: String.raw`x_{offset} = x_{curr} - PRIO \cdot XREF \cdot ${
        isFromRmin ? String.raw`\frac{RMAX - RMIN}{r_{ref} - RMIN}` : String.raw`\frac{RMAX}{r_{ref}}`
      }`,
      values: `${ms(x)} − ${ms(wanted)} = ${ms(x - wanted)}`,
    },
    {
      title: 'Change of the signal',
      source: 'RFC 8698, section 4.3, eq. 6',
      formula: String.raw`x_{diff} = x_{curr} - x_{prev}`,
      values:
        before === undefined
          ? 'the first report'
          : `${ms(x)} − ${ms(of(before, 'x_curr_ms'))} = ${ms(x - of(before, 'x_curr_ms'))}`,
    },
    {
      title: 'Rate',
      ...(mode === 'ramp-up' ? rampUpLaw(value('ramp_up_floor')) : gradualLaw(isFromRmin)),
      values: `${mode}: r_ref = ${kbps(target)}, r_recv = ${kbps(of(now, 'received_rate_bps'))}`,
    },
  ];
}

/** The law of NADA's ramp-up, with the lowest rate that the parameter `ramp_up_floor` gives it. */
function rampUpLaw(floor: number): Pick<Equation, 'source' | 'formula'> {
  const section = 'RFC 8698, section 4.3';
  const grown = String.raw`(1 + \gamma) r_{recv}`;
  if (floor === 0)
    return { source: `${section}, without its lowest rate r_ref`, formula: `r_{ref} = ${grown}` };
  return floor === 1
    ? { source: section, formula: String.raw`r_{ref} = \max(r_{ref}, ${grown})` }
    : {
        source: `${section}, with the rate of the gradual update as the lowest`,
        formula: String.raw`r_{ref} = \max(r_{gradual}, ${grown})`,
      };
}

/** The law of NADA's gradual update. */
function gradualLaw(isFromRmin: boolean): Pick<Equation, 'source' | 'formula'> {
  const above = isFromRmin ? '(r_{ref} - RMIN)' : 'r_{ref}';
  return {
    source: `${isFromRmin ? 'Chromium 2015; ' : ''}RFC 8698, section 4.3`,
    formula: String.raw`r_{ref} = r_{ref} - \kappa \frac{\delta}{\tau} \frac{x_{offset}}{\tau} ${above} - \kappa \eta \frac{x_{diff}}{\tau} ${above}`,
  };
}

export function lccEquations({ rows }: Moment, value: Values): Equation[] {
  const { lcc } = rows;
  if (lcc === undefined) return [];
  const { now } = lcc;
  const [average, target, control] = [
    of(now, 'average_delay_us') / 1e3,
    of(now, 'target_delay_us') / 1e3,
    of(now, 'control_delay_us') / 1e3,
  ];
  const [sent, next] = [of(now, 'sending_rate_bps'), of(now, 'next_rate_bps')];
  return [
    {
      title: 'Delay that is aimed at',
      source: 'LCC, section II-C, eq. 5',
      formula: String.raw`T_{c,i} = T_{c,i-1} + \delta (T_A - D_{ave,i})`,
      values: `T_A = ${ms(target)}, D_ave = ${ms(average)}, δ = ${number(value('delta'))}, T_c = ${ms(control)}`,
    },
    {
      title: 'Expectation',
      source: 'LCC, section II-C, eq. 7',
      formula: String.raw`S_{i+1} = \int S \cdot P(S \mid D = T_{c,i}) \, dS`,
      values: kbps(of(now, 'expected_rate_bps')),
    },
    {
      title: 'Cut',
      source: 'LCC, section II-C, eq. 8',
      formula: String.raw`S_{i+1} = M \cdot S_i \quad \text{if } D_{ave,i} > R \cdot T_A`,
      values: `D_ave = ${ms(average)} ${average > value('cut_threshold') * target ? '>' : '≤'} ${number(value('cut_threshold'))} · ${ms(target)}`,
    },
    {
      title: 'Next rate',
      source: 'LCC, section II',
      formula: String.raw`S_{i+1} = f(D_{ave,i}, P(S, D))`,
      values: `${stripState('action', of(now, 'action'))}: ${kbps(sent)} → ${kbps(next)}`,
    },
  ];
}
