/**
 * One observed peer connection of the page. Reports what happens on the connection, and changes nothing except
 * the transforms of receivers.
 */
import { mediaSections, remoteSides, transportsIn, udpAddress, ufragOf } from './candidates.js';
import type { FrameWorker } from './frames.js';
import { attempt, epochMs, listen } from './natives.js';
import * as notices from './notices.js';
import type { ObserverConfig, RecordNotice, RemoteSide, StatsSample } from './protocol.js';
import type { ReceiverTransforms } from './receivers.js';
import type { Reporter } from './reporter.js';
import { readSample, type Sending, type SendingOf } from './sample.js';
import { ShownFrames } from './shown_frames.js';

/** State that the endpoints of a window share. */
export interface Window {
  config: ObserverConfig;
  reporter: Reporter;
  /** The worker that times each frame; null if only getStats is used. */
  worker: FrameWorker | null;
  receivers: ReceiverTransforms;
  /** The `maxBitrate` that was last set for the encoding with this rid, in bit/s; NaN if unknown. */
  boundOf(sender: RTCRtpSender, rid: string, index: number): number;
  /** Called when the observer notices that a connection is closed. */
  closed(endpoint: Endpoint): void;
}

/** How long the observer waits for a UDP candidate, counted from the far side's first candidate. */
const TRICKLE_MS = 2000;

/** What is known about a connection when its observation starts. */
export interface KnownBefore {
  /** The page announced that it transforms the frames itself. */
  ownsTransforms: boolean;
  /**
   * The page created the connection before it was observed, so the far side may know the page's real
   * candidates.
   */
  isLate: boolean;
  /** The listener already knows the connection's number: the connection's video was reported as a stray before. */
  isReported: boolean;
}

function pausedBy(track: MediaStreamTrack | null | undefined): Sending['trackPaused'] {
  if (track?.enabled === false) return 'disabled';
  return track?.muted === true ? 'muted' : '';
}

export class Endpoint {
  #state: RTCPeerConnectionState = 'new';
  #role: 'offerer' | 'answerer' | null = null;
  #looking: Promise<void> | null = null;
  /**
   * The time of the far side's first candidate; null before that. Infinity once the far side has sent a UDP
   * candidate.
   */
  #lacksUdpSinceMs: number | null = null;
  #ufrags = '';
  readonly #remote = new Map<string, RemoteSide>();
  /** The limits (`b=` lines) in the media sections of the remote description, by mid. */
  readonly #bounds = new Map<string, number>();
  /** The reported notices, by code. */
  readonly #told = new Map<string, RecordNotice>();
  readonly #receivers = new WeakSet<RTCRtpReceiver>();
  /** Receivers that have the observer's transform. */
  readonly #ours = new Set<RTCRtpReceiver>();
  /**
   * For receivers without the observer's transform: the objects that record frames when the browser shows them.
   */
  readonly #shown = new Map<RTCRtpTransceiver, ShownFrames>();
  /** Whether every video receiver so far has always had the observer's transform. */
  #complete = true;
  /**
   * Whether the constructor is still examining the existing descriptions and receivers of a connection that the
   * page created before it was observed.
   */
  #isCatchingUp: boolean;

