/** Runs one call for a test and keeps what it says. */
import { createCall, createSyntheticCamera, supported, type Call, type CallOptions } from '../../../src/rtc/index.js';
import type { TraceBatch, TraceEvent } from '../../../src/core/index.js';

type Choices = Partial<Omit<CallOptions, 'track' | 'onTrace' | 'onEvent' | 'onStatus' | 'signalling'>>;

class Harness {
  call: Call | null = null;
  batches: { batch: TraceBatch; side: string }[] = [];
  events: TraceEvent[] = [];
  /** Every message of every notice that was ever shown. */
  noticed: string[] = [];
  readonly supported = supported;
  #stopCamera: () => void = () => undefined;

  async start(choices: Choices = {}): Promise<void> {
    const camera = await createSyntheticCamera();
    this.#stopCamera = () => camera.stop();
    this.call = await createCall({
      role: 'loopback',
      mode: 'control',
      preset: 'gcc-live',
      minBitrateBps: 50_000,
      maxBitrateBps: 2_500_000,
      startBitrateBps: 300_000,
      originEpochMs: Date.now(),
      ...choices,
      track: camera.track,
      onTrace: (batch, side) => this.batches.push({ batch, side }),
      onEvent: (event) => this.events.push(event),
      onStatus: (status) => {
        for (const { code } of status.notices) if (!this.noticed.includes(code)) this.noticed.push(code);
      },
    });
    const video = document.querySelector('video');
    if (video !== null) video.srcObject = this.call.remoteStream;
  }

  /** Rows so far, by table. */
  rows(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { batch } of this.batches) counts[batch.table] = (counts[batch.table] ?? 0) + batch.rows;
    return counts;
  }

  async stop(): Promise<void> {
    await this.call?.close();
    this.#stopCamera();
  }
}

declare global {
  interface Window {
    harness: Harness;
  }
}
window.harness = new Harness();
