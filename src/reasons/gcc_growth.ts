/**
 * Finds the law by which GCC's rate grew: fast start, multiplicative or additive. The trace does not contain
 * the law, but each law has its own growth rate.
 */
import type { Reason } from './change.js';
import type { GccRows } from './gcc_rows.js';
import type { Segment } from './segments.js';
import { factorText } from './words.js';
import { rateText } from '../judge/text.js';

/** A law explains the growth if its speed differs from the observed speed by at most this fraction. */
const ALIKE = 0.3;
/** Growth over less than this time, in seconds, may be a single step. So no speed is computed from it. */
const LEAST_S = 1;
/** Assumed: frames are split into packets of at most PACKET_BITS, and there are FRAMES_PER_S frames per second. */
const PACKET_BITS = 8 * 1200;
const FRAMES_PER_S = 30;
const SAMPLES = 9;
const INCREASE_MODES = { hybrid: 0, additive: 1, additiveTon: 2, multiplicative: 3 } as const;

/** The speed of additive growth at a row, in bit/s per second (draft-ietf-rmcat-gcc-02, 5.5). */
function additiveBpsPerS(rows: GccRows, row: number): number {
  const parameter = (name: string): number => rows.parameter(name, row);
  const frameBits = rows.rate('a_r_bps', row) / FRAMES_PER_S;
  const packetBits = frameBits / Math.max(1, Math.ceil(frameBits / PACKET_BITS));
  const responseMs = rows.rate('rtt_us', row) / 1e3 + parameter('response_time_offset_ms');
  // The law adds one step per response time, but an update never adds more than one step. If feedback is less
  // frequent than the response time, the law adds one step per feedback interval. The mode `additiveTon`, which
  // follows the ToN paper literally, does not have this limit.
  const isLiteral = parameter('increase_mode') === INCREASE_MODES.additiveTon;
  const everyMs = isLiteral ? responseMs : Math.max(responseMs, parameter('feedback_interval_ms'));
  const bpsPerS = (packetBits * parameter('additive_packets') * 1e3) / everyMs;
  return Math.max(bpsPerS, parameter('additive_min_bps_per_s'));
}

/**
 * The mean of `additiveBpsPerS` over some rows. A single row may mislead: the function jumps when frames need one
 * more packet.
 */
function meanAdditive(rows: GccRows, from: number, to: number): number {
  let sum = 0;
  for (let i = 0; i < SAMPLES; i++)
    sum += additiveBpsPerS(rows, from + Math.round(((to - from) * i) / (SAMPLES - 1)));
  return sum / SAMPLES;
}

/** Describes how fast the target grew, and names the law with this speed if there is one. */
export function growthDetail(rows: GccRows, { from, to }: Segment): Pick<Reason, 'detail' | 'evidence'> {
  const [fromBps, toBps] = [rows.rate('target_bps', from), rows.rate('target_bps', to)];
  const seconds = (rows.time(to) - rows.time(from)) / 1e6;
  if (seconds < LEAST_S) return { detail: '', evidence: {} };
  const [first, end] = rows.groupsOf(from, to);
  const factor = (toBps / fromBps) ** (1 / seconds);
  const bpsPerS = (toBps - fromBps) / seconds;
  const parameter = (name: string): number => rows.parameter(name, to);
  const isAs = (law: number, speed: number): boolean => Math.abs(law / speed - 1) <= ALIKE;
  const times = `× ${factorText(factor)} per second`;
  const evidence = { growth_per_s: factor, growth_bps_per_s: bpsPerS };
  if (rows.firstDecrease >= end && isAs(Math.log(parameter('fast_start_factor')), Math.log(factor)))
    return { detail: `${times} (fast start)`, evidence };
  const mode = parameter('increase_mode');
  const multiplies = mode === INCREASE_MODES.hybrid || mode === INCREASE_MODES.multiplicative;
  const adds = mode < INCREASE_MODES.multiplicative;
  const additive = meanAdditive(rows, from, to);
  const eta = Math.log(parameter('eta'));
  const isAdditive = adds && isAs(additive, bpsPerS);
  const isCloser = Math.abs(Math.log(additive / bpsPerS)) < Math.abs(Math.log(eta / Math.log(factor)));
  if (multiplies && isAs(eta, Math.log(factor)) && !(isAdditive && isCloser))
    return { detail: `${times} (multiplicative)`, evidence };
  if (isAdditive) return { detail: `+ ${rateText(bpsPerS)} per second (additive)`, evidence };
  let atBound = 0;
  for (let group = first; group < end; group++)
    if (rows.isAtBound(rows.group.at('a_r_bps', group), group, to)) atBound++;
  if (atBound * 2 < Math.max(1, end - first)) return { detail: times, evidence };
  const received = rows.group.mean('received_rate_bps', first, end);
  return {
    detail: `${times}, bounded by ${parameter('upper_bound_factor')} × what is received, ${rateText(received)} on average`,
    evidence: { ...evidence, received_rate_bps: received },
  };
}