  constructor(
    readonly id: number,
    readonly peer: RTCPeerConnection,
    private readonly known: KnownBefore,
    private readonly window: Window,
  ) {
    this.#isCatchingUp = known.isLate;
    // A debugger's list of connections also contains prototypes. Reading this attribute of a prototype throws,
    // so no prototype is reported.
    if (typeof peer.signalingState !== 'string') throw new TypeError('this is not a connection');
    if (!known.isReported) this.#announce();
    listen(peer, 'connectionstatechange', () => this.look());
    listen(peer, 'signalingstatechange', () => this.#describe());
    listen(peer, 'track', () => this.watch());
    if (known.ownsTransforms && window.worker !== null && !window.config.timesShownFrames)
      this.#refused(notices.pageTransforms());
    if (known.isLate) attempt(() => this.#catchUp());
    this.look();
    attempt(() => this.watch());
    this.#isCatchingUp = false;
  }

  #announce(): void {
    const { reporter } = this.window;
    reporter.add({ type: 'endpoint', endpoint: this.id, timeUs: reporter.nowUs() });
  }

  /** Reports everything known about the connection to a new listener. */
  resume(): void {
    this.#announce();
    this.#state = 'new';
    this.#ufrags = '';
    for (const side of this.#remote.values())
      this.window.reporter.tell({ type: 'remote', endpoint: this.id, sides: [side] });
    for (const notice of this.#told.values()) this.window.reporter.notice(this.id, notice);
    for (const shown of this.#shown.values()) attempt(() => shown.resume());
    this.#source();
    this.#describe();
  }

  /** Reports the contents of the descriptions that the page set before it was observed. */
  #catchUp(): void {
    const { remoteDescription } = this.peer;
    if (remoteDescription !== null) this.remoteDescription(remoteDescription.sdp);
    this.#describe();
  }

  /** The tracks that the connection receives. */
  get tracks(): MediaStreamTrack[] {
    return attempt(() => this.peer.getReceivers().map(({ track }) => track)) ?? [];
  }

  /**
   * For each synchronization source of the video receivers, the RTP timestamp of the latest frame that was
   * played.
   */
  get timestamps(): number[] {
    return (
      attempt(() =>
        this.peer
          .getReceivers()
          .filter(({ track }) => track.kind === 'video')
          .flatMap((receiver) => receiver.getSynchronizationSources())
          .map(({ rtpTimestamp }) => rtpTimestamp),
      ) ?? []
    );
  }

  get closed(): boolean {
    return this.#state === 'closed';
  }

  /** Reports a change of the connection's state. Must be called regularly, because `close` fires no event. */
  look(): void {
    this.#lookForUdp();
    const state = this.peer.signalingState === 'closed' ? 'closed' : this.peer.connectionState;
    // A closed connection never opens again. If its document is unloaded, the connection may still say `connected`.
    if (state === this.#state || this.closed) return;
    this.#state = state;
    if (state === 'closed') this.#endShown();
    const { reporter } = this.window;
    reporter.tell({ type: 'state', endpoint: this.id, timeUs: reporter.nowUs(), state });
    if (state === 'connected') void this.sample();
    if (state === 'closed') this.window.closed(this);
  }

  /**
   * Reports that the connection ends with its document, which is being unloaded. Leaves the connection itself to the
   * browser. The report is added to the next batch, which has to be sent at once.
   */
  unloaded(): void {
    if (this.closed) return;
    this.#state = 'closed';
    const { reporter } = this.window;
    reporter.add({ type: 'state', endpoint: this.id, timeUs: reporter.nowUs(), state: 'closed' });
    this.window.closed(this);
  }

  #endShown(): void {
    this.pause();
    this.#shown.clear();
  }

  /** Pauses the timing of shown frames, in receivers without the observer's transform. */
  pause(): void {
    for (const shown of this.#shown.values()) attempt(() => shown.pause());
  }

  /** Processes the remote description in the page's original form, before the observer replaces its addresses. */
  remoteDescription(sdp: string): void {
    this.#noteTransports(sdp);
    const sections = mediaSections(sdp);
    for (const { mid, bandwidthBps } of sections) if (mid !== null) this.#bounds.set(mid, bandwidthBps);
    for (const side of remoteSides(sections)) this.#addRemote(side);
  }

  /** Processes a trickled candidate of the far side, before the observer replaces its address. */
  remoteCandidate(text: string, usernameFragment: string | null): void {
    this.#noteTransports(text);
    const address = udpAddress(text);
    const ufrag = usernameFragment ?? ufragOf(text) ?? [...this.#remote.keys()].at(-1);
    if (address !== null && ufrag !== undefined) this.#addRemote({ ufrag, candidates: [address] });
  }

  #noteTransports(text: string): void {
    for (const transport of transportsIn(text)) {
      if (transport === 'udp') this.#lacksUdpSinceMs = Infinity;
      else this.#lacksUdpSinceMs ??= epochMs();
    }
  }

  /**
   * Reports a notice if the far side has sent no UDP candidate in time. The link only carries UDP, so no
   * connection can be established.
   */
  #lookForUdp(): void {
    const sinceMs = this.#lacksUdpSinceMs;
    if (this.window.config.relay === null || this.peer.connectionState === 'connected') return;
    if (sinceMs === null || epochMs() - sinceMs < TRICKLE_MS) return;
    this.#once(notices.tcpOnly());
  }

  #addRemote({ ufrag, candidates }: RemoteSide): void {
    const known = this.#remote.get(ufrag);
    const { relay } = this.window.config;
    // If the far side is also a page under test, its own candidates contain the relay's address. That address
    // is ignored.
    const old = [...(known?.candidates ?? []), ...(relay === null ? [] : [relay])];
    const fresh = candidates.filter(
      ({ address, port }) => !old.some((c) => c.address === address && c.port === port),
    );
    if (known !== undefined && fresh.length === 0) return;
    const side = { ufrag, candidates: [...(known?.candidates ?? []), ...fresh] };
    this.#remote.set(ufrag, side);
    this.window.reporter.tell({ type: 'remote', endpoint: this.id, sides: [side] });
  }

  /** Reports the local username fragments once there is a local description. */
  #describe(): void {
    const { signalingState } = this.peer;
    this.watch();
    if (signalingState === 'have-local-offer') this.#role ??= 'offerer';
    if (signalingState === 'have-remote-offer') this.#role ??= 'answerer';
    const sections = mediaSections(this.peer.localDescription?.sdp ?? '');
    const ufrags = [...new Set(sections.flatMap(({ ufrag }) => ufrag ?? []))];
    if (ufrags.join() !== this.#ufrags) {
      this.#ufrags = ufrags.join();
      this.window.reporter.tell({ type: 'local', endpoint: this.id, role: this.#role, ufrags });
    }
    this.look();
  }

  /**
   * Attaches transforms to new receivers, in the same task in which `addTrack`, `addTransceiver` or an offer of
   * the far side creates them. Chromium never calls a transform that is attached in a later task. Therefore
   * receivers get a transform even while nobody listens. The transform then only passes frames on. Once
   * somebody listens, it also records them.
   */
  watch(): void {
    for (const transceiver of this.peer.getTransceivers()) {
      const { receiver } = transceiver;
      if (this.#receivers.has(receiver)) continue;
      this.#receivers.add(receiver);
      if (receiver.track.kind === 'video') this.#time(receiver, transceiver);
    }
  }

  /** Chooses how a receiver's frames are timed. There is no worker if the listener only needs getStats. */
  #time(receiver: RTCRtpReceiver, transceiver: RTCRtpTransceiver): void {
    const { worker } = this.window;
    if (worker === null) {
      this.#complete = false;
      this.#source();
    } else if (this.#isTooLate(transceiver)) this.#withoutTransform(receiver, notices.joinedLate());
    else if (this.known.ownsTransforms) this.#withoutTransform(receiver, notices.pageTransforms());
    else this.#attach(receiver, worker);
  }

  /** Whether media may have started before the observation. The browser would then never call a new transform. */
  #isTooLate({ currentDirection }: RTCRtpTransceiver): boolean {
    return this.#isCatchingUp && currentDirection !== null;
  }

  /**
   * Handles a receiver that cannot have the observer's transform. If possible, its frames are timed when the
   * browser shows them.
   */
  #withoutTransform(receiver: RTCRtpReceiver, why: RecordNotice): void {
    const { timesShownFrames, originEpochMs } = this.window.config;
    const transceiver = this.peer.getTransceivers().find((each) => each.receiver === receiver);
    if (!timesShownFrames || !ShownFrames.isSupported || transceiver === undefined) {
      this.#refused(why);
      return;
    }
    if (!this.#shown.has(transceiver)) {
      const shown = new ShownFrames(receiver.track, originEpochMs);
      this.#shown.set(transceiver, shown);
      if (!this.window.reporter.isPaused) shown.resume();
    }
    this.#refused(notices.asShown(why));
  }

  #attach(receiver: RTCRtpReceiver, worker: FrameWorker): void {
    const { receivers, config } = this.window;
    const refusal = receivers.refusal(receiver) ?? (worker.usable ? null : notices.workerRefused());
    if (refusal !== null) {
      this.#withoutTransform(receiver, refusal);
      return;
    }
    const { originEpochMs } = config;
    const attached = attempt(() =>
      receivers.attach(receiver, worker.transform({ endpoint: this.id, originEpochMs }), () =>
        this.#yield(receiver),
      ),
    );
    if (attached === undefined) this.#withoutTransform(receiver, notices.noTransforms());
    else {
      this.#ours.add(receiver);
      this.#source();
    }
  }

  /** Called if the worker fails to start. The receivers then continue without it. */
  giveUp(): void {
    if (this.#ours.size === 0) return;
    const flows = this.#state !== 'new' && this.#state !== 'connecting';
    const ours = [...this.#ours];
    this.#ours.clear();
    for (const receiver of ours) {
      attempt(() => this.window.receivers.release(receiver, flows));
      this.#withoutTransform(receiver, notices.workerRefused());
    }
  }

  /** To be called when the page has replaced the observer's transform of a receiver with its own. */
  #yield(receiver: RTCRtpReceiver): void {
    this.#ours.delete(receiver);
    this.#withoutTransform(receiver, notices.pageTransforms());
  }

  #refused(notice: RecordNotice): void {
    this.#complete = false;
    this.#once(notice);
    this.#source();
  }

  /** Reports how frames are timed: `transform` only if every video receiver has the observer's transform. */
  #source(): void {
    const seen = this.#shown.size > 0 ? 'elements' : 'getStats';
    const source = this.#complete && this.#ours.size > 0 ? 'transform' : seen;
    this.window.reporter.add({ type: 'source', endpoint: this.id, source });
  }

