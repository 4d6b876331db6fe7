/** The simulation that is the twin of a call. */
import { expect, test } from 'vitest';

import { DEFAULT_LINK_CONFIG } from '../../../src/link/link_config.js';
import { SOURCE_PRESETS, twinOptions } from '../../../src/twin/options.js';

test('its link loses packets as that of the call does: as many, and as many in a row', () => {
  const call = {
    ...{ controller: 'gcc', preset: 'gcc-live', set: {}, sourcePreset: SOURCE_PRESETS[0] ?? '', fps: 30 },
    ...{ audio: false, durationUs: 20e6, keyFrameIntervalS: 0, sourceMaxBps: 2e6 },
    link: { ...DEFAULT_LINK_CONFIG, loss_ratio: 0.05, burst_loss_packets: 5 },
  };
  const { forward } = twinOptions(call, { machine: 'idle', seed: 1, tables: [] });
  expect(forward).toMatchObject({ lossRatio: 0.05, burstLossPackets: 5 });
});
