import { describe, expect, it } from 'vitest';

import { distortion, FIX, reasonText, worstText } from '../../../src/machine/index.js';

describe('an overloaded machine in words', () => {
  it('has the numbers, with their units', () => {
    const reasons = [
      { by: 'shaper', value: 23.456 },
      { by: 'callbacks', value: 71.2 },
      { by: 'source', value: 0.743 },
    ] as const;
    expect(reasonText(reasons)).toBe(
      'packets leave the shaper 23.5 ms late (p95), callbacks come 71 ms late, the source makes 74 % of the frames that it was asked for',
    );
    const worst = { shaper: 99, callbacks: 50, source: null };
    expect(worstText({ everBy: ['callbacks'], worst })).toBe('at worst, over 5 s, callbacks come 50 ms late');
  });

  it('says of each quantity alone what it distorts', () => {
    expect(distortion(['shaper'])).toMatch(/packets are late.*controller/);
    expect(distortion(['callbacks'])).toMatch(/stamped late.*controller/);
    expect(distortion(['source'])).toMatch(/source limits.*utilisation/);
    expect(distortion(['shaper', 'source'])).toMatch(/packets are late.*; the source/);
    expect(FIX).not.toContain('\n');
  });
});
