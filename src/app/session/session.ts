/** One call at a time: starts it, applies changed settings to it, ends it, and says how it is. */
import { computed, signal } from '@preact/signals';

import {
  CallError,
  createCall,
  type CallOptions,
  type CallStatus,
  type MediaStats,
} from '../../rtc/index.js';
import type { LatenessMs } from '../../scenario/server_protocol.js';
import { isOwn, ownName } from '../controllers.js';
import { dismiss, messageOf, notify } from '../notices.js';
import { NotAtHand, ownControllers } from '../own_controllers.js';
import { settings } from '../settings.js';
import { linkSettings, toLinkConfig, toLinkOptions } from './link_settings.js';
import { LiveChanges } from './live_changes.js';
import type { Recorder } from './recorder.js';
import { changeEvent, restartMessage, watchForRestart, type SettingChange } from './restarts.js';
import { Room } from './room.js';
import { queueBatch, Running, Stopped } from './running.js';
import { ServerClient, ServerError } from './server_client.js';
import { SourceKeeper } from './source.js';

export type Phase = 'idle' | 'starting' | 'waiting' | 'connecting' | 'connected' | 'failed';

/** How the two sides reach each other. */
type Path = Pick<CallOptions, 'relay' | 'bottleneck' | 'signalling'>;

export class Session {
  readonly phase = signal<Phase>('idle');
  readonly status = signal<CallStatus | null>(null);
  readonly lateness = signal<LatenessMs | null>(null);
  readonly localStream = signal<MediaStream | null>(null);
  readonly remoteStream = signal<MediaStream | null>(null);
  /** Flow 0 of the call that runs, or ran last. */
  readonly inCharge = signal<{ flow: 0; name: string; controller: string }>({
    flow: 0,
    name: 'GCC',
    controller: 'gcc',
  });
  /** `performance.now()` when the call was connected. */
  readonly connectedAt = signal<number | null>(null);
  #running: Running | null = null;
  /** How often a stop was asked for: one while a call restarts prevents that. */
  #stops = 0;
  #lastMedia: MediaStats | null = null;
  readonly #source = new SourceKeeper();
  readonly #connected = computed(() => this.phase.value === 'connected');

  constructor(private readonly recorder: Recorder) {}

  get running(): boolean {
    return this.#running !== null;
  }

  /** Counters of the received pictures; of the last call when none runs; null before any. */
  async media(): Promise<MediaStats | null> {
    const { call } = this.#running ?? {};
    if (call) this.#lastMedia = await call.mediaStats();
    return this.#lastMedia;
  }

  /** Starts a call with the settings as they are. What goes wrong is told in a notice. */
  async start(): Promise<void> {
    if (this.#running && this.phase.peek() !== 'failed') return;
    await this.stop();
    this.status.value = null;
    await this.#run(new Running(settings.peek()), []);
  }

  async stop(): Promise<void> {
    this.#stops += 1;
    const running = this.#running;
    if (!running) return;
    await this.#end(running);
    if (this.#running !== running) return;
    this.#running = null;
    this.#source.stop();
    dismiss('restarted');
    this.localStream.value = null;
    this.remoteStream.value = null;
    this.phase.value = 'idle';
  }

  /** Ends the call and starts it again with the settings as they are now; the recording goes on. */
  async #restart(running: Running, changes: readonly SettingChange[]): Promise<void> {
    if (running.ending) return;
    const stops = this.#stops;
    this.phase.value = 'starting';
    for (const change of changes) this.recorder.event({ time_us: running.nowUs(), ...changeEvent(change) });
    await this.#end(running);
    if (this.#stops !== stops) return;
    await this.#run(new Running(settings.peek(), running.originEpochMs, running.shadows), changes);
  }

  #end(running: Running): Promise<void> {
    running.ending ??= this.#finish(running);
    return running.ending;
  }

  async #finish(running: Running): Promise<void> {
    await this.media().catch(() => null);
    this.recorder.event({ time_us: running.nowUs(), name: 'stop', detail: null });
    await running.end();
    this.connectedAt.value = null;
  }

