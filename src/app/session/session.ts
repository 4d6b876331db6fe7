/** Runs one call at a time: starts it, applies changed settings to it, ends it and reports its state. */
import { computed, effect, signal } from '@preact/signals';

import { createCall, type CallOptions, type CallStatus, type MediaStats } from '../../rtc/index.js';
import type { LatenessMs } from '../../link/server_protocol.js';
import { dismiss, messageOf, notify } from '../notices.js';
import { settings } from '../settings.js';
import { fixOf } from './fixes.js';
import { LiveChanges } from './live_changes.js';
import { openPath } from './path.js';
import type { Recorder } from './recorder.js';
import { Patience, serverBack, serverLost, settingsChanged, workerDied, type Cause } from './recovery.js';
import { watchForRestart } from './restarts.js';
import { linkBatches, Running, Stopped } from './running.js';
import { ServerClient, ServerError } from './server_client.js';
import { SourceKeeper, videoOf, type SourceTracks } from './source.js';

/** Notices that mean nothing any more when the call has ended. */
const ENDED_WITH_CALL = [
  'restarted',
  'server-lost',
  'far-side-other',
  'far-side-again',
  'far-side-same',
  'source-ended',
  'own-controller-changed',
];

export type Phase = 'idle' | 'starting' | 'waiting' | 'connecting' | 'connected' | 'failed';

export class Session {
  readonly phase = signal<Phase>('idle');
  readonly status = signal<CallStatus | null>(null);
  readonly lateness = signal<LatenessMs | null>(null);
  readonly localStream = signal<MediaStream | null>(null);
  readonly remoteStream = signal<MediaStream | null>(null);
  /** The controller of flow 0 in the running call or, if no call is running, in the last call. */
  readonly inCharge = signal<{ flow: 0; name: string; controller: string }>({
    flow: 0,
    name: 'GCC',
    controller: 'gcc',
  });
  /** `performance.now()` when the running call was connected; null before that and after the call's end. */
  readonly connectedAt = signal<number | null>(null);
  /**
   * `performance.now()` when the call was first connected; null before that and after the call was stopped.
   * Automatic restarts do not change this value.
   */
  readonly beganAt = signal<number | null>(null);
  /** Whether the running call asked for the local server but runs without it. */
  readonly lacksServer = signal(false);
  #running: Running | null = null;
  /** Counts requests to stop. A request during a restart keeps the new call from starting. */
  #stops = 0;
  /** Whether the call has lost the local server and has not reached it again. */
  #isServerLost = false;
  /**
   * The call whose recording already contains the event `mode`. This event reports that the controller could not take
   * over the rates, so the call runs in a different mode than requested.
   */
  #capTold: Running | null = null;
  readonly #patience = new Patience();
  #lastMedia: MediaStats | null = null;
  readonly #source = new SourceKeeper();
  readonly #connected = computed(() => this.phase.value === 'connected');

  /** How long a call may last, in seconds; 0 if without end. */
  readonly #longestS = computed(() => settings.value.duration_s);
  #stopTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly recorder: Recorder) {
    recorder.endCall = () => this.stop();
    effect(() => this.#stopInTime());
    recorder.grows = () => this.#running?.isRecorded ?? false;
  }

  get running(): boolean {
    return this.#running !== null;
  }

  /**
   * The controller in charge of the running call, as the setting `controller` names it; null if no call is running. The
   * setting itself may have changed already: the call is then restarted soon.
   */
  get controller(): string | null {
    return this.#running?.started.controller ?? null;
  }

  /** Name of the shaped link of the running call; null if the call has no such link. */
  get link(): string | null {
    return this.#running?.link ?? null;
  }

  /**
   * The browser's statistics of the media in the running call or, if no call is running, in the last call.
   * Null before the first call and while a call is starting.
   */
  async media(): Promise<MediaStats | null> {
    const { call } = this.#running ?? {};
    if (call) this.#lastMedia = await call.mediaStats();
    return this.#lastMedia;
  }

