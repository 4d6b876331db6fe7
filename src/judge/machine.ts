/**
 * Judges whether the machine was too busy for a call under test. The link and the pages of the call report how late
 * their packets and callbacks were.
 */
import {
  LIMITS,
  MachineWatch,
  WINDOW_SECONDS,
  type MachineState,
  type Quantity,
  type Reason,
} from '../machine/index.js';
import type { Window } from '../calls/metrics.js';
import type { CallRecord, LateSecond } from '../calls/record/record.js';

/** A period in which the machine was overloaded. `reasons`: why it was overloaded when the period began. */
export interface MachineSpell {
  fromUs: number;
  /** Null while the period lasts. */
  toUs: number | null;
  reasons: readonly Reason[];
}

/** The largest lateness in each whole second. Several pages may report a lateness for the same second. */
function bySecond(seconds: readonly LateSecond[], { fromUs, toUs }: Window): Map<number, number> {
  const latest = new Map<number, number>();
  for (const { timeUs, lateMs } of seconds) {
    if (timeUs <= fromUs || timeUs > toUs) continue;
    const second = Math.ceil(timeUs / 1e6);
    latest.set(second, Math.max(latest.get(second) ?? 0, lateMs));
  }
  return latest;
}

/**
 * Passes the lateness of every measured second of a window to a MachineWatch. After each second, `after` is
 * called with the end of the second and the state of the machine.
 */
function watched(
  { link, late }: CallRecord,
  window: Window,
  after: (timeUs: number, state: MachineState) => void = () => undefined,
): MachineState {
  const seen: [Quantity, Map<number, number>][] = [
    ['shaper', bySecond(link?.late ?? [], window)],
    ['callbacks', bySecond(late, window)],
  ];
  const watch = new MachineWatch();
  const seconds = new Set(seen.flatMap(([, values]) => [...values.keys()]));
  for (const second of [...seconds].sort((a, b) => a - b)) {
    for (const [by, values] of seen) watch.see(by, second * 1e6, values.get(second) ?? NaN);
    after(second * 1e6, watch.state);
  }
  return watch.state;
}

/**
 * The state of the machine over a window. A machine is judged by medians over WINDOW_SECONDS. Therefore the
 * watch starts that long before the window. The quantity `source` (the fraction of the requested frames that
 * a video source delivered) is not used, since a page under test may draw at any frame rate.
 */
export const machineIn = (record: CallRecord, { fromUs, toUs }: Window): MachineState =>
  watched(record, { fromUs: fromUs - WINDOW_SECONDS * 1e6, toUs });

export interface LateSeconds {
  all: number;
  bad: number;
  worstMs: number;
}

/**
 * Counts the seconds of a window for which a lateness was measured, and those whose lateness reached a limit. Each
 * second is judged separately, without a median over several seconds.
 */
export function lateSecondsIn({ link, late }: CallRecord, window: Window): LateSeconds {
  const shaper = bySecond(link?.late ?? [], window);
  const callbacks = bySecond(late, window);
  const isBad = (second: number): boolean =>
    (shaper.get(second) ?? 0) >= LIMITS.shaper.begin ||
    (callbacks.get(second) ?? 0) >= LIMITS.callbacks.begin;
  const all = [...new Set([...shaper.keys(), ...callbacks.keys()])];
  return {
    all: all.length,
    bad: all.filter(isBad).length,
    worstMs: Math.max(0, ...shaper.values(), ...callbacks.values()),
  };
}

/** When in a call the machine was overloaded. */
export function machineSpells(record: CallRecord): MachineSpell[] {
  const spells: MachineSpell[] = [];
  watched(record, { fromUs: -Infinity, toUs: Infinity }, (timeUs, { overloaded, reasons }) => {
    const last = spells.at(-1);
    if (overloaded && last?.toUs !== null) spells.push({ fromUs: timeUs, toUs: null, reasons });
    else if (!overloaded && last?.toUs === null) last.toUs = timeUs;
  });
  return spells;
}