  /** Makes a call the one that runs. `changes` are what an earlier one was ended for. */
  async #run(running: Running, changes: readonly SettingChange[]): Promise<void> {
    this.#running = running;
    this.#lastMedia = null;
    this.phase.value = 'starting';
    this.lateness.value = null;
    dismiss('start');
    try {
      await this.#open(running, changes.length > 0);
      if (changes.length === 0) return;
      const message = restartMessage(running.started, changes);
      notify('info', 'restarted', message, 'The recording goes on in the same trace.');
    } catch (error) {
      if (error instanceof Stopped || running.ended) return;
      await this.stop();
      this.phase.value = 'failed';
      notify('error', 'start', `The call did not start: ${messageOf(error)}.`, fixOf(error));
    }
  }

  async #open(running: Running, isRestart: boolean): Promise<void> {
    const state = running.started;
    await ownControllers.look([state.controller, ...state.shadow].filter(isOwn).map(ownName));
    await this.#connectServer(running);
    const track = state.role === 'receive' ? null : await this.#openSource(running);
    const path = state.role === 'receive' ? await this.#join(running) : await this.#host(running);
    const options = { ...this.#callOptions(running), ...path, ...(track ? { track } : {}) };
    if (isRestart) this.recorder.resume();
    else await this.recorder.begin(running.header);
    this.recorder.nameFlows(running.shadows.known);
    const { name, controller = name } = running.controller;
    this.inCharge.value = { flow: 0, name, controller };
    const detail = { ...running.controllerStart, settings: state };
    this.recorder.event({ time_us: running.nowUs(), name: 'start', detail });
    this.phase.value = 'connecting';
    const call = await createCall(options);
    running.own(() => call.close());
    running.call = call;
    this.remoteStream.value = call.remoteStream;
    const changes = new LiveChanges(running, this.recorder);
    running.own(() => changes.end());
    // With the far side in another page, a call ends and begins by hand.
    if (state.role === 'loopback') running.own(this.#watch(running));
  }

  #watch(running: Running): () => void {
    return watchForRestart({
      started: running.started,
      settings,
      connected: this.#connected,
      restart: (changes) => void this.#restart(running, changes),
    });
  }

  async #openSource(running: Running): Promise<MediaStreamTrack> {
    const { source, seed } = running.started;
    const track = await this.#source.open(source, seed, () => !running.ended);
    if (!track) throw new Stopped();
    if (this.localStream.peek()?.getVideoTracks()[0] !== track)
      this.localStream.value = new MediaStream([track]);
    return track;
  }

  async #connectServer(running: Running): Promise<void> {
    const { bottleneck, role } = running.started;
    if (bottleneck === 'in-page' && role === 'loopback') return;
    const server = await ServerClient.connect();
    if (server) {
      running.own(() => server.close());
      running.server = server;
      dismiss('no-server');
      server.onLost = () =>
        notify(
          'warning',
          'server-lost',
          'The local server went away.',
          'Start it again with npm start, then start the call again.',
        );
      return;
    }
    if (role !== 'loopback')
      throw new ServerError('this page was not served by ccscope’s local server, which rooms need', 'room');
    notify(
      'info',
      'no-server',
      'There is no local server here, so the bottleneck is in the page: it shapes whole frames, not packets.',
      'Run npm start to shape real packets.',
    );
  }

  async #openLink(running: Running): Promise<Path> {
    const state = running.started;
    if (!running.server || state.bottleneck === 'in-page')
      return { bottleneck: toLinkOptions(linkSettings(state)) };
    const config = { ...toLinkConfig(linkSettings(state)), origin_epoch_ms: running.originEpochMs };
    const { link, a, b } = await running.server.openLink(config);
    running.link = link;
    running.server.watchLink(link, {
      rows: (rows) => rows.length > 0 && !running.ended && this.recorder.append(queueBatch(rows)),
      lateness: (lateness) => (this.lateness.value = lateness),
      error: (message) =>
        notify('error', 'link', `The shaped link failed: ${message}.`, 'Start the call again.'),
    });
    return { relay: { a, b } };
  }

  /** Our page sends, to itself or to another page of the room. */
  async #host(running: Running): Promise<Path> {
    const path = await this.#openLink(running);
    const { room: name, role } = running.started;
    if (role !== 'send' || !running.server) return path;
    const room = await Room.join(running.server, name);
    this.phase.value = 'waiting';
    await room.invite({ originEpochMs: running.originEpochMs, relay: path.relay ?? null });
    return { ...path, signalling: room.signalling };
  }

  /** Our page receives from another page of the room. */
  async #join(running: Running): Promise<Path> {
    if (!running.server) throw new ServerError('rooms need the local server', 'room');
    const room = await Room.join(running.server, running.started.room);
    this.phase.value = 'waiting';
    const { originEpochMs, relay } = await room.invitation();
    running.originEpochMs = originEpochMs;
    queueMicrotask(() => room.ready());
    return { ...(relay ? { relay } : {}), signalling: room.signalling };
  }

  #callOptions(running: Running): CallOptions {
    const { role, shadow, min_bps, max_bps, start_bps, key_frame_interval_s } = running.started;
    return {
      role,
      mode: running.mode,
      controller: running.controller,
      shadows: running.shadows.take(shadow),
      minBitrateBps: min_bps,
      maxBitrateBps: max_bps,
      startBitrateBps: start_bps,
      originEpochMs: running.originEpochMs,
      ...(key_frame_interval_s > 0 ? { keyFrameIntervalS: key_frame_interval_s } : {}),
      // What a call still had under way when the next one began would stand in the wrong place.
      onTrace: (batch) => this.#running === running && this.recorder.append(batch),
      onEvent: (event) => this.#running === running && this.recorder.event(event),
      onStatus: (status) => this.#onStatus(running, status),
    };
  }

  #onStatus(running: Running, status: CallStatus): void {
    if (running.ended) return;
    this.status.value = status;
    for (const { flow } of status.controllerFaults) running.shadows.forget(flow);
    if (status.phase === 'failed') this.phase.value = 'failed';
    if (status.phase !== 'connected' || this.connectedAt.peek() !== null) return;
    this.phase.value = 'connected';
    this.connectedAt.value = performance.now();
    const { duration_s } = running.started;
    if (duration_s === 0) return;
    const timer = setTimeout(() => void this.stop(), duration_s * 1000);
    running.own(() => clearTimeout(timer));
  }
}

function fixOf(error: unknown): string {
  if (error instanceof NotAtHand) return 'Choose the file again, or another controller, then press Start.';
  if (error instanceof DOMException && error.name === 'NotAllowedError') {
    return 'Allow the camera in the browser, or choose the synthetic camera.';
  }
  if (error instanceof DOMException && error.name === 'NotFoundError') return 'Choose the synthetic camera.';
  if (error instanceof CallError && error.field === undefined)
    return 'Use a current Chrome, Edge, Firefox or Safari.';
  if (error instanceof ServerError) return 'Run npm start and open the address that it prints.';
  return 'Change the setting that the message names, then press Start again.';
}