  /** Starts a call with the current settings. Failures are shown as notices. */
  async start(): Promise<void> {
    if (this.#running && this.phase.peek() !== 'failed') return;
    await this.stop();
    // Another request has started a call meanwhile.
    if (this.#running) return;
    this.status.value = null;
    await this.#run(new Running(settings.peek()));
  }

  async stop(): Promise<void> {
    this.#stops += 1;
    const running = this.#running;
    if (!running) return;
    await this.#end(running);
    if (this.#running !== running) return;
    this.#running = null;
    this.#source.stop();
    this.#isServerLost = false;
    this.lacksServer.value = false;
    for (const code of ENDED_WITH_CALL) dismiss(code);
    this.localStream.value = null;
    this.remoteStream.value = null;
    this.beganAt.value = null;
    this.phase.value = 'idle';
  }

  /** Ends the call and starts it again with the current settings; the recording continues. */
  async #restart(running: Running, cause: Cause): Promise<void> {
    if (running.ending) return;
    const stops = this.#stops;
    const isWanted = (): boolean => this.#stops === stops;
    this.phase.value = 'starting';
    for (const event of running.isRecorded ? cause.events : [])
      this.recorder.event({ time_us: running.nowUs(), ...event });
    await this.#end(running);
    await cause.wait?.(isWanted);
    if (!isWanted()) return;
    const next = new Running(settings.peek(), running);
    if (next.started.controller !== running.started.controller) dismiss('own-controller-changed');
    await this.#run(next, cause);
  }

  /** Restarts a call for a cause that may recur. Returns false if there were too many such restarts. */
  #recover(running: Running, cause: Cause): boolean {
    const mayBe = running.ending === null && this.#patience.allows();
    if (mayBe) void this.#restart(running, cause);
    return mayBe || running.ending !== null;
  }

  #end(running: Running): Promise<void> {
    running.ending ??= this.#finish(running);
    return running.ending;
  }

