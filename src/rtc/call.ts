import type { LinkOptions } from '../core/index.js';
import type { SlotConfig } from '../worker/slot.js';
import { message } from '../worker/media/errors.js';
import { createMediaWorker, type MediaWorker } from '../worker/media/media_client.js';
import { shadowSlots, slotInCharge } from './controllers.js';
import { MachineMonitor } from './machine_monitor.js';
import { answerTo, negotiateLocally, offerTo, Rewriter } from './negotiation.js';
import { ReceiverTap } from './receiver_tap.js';
import { SenderTap } from './sender_tap.js';
import { readAudioBytes, readEncoder, readPicture, readSource } from './stats.js';
import { StatusBoard } from './status.js';
import { supported } from './support.js';
import type { Call, CallOptions, CallStatus, MediaStats, ShadowController, VideoCodec } from './types.js';

/** Thrown if a call cannot be made as requested. `field` names the option that is missing or wrong. */
export class CallError extends Error {
  override readonly name = 'CallError';
  constructor(
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** Both ends open the channel with the same id, so it needs no negotiation. */
const FEEDBACK_ID = 1000;
/** The default codec: its rate control follows setParameters without a key frame at each step. */
const DEFAULT_CODEC: VideoCodec = 'vp8';
/** The statistics of a side that this page does not have: every reading of them is NaN or null. */
const NO_REPORT: RTCStatsReport = new Map();

function openFeedback(peer: RTCPeerConnection): RTCDataChannel {
  const channel = peer.createDataChannel('ccscope feedback', {
    negotiated: true,
    id: FEEDBACK_ID,
    ordered: false,
    maxRetransmits: 0,
  });
  channel.binaryType = 'arraybuffer';
  return channel;
}

/**
 * The browser's video codecs, starting with the codecs of this name; null if the browser has no codec of this name.
 */
function codecsFrom(name: VideoCodec): RTCRtpCodec[] | null {
  const all = RTCRtpSender.getCapabilities('video')?.codecs ?? [];
  const is = ({ mimeType }: RTCRtpCodec): boolean => mimeType.toLowerCase() === `video/${name}`;
  return all.some(is) ? [...all.filter(is), ...all.filter((codec) => !is(codec))] : null;
}

function checkOptions(o: CallOptions): void {
  const support = supported();
  if (support.transforms === 'none') throw new CallError(support.message);
  if (o.codec !== undefined && codecsFrom(o.codec) === null) {
    throw new CallError(
      `codec: this browser does not support ${o.codec.toUpperCase()}; choose another`,
      'codec',
    );
  }
  if (o.role !== 'receive' && o.track?.kind !== 'video') {
    throw new CallError(`track: role "${o.role}" needs a video track`, 'track');
  }
  if (o.audioTrack !== undefined && o.audioTrack.kind !== 'audio') {
    throw new CallError('audioTrack: expected an audio track; remove it to call without audio', 'audioTrack');
  }
  if (o.role !== 'loopback' && o.signalling === undefined) {
    throw new CallError(`signalling: role "${o.role}" needs a signalling channel`, 'signalling');
  }
  if (o.relay !== undefined && o.bottleneck !== undefined) {
    throw new CallError(
      'bottleneck: cannot be combined with a relay, which is itself a bottleneck; remove one of them',
      'bottleneck',
    );
  }
  if (!(o.minBitrateBps > 0 && o.minBitrateBps <= o.maxBitrateBps)) {
    throw new CallError('minBitrateBps: must be above 0 and at most maxBitrateBps', 'minBitrateBps');
  }
  if (!(o.startBitrateBps >= o.minBitrateBps && o.startBitrateBps <= o.maxBitrateBps)) {
    throw new CallError(
      'startBitrateBps: must be between minBitrateBps and maxBitrateBps',
      'startBitrateBps',
    );
  }
}

function newPeer(): RTCPeerConnection {
  const streams = supported().transforms === 'streams' ? { encodedInsertableStreams: true } : {};
  return new RTCPeerConnection({ bundlePolicy: 'max-bundle', ...streams });
}

function preferCodec(transceiver: RTCRtpTransceiver, name: VideoCodec): void {
  const codecs = codecsFrom(name);
  if (codecs !== null && 'setCodecPreferences' in transceiver) transceiver.setCodecPreferences(codecs);
}

/** One call: its peers in this page, and their taps (tap.ts), which connect the peers to workers. */
class LiveCall implements Call {
  #sendPeer: RTCPeerConnection | null = null;
  #receivePeer: RTCPeerConnection | null = null;
  #sender: SenderTap | null = null;
  #receiver: ReceiverTap | null = null;
  #receivingBegins: (receiver: ReceiverTap | null) => void = () => undefined;
  /**
   * The receiving side, once it begins with the far side's video. Null if this page does not receive, or if the call
   * is closed before.
   */
  readonly #receiving = new Promise<ReceiverTap | null>((resolve) => {
    this.#receivingBegins = resolve;
  });
  /** The workers that the call began with, whether or not a tap has taken them. */
  #workers: readonly MediaWorker[] = [];
  #remoteStream: MediaStream | null = null;
  #audioReceiver: RTCRtpReceiver | null = null;
  readonly #rewriter: Rewriter;
  readonly #board: StatusBoard;
  readonly #machine: MachineMonitor;
  #shadows: readonly SlotConfig[];
  /** How many faults have been handled. */
  #faults = 0;

