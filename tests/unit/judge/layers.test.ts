/** The rate, picture size and limits of each video layer that a page sends. */
import { describe, expect, it } from 'vitest';

import { layersIn } from '../../../src/judge/index.js';
import { endpoint, outbound, samples } from './synthetic.js';

/**
 * A sender of two layers with 100 and 300 kbps of payload, plus 4 kbps of headers each. The layer `h` is off
 * for the first half of the time.
 */
const sender = endpoint(4, 0, {
  page: 2,
  samples: samples(0, 10, (t) => ({
    outbound: [
      outbound({
        ...{ ssrc: 2, rid: 'h', frameWidth: 1280, frameHeight: 720, targetBps: 4e5 },
        ...{ bytesSent: 37_500 * t, headerBytesSent: 500 * t, framesEncoded: 24 * t },
        ...{ active: t > 5, qualityLimitationReason: t > 7 ? 'none' : 'bandwidth' },
      }),
      outbound({
        ...{ ssrc: 1, rid: 'l', frameWidth: 320, frameHeight: 180 },
        ...{ bytesSent: 12_500 * t, headerBytesSent: 500 * t, framesEncoded: 12 * t },
      }),
      outbound({ ssrc: 3, kind: 'audio' }),
    ],
  })),
});

describe('the layers of a sender', () => {
  it('have their own rates, pictures, limits and names, the lowest first', () => {
    const [low, high, ...more] = layersIn([sender], { fromUs: 0, toUs: 10e6 });
    expect(more).toEqual([]);
    expect(low).toMatchObject({ page: 2, ssrc: 1, rid: 'l', frameWidth: 320, frameHeight: 180 });
    expect(low).toMatchObject({ sentBps: 104e3, framesPerSecond: 12, targetBps: null, limitedBy: 'none' });
    expect(high).toMatchObject({ rid: 'h', sentBps: 304e3, framesPerSecond: 24, targetBps: 4e5 });
    expect(high).toMatchObject({ limitedBy: 'bandwidth', activeShare: 0.5, scalabilityMode: null });
  });

  it('are those of the window alone', () => {
    const [low] = layersIn([sender], { fromUs: 4e6, toUs: 6e6 });
    expect(low?.sentBps).toBeCloseTo(104e3, 6);
    const [, high] = layersIn([sender], { fromUs: 7e6, toUs: 10e6 });
    expect(high).toMatchObject({ limitedBy: 'none', activeShare: 1 });
    expect(layersIn([sender], { fromUs: 11e6, toUs: 12e6 })).toEqual([]);
  });

  it('is one without a name where there is no simulcast', () => {
    const svc = endpoint(0, 0, {
      samples: samples(0, 2, (t) => ({ outbound: [outbound({ bytesSent: t, scalabilityMode: 'L3T3' })] })),
    });
    expect(layersIn([svc], { fromUs: 0, toUs: 2e6 })).toMatchObject([{ rid: null, scalabilityMode: 'L3T3' }]);
  });
});
