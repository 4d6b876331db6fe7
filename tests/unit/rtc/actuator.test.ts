import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Actuator } from '../../../src/rtc/actuator.js';

interface Call {
  atMs: number;
  maxBitrate: number | undefined;
  keyFrame: boolean;
}

/** A sender whose `setParameters` takes 30 ms and fails on request. Records whether two calls ever overlap. */
class FakeSender {
  readonly calls: Call[] = [];
  overlapped = false;
  refuse = false;
  #busy = false;
  constructor(public encodings: RTCRtpEncodingParameters[]) {}

  getParameters(): RTCRtpSendParameters {
    return structuredClone({
      transactionId: '1',
      codecs: [],
      headerExtensions: [],
      rtcp: {},
      encodings: this.encodings,
    });
  }

  async setParameters(
    { encodings }: RTCRtpSendParameters,
    options?: { encodingOptions?: { keyFrame: boolean }[] },
  ): Promise<void> {
    if (this.#busy) this.overlapped = true;
    this.#busy = true;
    this.calls.push({
      atMs: performance.now(),
      maxBitrate: encodings[0]?.maxBitrate,
      keyFrame: options?.encodingOptions?.[0]?.keyFrame ?? false,
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    this.#busy = false;
    if (this.refuse) throw new Error('refused');
    this.encodings = encodings;
  }
}

const applied = vi.fn();
const rejected = vi.fn();
const RAILS = { minBitrateBps: 100_000, maxBitrateBps: 2_000_000, applied, rejected };

beforeEach(() => {
  vi.useFakeTimers();
  applied.mockReset();
  rejected.mockReset();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('the actuator', () => {
  it('never makes more than ten calls a second, one at a time, and ends at the last wish', async () => {
    const sender = new FakeSender([{}]);
    const actuator = new Actuator(sender, RAILS);
    for (let i = 0; i < 300; i++) {
      actuator.want(300_000 + 5000 * i);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(500);
    expect(sender.overlapped).toBe(false);
    expect(sender.calls.length).toBeGreaterThan(15);
    const gaps = sender.calls.slice(1).map((call, i) => call.atMs - (sender.calls[i]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100);
    expect(sender.calls.at(-1)?.maxBitrate).toBe(1_795_000);
  });

  it('lets a rate that falls by more than a tenth go at once, after the call that is under way', async () => {
    const sender = new FakeSender([{}]);
    const actuator = new Actuator(sender, RAILS);
    actuator.want(1_000_000);
    await vi.advanceTimersByTimeAsync(40);
    const atMs = performance.now();
    actuator.want(950_000);
    await vi.advanceTimersByTimeAsync(20);
    expect(sender.calls).toHaveLength(1);
    actuator.want(800_000);
    await vi.advanceTimersByTimeAsync(0);
    actuator.want(500_000);
    await vi.advanceTimersByTimeAsync(60);
    expect(sender.calls.map(({ maxBitrate }) => maxBitrate)).toEqual([1_000_000, 800_000, 500_000]);
    const [, second = NaN, third = NaN] = sender.calls.map((call) => call.atMs - atMs);
    expect(second).toBe(20);
    // The third call has to wait for the second one, which takes 30 ms.
    expect(third).toBeGreaterThanOrEqual(50);
    expect(third).toBeLessThan(60);
    expect(sender.overlapped).toBe(false);
  });

  it('asks for key frames, but sets no rate, once the limits are restored', async () => {
    const sender = new FakeSender([{ maxBitrate: 900_000 }]);
    const actuator = new Actuator(sender, RAILS);
    actuator.want(500_000);
    await vi.advanceTimersByTimeAsync(200);
    const restored = actuator.restore();
    await vi.advanceTimersByTimeAsync(200);
    await restored;
    actuator.keyFrame();
    await vi.advanceTimersByTimeAsync(1000);
    expect(sender.calls.map(({ maxBitrate, keyFrame }) => [maxBitrate, keyFrame])).toEqual([
      [500_000, false],
      [900_000, false],
      [900_000, true],
    ]);
  });

  it('asks for nothing more once it has stopped', async () => {
    const sender = new FakeSender([{}]);
    const actuator = new Actuator(sender, RAILS);
    sender.refuse = true;
    actuator.keyFrame();
    // The request that is refused only now is not made again.
    actuator.stop();
    await vi.advanceTimersByTimeAsync(1000);
    actuator.keyFrame();
    actuator.want(500_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sender.calls).toHaveLength(1);
  });

  it('needs no timer for a rate that falls, since a hidden page has one only once a second', async () => {
    vi.stubGlobal('setTimeout', () => 0);
    const asked: (number | undefined)[] = [];
    const sender = {
      getParameters: () => ({ encodings: [{}] }) as RTCRtpSendParameters,
      setParameters: ({ encodings }: RTCRtpSendParameters) => {
        asked.push(encodings[0]?.maxBitrate);
        return Promise.resolve();
      },
    };
    const actuator = new Actuator(sender, RAILS);
    actuator.want(1_000_000);
    // The first call is still under way here.
    actuator.want(600_000);
    await vi.advanceTimersByTimeAsync(0);
    // A rise has to wait for its timer, and a fall does not have to wait with it.
    actuator.want(900_000);
    actuator.want(300_000);
    expect(asked).toEqual([1_000_000, 600_000, 300_000]);
  });

  it('keeps within the rails, and away from rates that browsers reject', async () => {
    const sender = new FakeSender([{}]);
    const actuator = new Actuator(sender, { ...RAILS, minBitrateBps: 0 });
    for (const bps of [9e9, -5, NaN]) {
      actuator.want(bps);
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(sender.calls.map((c) => c.maxBitrate)).toEqual([2_000_000, 1]);
  });

  // Even small changes must be applied: if no new rate is set for a second, libwebrtc's EncoderBitrateAdjuster gives
  // the encoder 20 % more.
  it('applies each new rate, however close it is, and none twice', async () => {
    const sender = new FakeSender([{}]);
    const actuator = new Actuator(sender, RAILS);
    for (const bps of [500_000, 500_001, 500_001, 495_000, 500_000]) {
      actuator.want(bps);
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(sender.calls.map((c) => c.maxBitrate)).toEqual([500_000, 500_001, 495_000, 500_000]);
  });

  it('tries again, more and more rarely, when it is refused, and recovers', async () => {
    const sender = new FakeSender([{}]);
    sender.refuse = true;
    const actuator = new Actuator(sender, RAILS);
    actuator.want(500_000);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(rejected).toHaveBeenCalledTimes(sender.calls.length);
    expect(sender.calls.length).toBeGreaterThan(4);
    expect(sender.calls.length).toBeLessThan(12);
    sender.refuse = false;
    await vi.advanceTimersByTimeAsync(6000);
    expect(applied).toHaveBeenCalledExactlyOnceWith(500_000);
  });

  it('asks for a key frame without changing a rate', async () => {
    const sender = new FakeSender([{ maxBitrate: 700_000 }]);
    const actuator = new Actuator(sender, RAILS);
    actuator.keyFrame();
    await vi.advanceTimersByTimeAsync(300);
    expect(sender.calls.map(({ maxBitrate, keyFrame }) => [maxBitrate, keyFrame])).toEqual([[700_000, true]]);
    expect(applied).not.toHaveBeenCalled();
  });

  it('asks for the key frame again when it is refused', async () => {
    const sender = new FakeSender([{}]);
    sender.refuse = true;
    const actuator = new Actuator(sender, RAILS);
    actuator.keyFrame();
    await vi.advanceTimersByTimeAsync(150);
    expect(rejected).toHaveBeenCalledOnce();
    sender.refuse = false;
    await vi.advanceTimersByTimeAsync(5000);
    expect(sender.calls.map(({ keyFrame }) => keyFrame)).toEqual([true, true]);
  });

  describe('with simulcast', () => {
    const limitsAfter = async (encodings: RTCRtpEncodingParameters[], bps: number) => {
      const sender = new FakeSender(encodings);
      new Actuator(sender, RAILS).want(bps);
      await vi.advanceTimersByTimeAsync(300);
      return sender.encodings.map(({ maxBitrate }) => maxBitrate);
    };

    it('divides the rate in the proportion of the limits, if every encoding has one', async () => {
      const encodings = [{ maxBitrate: 100_000 }, { maxBitrate: 300_000 }, { maxBitrate: 600_000 }];
      expect(await limitsAfter(encodings, 500_000)).toEqual([50_000, 150_000, 300_000]);
    });

    it('divides it by the pictures’ sizes otherwise', async () => {
      const encodings = [
        { scaleResolutionDownBy: 4, maxBitrate: 100_000 },
        { scaleResolutionDownBy: 2 },
        { scaleResolutionDownBy: 1 },
      ];
      expect(await limitsAfter(encodings, 2_100_000 / 2)).toEqual([50_000, 200_000, 800_000]);
    });

    it('leaves encodings alone that are not sent', async () => {
      const encodings = [
        { maxBitrate: 100_000 },
        { maxBitrate: 300_000 },
        { maxBitrate: 900_000, active: false },
      ];
      expect(await limitsAfter(encodings, 200_000)).toEqual([50_000, 150_000, 900_000]);
      expect(await limitsAfter([{ active: false }, { scaleResolutionDownBy: 2 }], 200_000)).toEqual([
        undefined,
        200_000,
      ]);
    });

    it('keeps the proportions from call to call, and restores every limit', async () => {
      const encodings = [{ maxBitrate: 100_000 }, { maxBitrate: 300_000 }];
      const sender = new FakeSender(encodings);
      const actuator = new Actuator(sender, RAILS);
      for (const bps of [1_000_000, 200_000, 400_001]) {
        actuator.want(bps);
        await vi.advanceTimersByTimeAsync(300);
      }
      expect(sender.encodings.map(({ maxBitrate }) => maxBitrate)).toEqual([100_000, 300_001]);
      const restored = actuator.restore();
      await vi.advanceTimersByTimeAsync(300);
      await restored;
      expect(sender.encodings).toEqual(encodings);
    });
  });

  it('restores what was there: a limit, or none', async () => {
    const sender = new FakeSender([{ maxBitrate: 700_000 }, {}]);
    const actuator = new Actuator(sender, RAILS);
    actuator.want(300_000);
    await vi.advanceTimersByTimeAsync(300);
    const restored = actuator.restore();
    await vi.advanceTimersByTimeAsync(300);
    await restored;
    expect(sender.encodings).toEqual([{ maxBitrate: 700_000 }, {}]);
  });
});
