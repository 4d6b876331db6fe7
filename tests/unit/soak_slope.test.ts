/** How the soak test judges growth: the slope, its confidence interval, and the verdict. */
import { describe, expect, it } from 'vitest';

import { slopeOf, verdictOf } from '../../scripts/soak/slope.mjs';

/** The dataset "Norris" for linear regression, from NIST's StRD: pairs of y and x. */
const NORRIS =
  `0.1 0.2;338.8 337.4;118.1 118.2;888.0 884.6;9.2 10.1;228.1 226.5;668.5 666.3;998.5 996.3;449.1 448.6;
778.9 777.0;559.2 558.2;0.3 0.4;0.1 0.6;778.1 775.5;668.8 666.9;339.3 338.0;448.9 447.5;10.8 11.6;557.7 556.0;
228.3 228.1;998.0 995.8;888.8 887.6;119.6 120.2;0.3 0.3;0.6 0.3;557.6 556.8;339.3 339.1;888.0 887.2;998.5 999.0;
778.9 779.0;10.2 11.1;117.6 118.3;228.9 229.2;668.4 669.1;449.2 448.9;0.2 0.5`
    .split(';')
    .map((pair) => pair.trim().split(' ').map(Number) as [number, number]);

describe('the slope of a series', () => {
  it('is the certified one of NIST, with its interval', () => {
    const line = slopeOf(
      NORRIS.map(([, x]) => x),
      NORRIS.map(([y]) => y),
    );
    const [slope, error] = [1.00211681802045, 0.429796848199937e-3];
    expect(line.slope).toBeCloseTo(slope, 12);
    // Student's t for 95 % and 34 degrees of freedom is 2.0322.
    expect((line.high - line.slope) / error).toBeCloseTo(2.0322, 3);
    expect((line.slope - line.low) / error).toBeCloseTo(2.0322, 3);
  });

  it('is not known of fewer than three points', () => {
    expect(slopeOf([0, 1], [0, 5]).slope).toBeNaN();
    expect(verdictOf(slopeOf([0, 1], [0, 5]), 1)).toBe('not known');
  });
});

describe('the verdict', () => {
  const times = Array.from({ length: 30 }, (_, minute) => minute / 60);
  const noise = (i: number): number => Math.sin(i * 12.9898) / 10;

  it('finds a leak of 3 MB an hour in noise of 0.1 MB', () => {
    const leak = slopeOf(
      times,
      times.map((hour, i) => 40 + 3 * hour + noise(i)),
    );
    expect(verdictOf(leak, 1)).toBe('grows');
  });

  it('calls noise flat, at any level', () => {
    const flat = slopeOf(
      times,
      times.map((_, i) => 4000 + noise(i)),
    );
    expect(verdictOf(flat, 1)).toBe('flat');
  });

  it('finds one descriptor more that stays', () => {
    const leak = slopeOf(
      times,
      times.map((_, i) => (i < 15 ? 40 : 41)),
    );
    expect(verdictOf(leak, 1)).toBe('grows');
  });

  it('does not know where the noise hides the limit', () => {
    const noisy = slopeOf(
      times,
      times.map((hour, i) => 2 * hour + (i % 2 === 0 ? 10 : -10)),
    );
    expect(verdictOf(noisy, 1)).toBe('not known');
  });
});