  async #finish(running: Running): Promise<void> {
    await this.media().catch(() => null);
    if (running.isRecorded) this.recorder.event({ time_us: running.nowUs(), name: 'stop', detail: null });
    await running.end();
    this.connectedAt.value = null;
  }

  /** Opens a call, which becomes the running call. `cause` is the cause of the restart, if this is a restart. */
  async #run(running: Running, cause?: Cause): Promise<void> {
    this.#running = running;
    this.#lastMedia = null;
    this.phase.value = 'starting';
    this.lateness.value = null;
    for (const code of ['start', 'source-ended', 'far-side-same']) dismiss(code);
    try {
      await this.#open(running);
      if (!cause) return;
      const message = cause.message(running.started, running.server !== null);
      notify('info', 'restarted', message, 'The recording continues.');
    } catch (error) {
      if (error instanceof Stopped || running.ending) return;
      await this.stop();
      this.phase.value = 'failed';
      notify('error', 'start', `The call did not start: ${messageOf(error)}.`, fixOf(error));
    }
  }

  async #open(running: Running): Promise<void> {
    const state = running.started;
    await running.findOwn();
    await this.#connectServer(running);
    const tracks = state.role === 'receive' ? null : await this.#openSource(running);
    // Before the new link reports its first rows, since its counters begin at zero.
    if (running.isRecorded) this.recorder.resume();
    const path = await openPath(running, {
      rows: (rows) => {
        // Until the call is recorded, the recorder has another recording.
        if (!running.isRecorded) return;
        for (const batch of linkBatches(rows, running.cross)) this.recorder.append(batch);
      },
      lateness: (lateness) => {
        this.lateness.value = lateness;
        if (lateness.recent_p95_ms !== null) running.call?.shaperLate(lateness.recent_p95_ms);
      },
      waiting: () => (this.phase.value = 'waiting'),
      broken: (cause) => this.#recover(running, cause),
    });
    const options = { ...this.#callOptions(running), ...path, ...tracks };
    if (!running.isRecorded) await this.recorder.begin(running.header, () => !running.ended);
    if (running.ended) throw new Stopped();
    running.isRecorded = true;
    this.recorder.nameShadows(running.shadows.known);
    const { name, controller = name, url } = running.controller;
    if (url !== undefined) this.recorder.ownInCharge.push({ name, url });
    this.inCharge.value = { flow: 0, name, controller };
    const { video, audio } = running.header;
    const detail = { ...running.controllerStart, settings: state, video, audio, at: running.bottleneckAt };
    this.recorder.event({ time_us: running.nowUs(), name: 'start', detail });
    this.phase.value = 'connecting';
    const call = await createCall(options);
    running.own(() => call.close());
    running.call = call;
    this.remoteStream.value = call.remoteStream;
    const changes = new LiveChanges(running, this.recorder);
    running.own(() => changes.end());
    // A changed setting does not restart a call with another page: the user has to restart it.
    if (state.role === 'loopback') running.own(this.#watch(running));
  }

  #watch(running: Running): () => void {
    return watchForRestart({
      started: running.started,
      settings,
      connected: this.#connected,
      restart: (changes) => void this.#restart(running, settingsChanged(changes)),
    });
  }

  async #openSource(running: Running): Promise<SourceTracks> {
    const tracks = await this.#source.open(running.started, () => !running.ended);
    if (!tracks) throw new Stopped();
    const { track } = tracks;
    if (this.localStream.peek()?.getVideoTracks()[0] !== track)
      this.localStream.value = new MediaStream([track]);
    running.video = videoOf(track, running.started);
    if (running.started.source === 'camera') this.#watchCamera(running, track);
    return tracks;
  }

  /** Tells the user if the camera ends, for example because it was unplugged. */
  #watchCamera(running: Running, track: MediaStreamTrack): void {
    const ended = (): void => {
      if (running.isRecorded)
        this.recorder.event({ time_us: running.nowUs(), name: 'source_ended', detail: null });
      notify(
        'warning',
        'source-ended',
        'The camera has ended, so no video is sent any more.',
        'Connect or allow it again, then press Stop and Start; or choose the synthetic video under Call.',
      );
    };
    track.addEventListener('ended', ended);
    running.own(() => track.removeEventListener('ended', ended));
  }

  async #connectServer(running: Running): Promise<void> {
    const { bottleneck, role } = running.started;
    this.lacksServer.value = false;
    if (bottleneck === 'in-page' && role === 'loopback') return;
    const server = await ServerClient.connect();
    if (server) {
      running.own(() => server.close());
      running.server = server;
      this.#isServerLost = false;
      for (const code of ['no-server', 'server-lost']) dismiss(code);
      server.onLost = () => this.#serverLost(running);
      return;
    }
    if (role !== 'loopback')
      throw new ServerError(
        'the local server of ccscope cannot be reached from this page, and rooms need it',
      );
    this.lacksServer.value = true;
    if (this.#isServerLost) return void this.#followServer(running);
    notify(
      'info',
      'no-server',
      'There is no local server here, so the bottleneck is in the page: it shapes whole frames, not packets.',
      'Run npm start to shape real packets.',
    );
  }

  #serverLost(running: Running): void {
    this.#isServerLost = true;
    const fix = 'Run npm start: the call then returns to the shaper by itself.';
    const what = 'The connection to the local server was lost, and with it the shaped link.';
    notify('warning', 'server-lost', what, fix);
    void this.#restart(running, serverLost(running.started));
  }

  /** Restarts a call that went on without the server, as soon as the server can be reached again. */
  async #followServer(running: Running): Promise<void> {
    if (await ServerClient.isBack(Infinity, () => !running.ending))
      await this.#restart(running, serverBack());
  }

  #callOptions(running: Running): CallOptions {
    const { fps } = this.#source;
    const { role, shadow, codec, min_bps, max_bps, start_bps, key_frame_interval_s } = running.started;
    return {
      role,
      codec,
      mode: running.mode,
      controller: running.controller,
      shadows: running.shadows.take(shadow),
      minBitrateBps: min_bps,
      maxBitrateBps: max_bps,
      startBitrateBps: start_bps,
      originEpochMs: running.originEpochMs,
      ...(fps === undefined ? {} : { sourceFps: fps }),
      ...(key_frame_interval_s > 0 ? { keyFrameIntervalS: key_frame_interval_s } : {}),
      // Rows of an earlier call may arrive after the next call has begun. They are dropped, since they would be
      // recorded in the wrong place.
      onTrace: (batch) => this.#running === running && this.recorder.append(batch),
      onEvent: (event) => this.#running === running && this.recorder.event(event),
      onStatus: (status) => this.#onStatus(running, status),
    };
  }

  #onStatus(running: Running, status: CallStatus): void {
    if (running.ended) return;
    this.status.value = status;
    if (this.#capTold !== running && status.notices.some(({ code }) => code === 'takeover')) {
      this.#capTold = running;
      const detail = { from: status.requestedMode, to: status.effectiveMode };
      this.recorder.event({ time_us: running.nowUs(), name: 'mode', detail });
    }
    const [dead] = status.deadWorkers;
    if (dead) this.#recover(running, workerDied(dead));
    for (const { flow } of status.controllerFaults) running.shadows.forget(flow);
    if (status.phase === 'failed') this.phase.value = 'failed';
    if (status.phase !== 'connected' || running.ending) return;
    // A call that failed may come back.
    this.phase.value = 'connected';
    if (this.connectedAt.peek() !== null) return;
    this.connectedAt.value = performance.now();
    this.beganAt.value ??= performance.now();
  }

  /**
   * Stops the call when it has lasted as long as the user wants, who may change this during the call. A time that has
   * already passed is ignored: a slider passes over such times while it moves.
   */
  #stopInTime(): void {
    const [beganAt, seconds] = [this.beganAt.value, this.#longestS.value];
    clearTimeout(this.#stopTimer);
    if (beganAt === null || seconds === 0) return;
    const leftMs = beganAt + seconds * 1000 - performance.now();
    if (leftMs > 0) this.#stopTimer = setTimeout(() => void this.stop(), leftMs);
  }
}
