/** The definition of an overloaded machine, tested with one value per second on both sides of each limit. */
import { describe, expect, it } from 'vitest';

import { isOverloaded, LIMITS, MachineWatch, QUANTITIES, type Quantity } from '../../../src/machine/index.js';

/** A watch that has seen these values of a quantity, one per second. */
function watched(
  by: Quantity,
  values: readonly number[],
  watch = new MachineWatch(),
  fromS = 1,
): MachineWatch {
  values.forEach((value, i) => watch.see(by, (fromS + i) * 1e6, value));
  return watch;
}

const seconds = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

/**
 * Two measured values of each quantity. `quiet`: the worst value of a call on a quiet machine. `loaded`: the
 * value of a call that an overload distorted.
 */
const MEASURED: Readonly<Record<Quantity, { quiet: number; loaded: number }>> = {
  shaper: { quiet: 9.4, loaded: 27.3 },
  callbacks: { quiet: 11, loaded: 40.8 },
  source: { quiet: 0.99, loaded: 0.73 },
};

/** A value that is one per cent better than a limit. */
const better = (by: Quantity, limit: number): number => (by === 'source' ? 1.01 : 0.99) * limit;

describe.each(QUANTITIES)('the machine, by its %s', (by) => {
  const { begin, end } = LIMITS[by];

  it('is overloaded from the limit on, and not before it', () => {
    expect(watched(by, seconds(10, begin)).state).toMatchObject({
      overloaded: true,
      sinceUs: 1e6,
      reasons: [{ by, value: begin, limit: begin }],
      everBy: [by],
    });
    const quiet = watched(by, seconds(60, better(by, begin))).state;
    expect(quiet).toMatchObject({ overloaded: false, sinceUs: null, reasons: [], everBy: [], share: 0 });
  });

  it('lies between what was measured of a quiet machine and of a loaded one', () => {
    const { quiet, loaded } = MEASURED[by];
    expect(watched(by, seconds(10, quiet)).state.overloaded).toBe(false);
    expect(watched(by, seconds(10, loaded)).state.overloaded).toBe(true);
  });

  it('is overloaded until it is at the other limit', () => {
    const watch = watched(by, seconds(5, begin));
    watched(by, seconds(20, by === 'source' ? 0.99 * end : 1.01 * end), watch, 6);
    expect(watch.state.overloaded).toBe(true);
    watched(by, seconds(2, end), watch, 26);
    expect(watch.state.overloaded).toBe(true);
    watched(by, [end], watch, 28);
    expect(watch.state).toMatchObject({ overloaded: false, sinceUs: null, everBy: [by] });
  });
});

describe('the alarm', () => {
  const { quiet, loaded } = MEASURED.shaper;

  it('does not go off for two bad seconds of five, and does for three', () => {
    const hiccup = watched('shaper', [...seconds(5, quiet), 500, 500, ...seconds(5, quiet)]);
    expect(hiccup.state).toMatchObject({ overloaded: false, everBy: [] });
    const third = watched('shaper', [...seconds(5, quiet), 500, 500, 500]);
    expect(third.state).toMatchObject({ overloaded: true, sinceUs: 6e6, reasons: [{ value: 500 }] });
  });

  it('goes off for callbacks that are late by seconds, although few values are measured', () => {
    const watch = new MachineWatch();
    for (const atS of [2, 4, 6]) watch.see('callbacks', atS * 1e6, 1900);
    expect(watch.state).toMatchObject({ overloaded: true, worst: { callbacks: 1900 } });
    // A single value counts for no more seconds than its lateness covers.
    const once = watched('callbacks', [...seconds(5, 2), 2000, ...seconds(5, 2)]);
    expect(once.state).toMatchObject({ overloaded: false, everBy: [] });
    // An hour without callbacks means that the machine slept.
    const slept = watched('callbacks', [...seconds(5, 2), 3_600_000, ...seconds(5, 2)]);
    expect(slept.state).toMatchObject({ overloaded: false, everBy: [] });
  });

  it('needs a full window, and something to be said in it', () => {
    expect(watched('callbacks', seconds(4, 900)).state.overloaded).toBe(false);
    expect(watched('callbacks', seconds(20, NaN)).state).toMatchObject({
      overloaded: false,
      worst: { callbacks: null },
    });
  });

  it('ends when nothing is heard any more', () => {
    const watch = watched('shaper', seconds(10, loaded));
    watched('callbacks', seconds(9, 1), watch, 11);
    expect(watch.state.overloaded).toBe(true);
    watched('callbacks', [1], watch, 20);
    expect(watch.state.overloaded).toBe(false);
  });

  it('counts how long it lasted, and keeps the worst window', () => {
    const watch = watched('shaper', [...seconds(10, quiet), ...seconds(10, loaded), ...seconds(21, quiet)]);
    // The third bad second, at 13 s, starts the overload. The third good second, at 23 s, ends the overload. So the
    // overload lasted 10 s of 40 s.
    expect(watch.state.share).toBeCloseTo(10 / 40, 9);
    expect(watch.state).toMatchObject({ overloaded: false, everBy: ['shaper'], worst: { shaper: loaded } });
    expect(isOverloaded(watch.state)).toBe(true);
    const shorter = watched('shaper', [...seconds(10, quiet), ...seconds(5, loaded), ...seconds(26, quiet)]);
    expect(shorter.state.share).toBeCloseTo(5 / 40, 9);
    expect(isOverloaded(shorter.state)).toBe(false);
  });

  it('has every reason, and lasts from the first to the last of them', () => {
    const watch = new MachineWatch();
    for (let s = 1; s <= 30; s++) {
      watch.see('shaper', s * 1e6, s > 10 && s <= 20 ? loaded : quiet);
      watch.see('callbacks', s * 1e6, s > 15 && s <= 25 ? 50 : 2);
      const { overloaded, reasons, sinceUs } = watch.state;
      expect(overloaded).toBe(s >= 13 && s < 28);
      if (s === 20) expect(reasons.map(({ by }) => by)).toEqual(['shaper', 'callbacks']);
      if (s === 20) expect(sinceUs).toBe(11e6);
      if (s === 26)
        expect({ by: reasons.map(({ by }) => by), sinceUs }).toEqual({ by: ['callbacks'], sinceUs: 16e6 });
    }
  });
});
