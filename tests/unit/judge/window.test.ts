/**
 * Times on a process's clock are not whole microseconds. Rounding errors must not make a time window seem complete
 * too early.
 */
import { describe, expect, it } from 'vitest';

import { judgeLoss } from '../../../src/judge/index.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import { callRecord, endpoint, steady, videoSamples } from './synthetic.js';

describe('a window without a record of packets', () => {
  const judged = (record: CallRecord, askedS: number) =>
    judgeLoss(
      { record, view: {}, askedUs: askedS * 1e6, nowUs: (askedS + 6) * 1e6 },
      { overUs: 5e6, mode: 'once', ratio: 0.1 },
    );

  it('does not wait for a connection that was closed before it began', () => {
    const { sent, received } = videoSamples(0, 40, 9e5);
    const record = callRecord({
      backend: 'devtools',
      offerer: { samples: sent },
      answerer: { samples: received },
    });
    expect(judged(record, 30)).toMatchObject({ settled: true, pass: true });

    const early = videoSamples(0, 4.5, 3e4);
    const closed = { timeUs: 4.8e6, state: 'closed' as const };
    for (const [id, samples] of [early.sent, early.received].entries()) {
      const probe = endpoint(id, 0, { samples });
      record.endpoints.push({ ...probe, id: id + 2, states: [...probe.states, closed] });
    }
    record.connections.push({ id: 1, offerer: 2, answerer: 3, flows: [] });
    expect(judged(record, 30)).toMatchObject({ settled: true, pass: true });
  });
});

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
