import { describe, expect, it } from 'vitest';

import { toLinkChange } from '../../../src/app/session/link_settings.js';

describe('a change of the bottleneck in the page', () => {
  it.each([
    [{ loss_ratio: 0.01 }, { lossRatio: 0.01 }],
    [{ rtt_ms: 80 }, { oneWayDelayUs: 80e3, crossRttUs: 80e3 }],
    [{ capacity: '1.5mbps,0.6mbps@20s' }, { capacityBps: 1.5e6 }],
  ])('%j sets nothing else, so that the queue and the outages do not start again', (change, expected) => {
    expect(toLinkChange(change)).toEqual(expected);
  });
});