  constructor(private readonly options: CallOptions) {
    const bottleneck =
      options.relay !== undefined ? 'shaper' : options.bottleneck !== undefined ? 'in-page' : 'none';
    this.#shadows = shadowSlots(options.shadows ?? [], options);
    this.#rewriter = new Rewriter(options);
    this.#board = new StatusBoard(options.mode, bottleneck, (status) => {
      this.#settleFaults(status);
      options.onStatus(status);
    });
    this.#machine = new MachineMonitor({
      board: this.#board,
      originEpochMs: options.originEpochMs,
      onEvent: (event) => options.onEvent(event),
      askedFps: () => options.sourceFps ?? options.track?.getSettings().frameRate,
      counters: () => this.#sender?.counters ?? null,
    });
    if (options.mode !== 'observe') return;
    this.#board.notice(
      'info',
      'observe',
      'The browser alone controls this call; ccscope only adds 24 bytes of timing to each frame.',
      'choose "control" mode to let the controller set the bitrate',
    );
  }

  /** Starts the workers, creates the peers and negotiates their connection. */
  async open(): Promise<void> {
    const { role, signalling, workerUrl } = this.options;
    const rewriter = this.#rewriter;
    const [sendWorker, receiveWorker] = await Promise.all([
      role === 'receive' ? null : createMediaWorker(workerUrl),
      role === 'send' ? null : createMediaWorker(workerUrl),
    ]);
    this.#workers = [sendWorker, receiveWorker].filter((worker) => worker !== null);
    if (receiveWorker === null) this.#receivingBegins(null);
    const failed = (error: unknown) => this.#failed(error);
    try {
      const starting: Promise<void>[] = [];
      const receiving = receiveWorker === null ? null : this.#makeReceiver(receiveWorker, starting);
      const sending = sendWorker === null ? null : this.#makeSender(sendWorker);
      // Starts the sender's core before the first frame, so that every frame gets a trailer.
      await this.#sender?.start();
      if (sending !== null && receiving !== null) await negotiateLocally(sending, receiving, rewriter);
      else if (sending !== null && signalling !== undefined) offerTo(sending, signalling, rewriter, failed);
      else if (receiving !== null && signalling !== undefined)
        answerTo(receiving, signalling, rewriter, failed);
      await Promise.all(starting);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #makeSender(worker: MediaWorker): RTCPeerConnection {
    const { options } = this;
    const peer = newPeer();
    this.#sendPeer = peer;
    const feedback = openFeedback(peer);
    const track = options.track as MediaStreamTrack;
    const { startBitrateBps, maxBitrateBps, mode, codec = DEFAULT_CODEC, audioTrack } = options;
    const maxBitrate = mode === 'observe' ? maxBitrateBps : startBitrateBps;
    const stream = new MediaStream([track]);
    const transceiver = peer.addTransceiver(track, {
      direction: 'sendonly',
      streams: [stream],
      sendEncodings: [{ maxBitrate }],
    });
    preferCodec(transceiver, codec);
    if (audioTrack) peer.addTransceiver(audioTrack, { direction: 'sendonly', streams: [stream] });
    const sender = new SenderTap(
      transceiver.sender,
      worker,
      { ...options, recordsChanges: options.role === 'send', onSending: () => void this.#liftBound() },
      this.#board,
    );
    this.#sender = sender;
    feedback.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) sender.feedback(data);
    };
    feedback.onclose = () => this.#feedbackClosed();
    peer.onconnectionstatechange = () => this.#connectionChanged(peer);
    return peer;
  }

  #makeReceiver(worker: MediaWorker, starting: Promise<void>[]): RTCPeerConnection {
    const peer = newPeer();
    this.#receivePeer = peer;
    const feedback = openFeedback(peer);
    this.#remoteStream = new MediaStream();
    const send = (bytes: ArrayBuffer) => {
      if (feedback.readyState === 'open') feedback.send(bytes);
    };
    feedback.onclose = () => this.#feedbackClosed();
    peer.ontrack = ({ receiver, track }) => {
      if (track.kind === 'audio') {
        this.#audioReceiver = receiver;
        this.#remoteStream?.addTrack(track);
      }
      if (track.kind !== 'video' || this.#receiver !== null) return;
      this.#remoteStream?.addTrack(track);
      const tap = new ReceiverTap(receiver, worker, this.options, this.#board, send);
      this.#receiver = tap;
      starting.push(tap.start());
      this.#receivingBegins(tap);
    };
    peer.onconnectionstatechange = () => this.#connectionChanged(peer);
    return peer;
  }

  async #liftBound(): Promise<void> {
    try {
      await this.#rewriter.lift();
    } catch (error) {
      if (this.status.phase === 'closed') return;
      this.#board.notice(
        'warning',
        'start-bound',
        `The browser kept the call's initial bitrate limit (${message(error)}): the bitrate cannot rise above three times its start value.`,
        'start the call again',
      );
    }
  }

  #feedbackClosed(): void {
    if (this.status.phase === 'closed') return;
    this.#board.notice(
      'warning',
      'feedback-closed',
      'The feedback channel between the two sides closed: the sender now relies on RTCP receiver reports.',
      'start the call again to restore delay-based control',
    );
  }

  #connectionChanged(peer: RTCPeerConnection): void {
    if (this.status.phase === 'closed') return;
    const peers = [this.#sendPeer, this.#receivePeer].filter((p) => p !== null);
    if (peers.every((p) => p.connectionState === 'connected')) {
      this.#board.clear('connection');
      this.#board.update({ phase: 'connected' });
      this.#sender?.connected();
      this.#machine.start();
    } else if (peer.connectionState === 'failed') {
      this.#failed(new Error('the two sides found no network path to each other, or lost it'));
    }
  }

  #failed(error: unknown): void {
    if (this.status.phase === 'closed') return;
    this.#board.update({ phase: 'failed' });
    this.#board.notice(
      'error',
      'connection',
      `The call failed: ${message(error)}.`,
      'check the network, then start the call again',
    );
  }

  get remoteStream(): MediaStream | null {
    return this.#remoteStream;
  }

  get status(): CallStatus {
    return this.#board.status;
  }

  /** Makes a change on both sides. The change of the receiving side waits until that side begins. */
  async #change(make: (side: ReceiverTap | SenderTap) => Promise<void>): Promise<void> {
    await Promise.all([
      this.#receiving.then((receiver) => receiver && make(receiver)),
      this.#sender && make(this.#sender),
    ]);
  }

  async setParameter(name: string, value: number): Promise<void> {
    await this.#change((side) => side.setParameter(name, value));
  }

  async setPreset(name: string): Promise<void> {
    await this.#change((side) => side.setPreset(name));
  }

  async setShadows(shadows: readonly ShadowController[]): Promise<void> {
    await this.#setShadows(shadowSlots(shadows, this.options));
  }

  async #setShadows(slots: readonly SlotConfig[]): Promise<void> {
    this.#shadows = slots;
    await this.#change((side) => side.setShadows(slots));
  }

  /**
   * Handles new faults of controllers. A controller has one half in the sender's worker and one in the receiver's. A
   * fault stops only one of the halves. If the controller in charge fails, the encoder keeps its last rate. A shadow
   * (a controller that only watches) is removed, since the rate of its remaining half would be meaningless.
   */
  #settleFaults({ controllerFaults }: CallStatus): void {
    const fresh = controllerFaults.slice(this.#faults);
    this.#faults = controllerFaults.length;
    if (fresh.some(({ flow }) => flow === 0)) this.#sender?.hold();
    const sound = this.#shadows.filter(({ flow }) => !fresh.some((fault) => fault.flow === flow));
    if (sound.length < this.#shadows.length) this.#setShadows(sound).catch(() => undefined);
  }

  async setBottleneck(options: Partial<LinkOptions>): Promise<void> {
    if (this.options.bottleneck === undefined)
      throw new CallError(
        'this call has no in-page bottleneck; create the call with the option `bottleneck`',
        'bottleneck',
      );
    await this.#sender?.setBottleneck(options);
  }

  shaperLate(p95Ms: number): void {
    this.#machine.shaperLate(p95Ms);
  }

  requestKeyFrame(): void {
    (this.#sender ?? this.#receiver)?.requestKeyFrame();
  }

  async detach(): Promise<void> {
    await Promise.all([this.#sender?.detach(), this.#receiver?.detach()]);
    this.#board.update({ effectiveMode: 'observe', encoderTargetBps: NaN });
    if (this.options.mode !== 'control') return;
    this.#board.notice(
      'info',
      'detached',
      "The encoder's previous limits are restored, but the browser's own estimator returns only when a new call starts.",
      'start a call in "observe" mode to see the browser alone',
    );
  }

  async close(): Promise<void> {
    if (this.status.phase === 'closed') return;
    this.#machine.stop();
    this.#board.update({ phase: 'closed' });
    await Promise.allSettled([this.#sender?.detach(), this.#receiver?.detach()]);
    this.#sendPeer?.close();
    this.#receivePeer?.close();
    this.#sender?.close();
    this.#receiver?.close();
    this.#receivingBegins(null);
    for (const worker of this.#workers) worker.terminate();
  }

  async mediaStats(): Promise<MediaStats> {
    const [picture, sent = NO_REPORT, audio = NO_REPORT] = await Promise.all([
      this.#receiver?.picture(),
      this.#sendPeer?.getStats(),
      this.#audioReceiver?.getStats(),
    ]);
    const source = readSource(sent);
    const { codec, ...shown } = picture ?? { ...readPicture(NO_REPORT), longestFreezeS: NaN };
    return {
      ...shown,
      sourceWidth: source.width,
      sourceHeight: source.height,
      sourceFps: source.fps,
      encoder: readEncoder(sent),
      codec: source.codec ?? codec,
      audioBytesReceived: readAudioBytes(audio),
      browserEstimateBps: this.#sender?.counters?.browserEstimateBps ?? NaN,
      rttMs: (this.#sender?.rttUs ?? NaN) / 1000,
    };
  }
}

/**
 * Makes a call, or this page's side of a call. Resolves when the connection is negotiated (`loopback`), or when this
 * side is ready to negotiate (`send`, `receive`). `onStatus` reports when the call is connected. Throws CallError if
 * an option is missing or wrong, or if the browser lacks a required feature. Throws CoreError, which names the field,
 * for an invalid controller, and WorkerError if no worker can be created. After such an error, no connection remains
 * open.
 */
export async function createCall(options: CallOptions): Promise<Call> {
  checkOptions(options);
  slotInCharge(options);
  const call = new LiveCall(options);
  await call.open();
  return call;
}
