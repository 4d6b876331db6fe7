import { expect, it } from 'vitest';

import { withSpikes } from '../../src/charts/configuration.js';

it('a spike stretches the axis to four times what the others need, and no further', () => {
  expect(withSpikes([-12, 12], [-12, 20])).toEqual({ min: -12, max: 20 });
  expect(withSpikes([-12, 12], [-900, 700])).toEqual({ min: -48, max: 48 });
});

it('what is spiky and small changes nothing', () => {
  expect(withSpikes([0, 15], [0, 10])).toEqual({ min: 0, max: 15 });
});
