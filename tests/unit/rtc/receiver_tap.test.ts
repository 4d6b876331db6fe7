/** A receiver's tap: it passes the browser's counters on while the controllers run, and refuses what the sender refuses. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ReceiverTap } from '../../../src/rtc/receiver_tap.js';
import { StatusBoard } from '../../../src/rtc/status.js';
import type { ControlOptions } from '../../../src/rtc/types.js';
import { MediaWorker } from '../../../src/worker/media/media_client.js';

const nothing = () => undefined;

class FakeClient extends MediaWorker {
  readonly asked: unknown[][] = [];

  constructor() {
    super({ addEventListener: nothing, postMessage: nothing, terminate: nothing } as unknown as Worker);
  }

  override get commands(): MediaWorker['commands'] {
    const note =
      (name: string) =>
      (...values: unknown[]) => {
        this.asked.push([name, ...values]);
        return Promise.resolve();
      };
    return {
      ...{ inbound: note('inbound'), setParameter: note('setParameter'), passThrough: note('passThrough') },
    } as unknown as MediaWorker['commands'];
  }

  override start(): Promise<void> {
    return Promise.resolve();
  }
}

const OPTIONS: ControlOptions = {
  ...{ mode: 'control', minBitrateBps: 100_000, maxBitrateBps: 2_000_000, startBitrateBps: 300_000 },
  ...{ originEpochMs: 1000, onTrace: nothing, onEvent: nothing, onStatus: nothing },
};
const COUNTERS = { packetsReceived: 10, packetsLost: 1, bytesReceived: 12_000, headerBytesReceived: 120 };

function attached() {
  const client = new FakeClient();
  const stat = { type: 'inbound-rtp', kind: 'video', timestamp: 3000, ...COUNTERS };
  const getStats = vi.fn(() => Promise.resolve(new Map([['1', stat]])));
  const receiver = { getStats } as unknown as RTCRtpReceiver;
  const board = new StatusBoard('control', 'none', nothing);
  return { client, getStats, tap: new ReceiverTap(receiver, client, OPTIONS, board, nothing) };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('RTCRtpScriptTransform', vi.fn());
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('passes each reading of the counters on once, until it is detached', async () => {
  const { client, getStats, tap } = attached();
  await tap.start();
  await vi.advanceTimersByTimeAsync(350);
  const bytesReceived = 12_000 + 120 + 280;
  const report = { timeUs: 2_000_000, packetsReceived: 10, packetsLost: 1, bytesReceived };
  expect(client.asked).toEqual([['inbound', report]]);
  await tap.detach();
  expect(client.asked.at(-1)).toEqual(['passThrough']);
  const polls = getStats.mock.calls.length;
  await vi.advanceTimersByTimeAsync(1000);
  expect([getStats.mock.calls.length, vi.getTimerCount()]).toEqual([polls, 0]);
});

it('refuses bounds beyond those of the call, as the sender does', async () => {
  const { client, tap } = attached();
  await tap.start();
  await expect(tap.setParameter('max_bitrate_bps', 4e6)).rejects.toMatchObject({ field: 'max_bitrate_bps' });
  expect(client.asked).toEqual([]);
  await tap.setParameter('max_bitrate_bps', 1e6);
  expect(client.asked).toEqual([['setParameter', 'max_bitrate_bps', 1e6]]);
  tap.close();
});
