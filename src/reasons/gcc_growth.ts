/** By which law GCC's rate grew: its rows do not say, but each law has a speed of its own. */
import type { Reason } from './change.js';
import type { Flow } from './explainer.js';
import type { Segment } from './segments.js';
import { factorText } from './words.js';
import { rateText } from '../judge/text.js';

/** A law made the growth if its speed is within this share of what was seen. */
const ALIKE = 0.3;
/** Where the packets of a frame are no larger than this, and frames come as often. */
const PACKET_BITS = 8 * 1200;
const FRAMES_PER_S = 30;
/** A rate this close to its bound is at it. */
export const NEAR_BOUND = 0.1;
const INCREASE_MODES = { hybrid: 0, additive: 1, additiveTon: 2, multiplicative: 3 } as const;

/** What the additive law adds per second (draft-ietf-rmcat-gcc-02, 5.5). */
function additiveBpsPerS({ rate, settings }: Flow, row: number): number {
  const timeUs = rate.timeUs[row] ?? NaN;
  const frameBits = rate.at('a_r_bps', row) / FRAMES_PER_S;
  const packetBits = frameBits / Math.max(1, Math.ceil(frameBits / PACKET_BITS));
  const responseS = rate.at('rtt_us', row) / 1e6 + settings.value('response_time_offset_ms', timeUs) / 1e3;
  const steps = settings.value('additive_packets', timeUs) / responseS;
  return Math.max(packetBits * steps, settings.value('additive_min_bps_per_s', timeUs));
}

/** How fast the target grew, and which law is that fast. */
export function growthDetail(
  flow: Flow,
  { from, to }: Pick<Segment, 'from' | 'to'>,
  hadDecrease: boolean,
  receivedBps: number,
): Pick<Reason, 'detail' | 'evidence'> {
  const { rate, settings } = flow;
  const timeUs = rate.timeUs[to] ?? NaN;
  const [fromBps, toBps] = [rate.at('target_bps', from), rate.at('target_bps', to)];
  const seconds = (timeUs - (rate.timeUs[from] ?? NaN)) / 1e6;
  const factor = (toBps / fromBps) ** (1 / seconds);
  const bpsPerS = (toBps - fromBps) / seconds;
  const parameter = (name: string): number => settings.value(name, timeUs);
  const isAs = (law: number): boolean => Math.abs(law / Math.log(factor) - 1) <= ALIKE;
  const times = `× ${factorText(factor)} per second`;
  const evidence = { growth_per_s: factor, growth_bps_per_s: bpsPerS };
  if (!hadDecrease && isAs(Math.log(parameter('fast_start_factor'))))
    return { detail: `${times} (fast start)`, evidence };
  const mode = parameter('increase_mode');
  const multiplies = mode === INCREASE_MODES.hybrid || mode === INCREASE_MODES.multiplicative;
  const adds = mode < INCREASE_MODES.multiplicative;
  const middle = Math.floor((from + to) / 2);
  const additive = additiveBpsPerS(flow, middle) / rate.at('target_bps', middle);
  const eta = Math.log(parameter('eta'));
  const offBy = (law: number): number => Math.abs(Math.log(law / Math.log(factor)));
  if (multiplies && isAs(eta) && !(adds && offBy(additive) < offBy(eta)))
    return { detail: `${times} (multiplicative)`, evidence };
  if (adds && isAs(additive)) return { detail: `+ ${rateText(bpsPerS)} per second (additive)`, evidence };
  const bound = parameter('upper_bound_factor') * receivedBps + parameter('upper_bound_offset_bps');
  const isBound = toBps > (1 - NEAR_BOUND) * bound;
  return isBound
    ? {
        detail: `${times}, bounded by ${parameter('upper_bound_factor')} × what is received, ${rateText(receivedBps)} on average`,
        evidence: { ...evidence, received_rate_bps: receivedBps },
      }
    : { detail: times, evidence };
}
