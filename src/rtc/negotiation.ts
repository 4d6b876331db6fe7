/** Exchanges offer and answer, within a page or over a signalling channel, and rewrites them on the way. */
import { boundVideo, DEFAULT_FLOOR_KBPS, iceUfrags, takeOver, throughRelay } from './sdp.js';
import type { CallOptions, RelayAddress, Signalling } from './types.js';

/**
 * The longest wait for ICE candidates. Host candidates are available at once, but on an unusual network, gathering
 * might never end.
 */
const GATHERING_TIMEOUT_MS = 2000;
const FLOOR_ABOVE_MAX = 1.2;
/**
 * The rate of libwebrtc's first probe as a multiple of the start bitrate
 * (`ProbeControllerConfig::first_exponential_probe_scale`).
 */
const FIRST_PROBE = 3;

type DescriptionType = 'offer' | 'answer';
interface Description {
  type: DescriptionType;
  sdp: string;
}

/** The messages between the two pages of a call. Descriptions contain all candidates. */
type Message = { ccscope: 'hello' | 'ready' } | ({ ccscope: 'description' } & Description);

function parse(data: unknown): Message | null {
  if (typeof data !== 'object' || data === null) return null;
  const { ccscope, type, sdp } = data as Record<string, unknown>;
  if (ccscope === 'hello' || ccscope === 'ready') return { ccscope };
  if (ccscope !== 'description' || typeof sdp !== 'string') return null;
  return type === 'offer' || type === 'answer' ? { ccscope, type, sdp } : null;
}

/** Rewrites the remote descriptions of a call, and announces the call's peers to its relay. */
export class Rewriter {
  /** Removes the limit that `accept` has set on the sender's bitrate; null if there is no limit. */
  #lift: (() => Promise<void>) | null = null;

  constructor(
    private readonly options: Pick<CallOptions, 'mode' | 'relay' | 'maxBitrateBps' | 'startBitrateBps'>,
  ) {}

  /**
   * The floor of the browser's own estimate. In mode `control` the estimate stays at the floor and limits the
   * sent rate. So the floor must be above the highest bitrate.
   */
  get #floorKbps(): number {
    return Math.max(DEFAULT_FLOOR_KBPS, Math.ceil((FLOOR_ABOVE_MAX * this.options.maxBitrateBps) / 1000));
  }

  /**
   * Rewrites a description before a peer sets it as its remote description. The sender's remote description is the
   * answer, so the answer names the relay's socket `a`. The receiver's remote description is the offer, so the offer
   * names socket `b`.
   */
  remote({ type, sdp }: Description): Description {
    const { mode, relay } = this.options;
    const taken = mode === 'control' ? takeOver(sdp, { floorKbps: this.#floorKbps }) : sdp;
    const socket: RelayAddress | undefined = type === 'answer' ? relay?.a : relay?.b;
    return { type, sdp: socket === undefined ? taken : throughRelay(taken, socket) };
  }

  /**
   * Sets the answer at the sender. With its first packets, Chromium sends two probes of 15 ms at its maximum bitrate.
   * In mode `control`, this maximum is the floor of 3 Mbps or more. Both probes together are then 11 kB, which take
   * 0.3 s at 300 kbps, and ccscope does not use their result. So the answer first limits the bitrate to the rate of
   * libwebrtc's own first probe. `lift` removes the limit.
   */
  async accept(sender: RTCPeerConnection, answer: Description): Promise<void> {
    const { mode, startBitrateBps } = this.options;
    const whole = this.remote(answer);
    const firstProbeBps = FIRST_PROBE * startBitrateBps;
    if (mode !== 'control' || firstProbeBps >= 1000 * this.#floorKbps)
      return sender.setRemoteDescription(whole);
    const bounded = { ...whole, sdp: boundVideo(whole.sdp, firstProbeBps) };
    await sender.setRemoteDescription(bounded);
    this.#lift = async () => {
      await sender.setLocalDescription();
      await sender.setRemoteDescription(whole);
    };
  }

  /**
   * Removes the limit that `accept` has set. To be called once packets are sent. Only the sender sets its
   * descriptions again, since nothing changes for the far side. Rejects if the browser refuses.
   */
  async lift(): Promise<void> {
    const lift = this.#lift;
    this.#lift = null;
    await lift?.();
  }

  /**
   * Announces the ICE username fragments of both original descriptions to the relay. The relay accepts packets only
   * from agents with these fragments.
   */
  agreed(offer: Description, answer: Description): void {
    this.options.relay?.expect?.({ a: iceUfrags(offer.sdp), b: iceUfrags(answer.sdp) });
  }
}

function gathered(peer: RTCPeerConnection): Promise<void> {
  if (peer.iceGatheringState === 'complete') return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      peer.removeEventListener('icegatheringstatechange', check);
      resolve();
    };
    const check = () => peer.iceGatheringState === 'complete' && done();
    const timer = setTimeout(done, GATHERING_TIMEOUT_MS);
    peer.addEventListener('icegatheringstatechange', check);
  });
}

