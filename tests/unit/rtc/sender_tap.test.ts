/** A sender's tap whose worker is slow: what is asked of it meanwhile is neither lost nor done too late. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { CoreError } from '../../../src/core/index.js';
import { SenderTap, type SenderOptions } from '../../../src/rtc/sender_tap.js';
import { StatusBoard } from '../../../src/rtc/status.js';
import { MediaWorker } from '../../../src/worker/media/media_client.js';
import type { WorkerEvent } from '../../../src/worker/media/protocol.js';

const nothing = () => undefined;

/** A worker whose core loads when the test calls `loaded`. Its commands are recorded. */
class FakeClient extends MediaWorker {
  readonly asked: string[] = [];
  tell: (event: WorkerEvent) => void = nothing;
  loaded: () => void = nothing;
  failed: (error: Error) => void = nothing;
  shadowsTakeMs = 0;

  constructor() {
    super({ addEventListener: nothing, postMessage: nothing, terminate: nothing } as unknown as Worker);
  }

  override get commands(): MediaWorker['commands'] {
    const note = (name: string) => () => {
      this.asked.push(name);
      return Promise.resolve();
    };
    return {
      ...{ setParameter: note('setParameter'), passThrough: note('passThrough'), sent: note('sent') },
      setShadows: () => new Promise<void>((resolve) => setTimeout(resolve, this.shadowsTakeMs)),
    } as unknown as MediaWorker['commands'];
  }

  override start(_: unknown, onEvent: (event: WorkerEvent) => void): Promise<void> {
    this.tell = onEvent;
    this.asked.push('start');
    return new Promise((resolve, reject) => {
      this.loaded = resolve;
      this.failed = reject;
    });
  }
}

const OPTIONS: SenderOptions = {
  ...{ mode: 'control', minBitrateBps: 100_000, maxBitrateBps: 2_000_000, startBitrateBps: 300_000 },
  ...{ originEpochMs: 0, onTrace: nothing, onEvent: nothing, onStatus: nothing },
};
const TARGET = { kind: 'target', targetBps: 500_000, rttUs: 50_000, source: 'feedback' } as const;

function attached(change: Partial<SenderOptions> = {}) {
  const client = new FakeClient();
  const getStats = vi.fn(() => Promise.resolve(new Map()));
  const setParameters = vi.fn(() => Promise.resolve());
  const getParameters = () => ({ encodings: [{}] });
  const sender = { getStats, setParameters, getParameters } as unknown as RTCRtpSender;
  const options = { ...OPTIONS, ...change };
  const board = new StatusBoard(options.mode, 'none', nothing);
  const tap = new SenderTap(sender, client, options, board);
  return { board, client, getStats, setParameters, tap };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('RTCRtpScriptTransform', vi.fn());
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('while the core loads', () => {
  it.each(['detach', 'close'] as const)('%s leaves nothing that begins later', async (end) => {
    const { client, getStats, setParameters, tap } = attached();
    const started = tap.start();
    await tap[end]();
    client.loaded();
    await started;
    client.tell(TARGET);
    await vi.advanceTimersByTimeAsync(2000);
    expect(getStats).not.toHaveBeenCalled();
    expect(setParameters).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a change waits until there is a controller', async () => {
    const { client, tap } = attached();
    const started = tap.start();
    const changed = tap.setParameter('alpha', 0.7);
    await vi.advanceTimersByTimeAsync(2000);
    expect(client.asked).toEqual(['start']);
    client.loaded();
    await Promise.all([started, changed]);
    expect(client.asked).toEqual(['start', 'setParameter']);
    tap.close();
  });
});

describe('a controller of the user as shadow', () => {
  it('may take its time to load', async () => {
    const { client, tap } = attached();
    const started = tap.start();
    client.loaded();
    await started;
    client.shadowsTakeMs = 4900;
    const own = { flow: 1, name: 'mine', parameters: {}, url: 'mine.js' };
    const outcome = tap.setShadows([own]).then(
      () => 'taken',
      (error: unknown) => String(error),
    );
    await vi.advanceTimersByTimeAsync(5000);
    expect(await outcome).toBe('taken');
    tap.close();
  });
});

describe('controllers that could not start in time', () => {
  it('do not take control later', async () => {
    const { board, client, setParameters, tap } = attached();
    const started = tap.start();
    client.failed(new Error('the core did not load within 10000 ms'));
    await started;
    expect(client.asked).toEqual(['start', 'passThrough']);
    expect(board.status.notices.map(({ code }) => code)).toEqual(['sender-fault']);
    // This target was on its way when the worker heard of it.
    client.tell(TARGET);
    await vi.advanceTimersByTimeAsync(1000);
    expect(setParameters).not.toHaveBeenCalled();
    tap.close();
  });
});

describe('the bounds of the rate', () => {
  async function changed(name: string, value: number, change: Partial<SenderOptions> = {}) {
    const { client, tap } = attached(change);
    const started = tap.start();
    client.loaded();
    await started;
    const outcome = await tap.setParameter(name, value).then(
      () => 'taken',
      (error: unknown) => `${(error as CoreError).field}|${(error as CoreError).message}`,
    );
    tap.close();
    return { outcome, asked: client.asked };
  }

  it.each([
    ['max_bitrate_bps', 4e6],
    ['min_bitrate_bps', 50_000],
    ['max_bitrate_bps', NaN],
  ])(
    '%s: %d is refused before anything changes, because the encoder keeps those of the call',
    async (name, value) => {
      const { outcome, asked } = await changed(name, value);
      expect(outcome).toBe(
        `${name}|${name}: expected a number from 100000 to 2000000 bps, the bounds of this call, got ${value}; ` +
          'start the call with wider bounds',
      );
      expect(asked).toEqual(['start']);
    },
  );

  it.each([
    ['max_bitrate_bps', 2e6],
    ['min_bitrate_bps', 100_000],
    ['max_bitrate_bps', 500_000],
    ['start_bitrate_bps', 50_000],
  ])('%s: %d is taken', async (name, value) => {
    const { outcome, asked } = await changed(name, value);
    expect([outcome, asked]).toEqual(['taken', ['start', 'setParameter']]);
  });

  it('hold from the start', () => {
    const controller = { preset: 'gcc-live', parameters: { max_bitrate_bps: 4e6 } } as const;
    expect(() => attached({ controller })).toThrow(
      'controller.parameters.max_bitrate_bps: expected a number from 100000 to 2000000 bps, the bounds of this ' +
        'call, got 4000000; start the call with wider bounds',
    );
    expect(() => attached({ controller, mode: 'observe' })).not.toThrow();
  });

  it('are free if ccscope only watches', async () => {
    const { outcome } = await changed('max_bitrate_bps', 4e6, { mode: 'observe' });
    expect(outcome).toBe('taken');
  });
});
