/**
 * Times on a process's clock are not whole microseconds. Rounding errors must not make a time window seem complete
 * too early.
 */
import { describe, expect, it } from 'vitest';

import { judgeLoss } from '../../../src/judge/index.js';
import { callRecord, steady, videoSamples } from './synthetic.js';

describe('a window after a change of the link', () => {
  it('is whole wherever it begins', () => {
    const { sent, received } = videoSamples(0, 20, 4e5);
    const record = callRecord({
      packets: steady(0, 20, 4e5),
      offerer: { samples: sent },
      answerer: { samples: received },
    });
    const [change] = record.link?.changes ?? [];
    if (change === undefined) throw new Error('no change');
    for (let i = 0; i < 1000; i++) {
      change.timeUs = 4e6 + i * 1000.123456789;
      const askedUs = change.timeUs + 0.1;
      const asked = { record, view: {}, askedUs, nowUs: askedUs + 100e3 };
      const judgement = judgeLoss(asked, { overUs: 5e6, mode: 'once', ratio: 0.1 });
      expect(judgement.final, `${change.timeUs}: ${judgement.received}`).toBe(false);
    }
  });
});
