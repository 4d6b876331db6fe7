/**
 * Describes an overloaded machine in words: which quantities show it, what that means for a call's numbers, and
 * what to do.
 */
import { WINDOW_SECONDS, type Quantity } from './definition.js';
import type { MachineState, Reason } from './watch.js';

/** What to do, in one line. */
export const FIX =
  'close other programs on this machine, make fewer calls at once, or send a smaller picture';

const VALUES: Readonly<Record<Quantity, (value: number) => string>> = {
  shaper: (ms) => `packets leave the shaper ${ms.toFixed(1)} ms late (p95)`,
  callbacks: (ms) => `callbacks come ${ms.toFixed(0)} ms late`,
  source: (share) => `the source makes ${(100 * share).toFixed(0)} % of the frames that it was asked for`,
};

const EFFECTS: Readonly<Record<Quantity, string>> = {
  shaper: 'packets are late, and the controller sees delay that is not there',
  callbacks: 'frames are stamped late, and the controller sees delay that is not there',
  source: 'the source limits the utilisation',
};

/** Describes the reasons, for example: `packets leave the shaper 12.3 ms late (p95), callbacks come 70 ms late`. */
export const reasonText = (reasons: readonly Pick<Reason, 'by' | 'value'>[]): string =>
  reasons.map(({ by, value }) => VALUES[by](value)).join(', ');

/**
 * Every quantity for which the machine ever counted as overloaded, with its worst value, for example: `at worst, over
 * 5 s, packets leave the shaper 12.3 ms late (p95)`.
 */
export const worstText = ({ everBy, worst }: Pick<MachineState, 'everBy' | 'worst'>): string =>
  `at worst, over ${WINDOW_SECONDS} s, ${reasonText(everBy.map((by) => ({ by, value: worst[by] ?? NaN })))}`;

/** What an overload means for a call's numbers if these quantities show it. */
export const distortion = (by: readonly Quantity[]): string =>
  by.map((quantity) => EFFECTS[quantity]).join('; ');
