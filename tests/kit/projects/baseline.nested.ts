/** Judges a call with a made-up record: it began 20 s ago, and receives `KIT_RATE` bit/s. */
import { expect, test } from '../../../src/playwright/index.js';
import { ObservedCall } from '../../../src/playwright/call.js';
import { callRecord, steady, videoSamples } from '../../unit/judge/synthetic.js';

const bps = Number(process.env['KIT_RATE']);
/** Without media, only connectivity checks pass the link. */
const carries = process.env['KIT_CARRIES'] !== 'nothing';

const call = (): ObservedCall =>
  new ObservedCall(
    {
      record: {
        ...callRecord({
          packets: steady(0, 60, bps),
          ...(carries && { answerer: { samples: videoSamples(0, 60, bps).received } }),
        }),
        originEpochMs: Date.now() - 20_000,
      },
      observe: () => Promise.resolve(),
      pageId: () => undefined,
      onUpdate: () => () => undefined,
      collect: () => Promise.resolve(),
    },
    null,
  );

test('matches', async () => {
  await expect(call()).toMatchBaseline('steady', { tolerance: 0.1, over: '10s' });
});

test('does not match', async () => {
  await expect(call()).not.toMatchBaseline('steady', { tolerance: 0.1 });
});