  #once(notice: RecordNotice): void {
    if (this.#told.has(notice.code)) return;
    this.#told.set(notice.code, notice);
    this.window.reporter.notice(this.id, notice);
  }

  relayPolicy(): void {
    this.#once(notices.relayPolicy());
  }

  /** Reads getStats, or waits for a reading that is already under way. Never rejects. */
  sample(): Promise<void> {
    if (this.#ufrags === '' || this.closed) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { config, reporter } = this.window;
    try {
      const stats = await this.peer.getStats();
      const sendingOf: SendingOf = (...which) => this.#sending(...which);
      const { relay } = config;
      const { sample, astray } = readSample(stats, config.originEpochMs, epochMs(), { sendingOf, relay });
      this.#tellShown(sample);
      reporter.add({ type: 'sample', endpoint: this.id, sample });
      if (astray !== null) this.#once(notices.notRouted(astray, this.known.isLate));
    } catch {
      // A connection that was closed in the meantime has nothing more to report.
    }
  }

  #tellShown({ inbound, timeUs }: StatsSample): void {
    const rows = [...this.#shown].flatMap(([{ mid }, shown]) => {
      const stats = inbound.find((each) => each.kind === 'video' && each.mid === mid);
      return stats === undefined ? [] : shown.take(stats.ssrc, stats.bytesReceived, timeUs);
    });
    if (rows.length > 0) this.window.reporter.add({ type: 'frames', endpoint: this.id, rows });
  }

  #sending(...[mid, rid, index]: Parameters<SendingOf>): Sending {
    const sender = this.peer.getTransceivers().find((each) => each.mid === mid)?.sender;
    return {
      maxBitrateBps: sender === undefined ? NaN : this.window.boundOf(sender, rid, index),
      sectionBoundBps: this.#bounds.get(mid) ?? NaN,
      trackState: sender === undefined ? '' : (sender.track?.readyState ?? 'none'),
      trackPaused: pausedBy(sender?.track),
    };
  }
}