/** Creates the peer's own description, waits for its candidates, and returns it. */
async function describe(peer: RTCPeerConnection): Promise<Description> {
  await peer.setLocalDescription();
  await gathered(peer);
  const { type, sdp } = peer.localDescription ?? {};
  if ((type !== 'offer' && type !== 'answer') || sdp === undefined)
    throw new Error('the connection was closed');
  return { type, sdp };
}

/** Connects two peers of this page. */
export async function negotiateLocally(
  sender: RTCPeerConnection,
  receiver: RTCPeerConnection,
  rewriter: Rewriter,
): Promise<void> {
  const offer = await describe(sender);
  await receiver.setRemoteDescription(rewriter.remote(offer));
  const answer = await describe(receiver);
  rewriter.agreed(offer, answer);
  await rewriter.accept(sender, answer);
}

/**
 * Connects the sender to a page at the other end of `signalling`. The offer is sent when the other page is
 * ready. Either page may start first.
 */
export function offerTo(
  peer: RTCPeerConnection,
  signalling: Signalling,
  rewriter: Rewriter,
  failed: (error: unknown) => void,
): void {
  let offer: Promise<Description> | null = null;
  let isAnswered = false;
  const send = (message: Message) => signalling.send(message);
  const hear = async (message: Message) => {
    if (message.ccscope === 'ready') {
      offer ??= describe(peer);
      const description = await offer;
      if (peer.signalingState === 'have-local-offer') send({ ccscope: 'description', ...description });
    } else if (message.ccscope === 'description' && message.type === 'answer') {
      // The other page may announce twice that it is ready. It then gets two offers and answers both, and its second
      // answer may come while the first one is still being set.
      if (offer === null || isAnswered || peer.signalingState !== 'have-local-offer') return;
      isAnswered = true;
      rewriter.agreed(await offer, message);
      await rewriter.accept(peer, message);
    }
  };
  signalling.onmessage((data) => {
    const message = parse(data);
    if (message !== null) hear(message).catch(failed);
  });
  send({ ccscope: 'hello' });
}

/** Answers the offer of a page at the other end of `signalling`. */
export function answerTo(
  peer: RTCPeerConnection,
  signalling: Signalling,
  rewriter: Rewriter,
  failed: (error: unknown) => void,
): void {
  const send = (message: Message) => signalling.send(message);
  let answered: Promise<Description> | null = null;
  const answer = async (offer: Description) => {
    await peer.setRemoteDescription(rewriter.remote(offer));
    return describe(peer);
  };
  const hear = async (message: Message) => {
    if (message.ccscope === 'hello') send({ ccscope: 'ready' });
    else if (message.ccscope === 'description' && message.type === 'offer') {
      answered ??= answer(message);
      send({ ccscope: 'description', ...(await answered) });
    }
  };
  signalling.onmessage((data) => {
    const message = parse(data);
    if (message !== null) hear(message).catch(failed);
  });
  send({ ccscope: 'ready' });
}
