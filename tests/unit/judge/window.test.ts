/**
 * Times on a process's clock are not whole microseconds. Rounding errors must not make a time window seem complete
 * too early.
 */
import { describe, expect, it } from 'vitest';

import { judgeFairness, judgeLoss } from '../../../src/judge/index.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import type { View } from '../../../src/judge/view.js';
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

describe('a comparison of calls without a record of packets', () => {
  const callUntil = (untilS: number): CallRecord => {
    const { sent, received } = videoSamples(0, untilS, 9e5);
    return callRecord({ backend: 'none', offerer: { samples: sent }, answerer: { samples: received } });
  };
  const fairness = (
    asked: { record: CallRecord; view: View; askedUs: number },
    other: { record: CallRecord; view: View },
  ) => judgeFairness({ ...asked, nowUs: 40e6 }, { overUs: 10e6, mode: 'retry', jain: 0.9, others: [other] });

  /** Two connections in one record. The data of the first end at 40 s, those of the second at `untilS`. */
  const ofTwo = (untilS: number, askedS = 30) => {
    const record = callUntil(40);
    for (const [id, { samples }] of callUntil(untilS).endpoints.entries())
      record.endpoints.push(endpoint(id + 2, 0, { samples }));
    record.connections.push({ id: 1, offerer: 2, answerer: 3, flows: [] });
    return fairness(
      { record, view: { connections: [0] }, askedUs: askedS * 1e6 },
      { record, view: { connections: [1] } },
    );
  };

  it.each([39.5, 40, 40.5])('is judged over what is known of both; of the other until %d s', (untilS) => {
    const { settled, pass, window } = ofTwo(untilS);
    expect([settled, pass]).toEqual([true, true]);
    const toUs = Math.min(untilS, 40) * 1e6;
    expect(window).toEqual({ fromUs: toUs - 10e6, toUs });
  });

  it('waits for a page of which nothing is known since the judgement was requested', () => {
    expect(ofTwo(35, 36)).toMatchObject({ settled: false, final: false, pass: false });
    expect(ofTwo(36, 36)).toMatchObject({ settled: true, pass: true });
  });

  it('is judged although times of one record are rounded on the clock of the other', () => {
    const record = callUntil(40);
    for (let i = 1; i < 200; i++) {
      const aheadS = i / 7;
      const other = { ...callUntil(39.5 + aheadS), originEpochMs: record.originEpochMs - aheadS * 1e3 };
      const judgement = fairness({ record, view: {}, askedUs: 30e6 }, { record: other, view: {} });
      expect(judgement, `${i}`).toMatchObject({ settled: true, pass: true });
    }
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
