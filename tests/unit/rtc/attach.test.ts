/** What an attachment takes from the feedback channel, which belongs to the user. */
import { afterEach, expect, it, vi } from 'vitest';

import { attachSender, type FeedbackChannel } from '../../../src/rtc/attach.js';
import type { SenderOptions } from '../../../src/rtc/sender_tap.js';
import { MediaWorker } from '../../../src/worker/media/media_client.js';

const nothing = () => undefined;

/** A worker that never starts its controllers; it records the feedback that it is given. */
class FakeClient extends MediaWorker {
  readonly heard: string[] = [];

  constructor() {
    super({ addEventListener: nothing, postMessage: nothing, terminate: nothing } as unknown as Worker);
  }

  override get commands(): MediaWorker['commands'] {
    const feedback = (bytes: ArrayBuffer) => this.heard.push(new TextDecoder().decode(bytes));
    return { feedback } as unknown as MediaWorker['commands'];
  }

  override start(): Promise<void> {
    return new Promise(nothing);
  }
}

/** A Blob that takes some time to read; NaN: it cannot be read. */
class SlowBlob extends Blob {
  constructor(
    text: string,
    private readonly readMs: number,
  ) {
    super([text]);
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    if (Number.isNaN(this.readMs)) throw new Error('not readable');
    await new Promise((resolve) => setTimeout(resolve, this.readMs));
    return super.arrayBuffer();
  }
}

const OPTIONS: SenderOptions = {
  ...{ mode: 'cap', minBitrateBps: 100_000, maxBitrateBps: 2_000_000, startBitrateBps: 300_000 },
  ...{ originEpochMs: 0, onTrace: nothing, onEvent: nothing, onStatus: nothing },
};

afterEach(() => vi.unstubAllGlobals());

it('feedback is taken as an ArrayBuffer or as a Blob, in the order of the messages', async () => {
  vi.stubGlobal('RTCRtpScriptTransform', vi.fn());
  const client = new FakeClient();
  const peer = { connectionState: 'new', addEventListener: nothing } as unknown as RTCPeerConnection;
  const channel = new EventTarget();
  attachSender(peer, {} as RTCRtpSender, client, OPTIONS, channel as unknown as FeedbackChannel);
  const say = (data: unknown) => channel.dispatchEvent(new MessageEvent('message', { data }));
  say(new TextEncoder().encode('one').buffer);
  expect(client.heard).toEqual(['one']);
  say(new SlowBlob('two', 20));
  say(new SlowBlob('lost', NaN));
  say('text, which is no feedback');
  say(new SlowBlob('three', 0));
  await vi.waitFor(() => expect(client.heard.length).toBeGreaterThan(2));
  expect(client.heard).toEqual(['one', 'two', 'three']);
});
