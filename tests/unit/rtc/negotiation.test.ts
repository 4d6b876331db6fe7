/** Two pages of a call that negotiate, whichever of them comes first. */
import { describe, expect, it, vi } from 'vitest';

import { answerTo, offerTo, Rewriter } from '../../../src/rtc/negotiation.js';
import type { Signalling } from '../../../src/rtc/types.js';

/** A peer with the states of an RTCPeerConnection (WebRTC 1.0, 4.4.1.5). A description takes a task to be set. */
class FakePeer {
  signalingState: RTCSignalingState = 'stable';
  readonly iceGatheringState = 'complete';
  localDescription: RTCSessionDescriptionInit | null = null;
  answers = 0;

  async setLocalDescription(): Promise<void> {
    await anotherTask();
    const isOffer = this.signalingState !== 'have-remote-offer';
    this.localDescription = { type: isOffer ? 'offer' : 'answer', sdp: 'v=0\r\n' };
    this.signalingState = isOffer ? 'have-local-offer' : 'stable';
  }

  async setRemoteDescription({ type }: RTCSessionDescriptionInit): Promise<void> {
    await anotherTask();
    if (type === 'answer' && this.signalingState !== 'have-local-offer')
      throw new Error(`wrong state: ${this.signalingState}`);
    if (type === 'answer') this.answers += 1;
    this.signalingState = type === 'answer' ? 'stable' : 'have-remote-offer';
  }
}

const anotherTask = () => new Promise((resolve) => setImmediate(resolve));

/** Lets every message and description arrive that is on its way. */
async function settled(): Promise<void> {
  for (let task = 0; task < 50; task++) await anotherTask();
}

/** A channel that delivers each message in a task of its own, and loses messages to a page that has not come yet. */
function channel(): [Signalling, Signalling] {
  const listeners: ((data: unknown) => void)[] = [];
  const end = (own: number, other: number): Signalling => ({
    send: (data) => void setImmediate(() => listeners[other]?.(structuredClone(data))),
    onmessage: (listener) => {
      listeners[own] = listener;
    },
  });
  return [end(0, 1), end(1, 0)];
}

const OPTIONS = { mode: 'control', maxBitrateBps: 2_500_000, startBitrateBps: 2_500_000 } as const;

describe('two pages that negotiate', () => {
  it.each(['sender', 'receiver', 'both'])('agree once, if the first to come is: %s', async (first) => {
    const [sender, receiver] = channel();
    const [offering, answering] = [new FakePeer(), new FakePeer()];
    const failed = vi.fn();
    const offer = () =>
      offerTo(offering as unknown as RTCPeerConnection, sender, new Rewriter(OPTIONS), failed);
    const answer = () =>
      answerTo(answering as unknown as RTCPeerConnection, receiver, new Rewriter(OPTIONS), failed);
    const [begin, follow] = first === 'receiver' ? [answer, offer] : [offer, answer];
    begin();
    if (first !== 'both') await settled();
    follow();
    await settled();
    expect(failed).not.toHaveBeenCalled();
    expect(offering).toMatchObject({ signalingState: 'stable', answers: 1 });
    expect(answering.signalingState).toBe('stable');
  });
});
