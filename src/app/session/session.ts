/** One call at a time: starts it, applies changed settings to it, ends it, and says how it is. */
import { signal } from '@preact/signals';

import {
  CallError,
  createCall,
  type CallOptions,
  type CallStatus,
  type MediaStats,
} from '../../rtc/index.js';
import type { LatenessMs } from '../../scenario/server_protocol.js';
import { dismiss, messageOf, notify } from '../notices.js';
import { settings } from '../settings.js';
import { linkSettings, toLinkConfig, toLinkOptions } from './link_settings.js';
import { LiveChanges } from './live_changes.js';
import type { Recorder } from './recorder.js';
import { Room } from './room.js';
import { queueBatch, Running, Stopped } from './running.js';
import { ServerClient, ServerError } from './server_client.js';
import { openSource } from './source.js';

export type Phase = 'idle' | 'starting' | 'waiting' | 'connecting' | 'connected' | 'failed';

/** How the two sides reach each other. */
type Path = Pick<CallOptions, 'relay' | 'bottleneck' | 'signalling'>;

export class Session {
  readonly phase = signal<Phase>('idle');
  readonly status = signal<CallStatus | null>(null);
  readonly lateness = signal<LatenessMs | null>(null);
  readonly localStream = signal<MediaStream | null>(null);
  readonly remoteStream = signal<MediaStream | null>(null);
  /** `performance.now()` when the call was connected. */
  readonly connectedAt = signal<number | null>(null);
  #running: Running | null = null;
  #lastMedia: MediaStats | null = null;

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
    const running = new Running(settings.peek());
    this.#running = running;
    this.#lastMedia = null;
    this.phase.value = 'starting';
    this.status.value = null;
    this.lateness.value = null;
    dismiss('start');
    try {
      await this.#open(running);
    } catch (error) {
      if (error instanceof Stopped || running.ended) return;
      await this.stop();
      this.phase.value = 'failed';
      notify('error', 'start', `The call did not start: ${messageOf(error)}.`, fixOf(error));
    }
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running || running.ended) return;
    await this.media().catch(() => null);
    this.recorder.event({ time_us: running.nowUs(), name: 'stop', detail: null });
    await running.end();
    this.localStream.value = null;
    this.remoteStream.value = null;
    this.connectedAt.value = null;
    this.#running = null;
    this.phase.value = 'idle';
  }

  async #open(running: Running): Promise<void> {
    const state = running.started;
    await this.#connectServer(running);
    const track = state.role === 'receive' ? null : await this.#openSource(running);
    const path = state.role === 'receive' ? await this.#join(running) : await this.#host(running);
    await this.recorder.begin(running.header);
    this.recorder.event({ time_us: running.nowUs(), name: 'start', detail: { settings: state } });
    this.phase.value = 'connecting';
    const call = await createCall({ ...this.#callOptions(running), ...path, ...(track ? { track } : {}) });
    running.own(() => call.close());
    running.call = call;
    this.remoteStream.value = call.remoteStream;
    const changes = new LiveChanges(running, this.recorder);
    running.own(() => changes.end());
  }

  async #openSource(running: Running): Promise<MediaStreamTrack> {
    const { source: kind, seed } = running.started;
    const source = await openSource(kind, seed);
    running.own(() => source.stop());
    this.localStream.value = new MediaStream([source.track]);
    return source.track;
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
    const { role, controller, mode, preset, set, min_bps, max_bps, start_bps, key_frame_interval_s } =
      running.started;
    return {
      role,
      mode: controller === 'native' ? 'observe' : mode,
      preset,
      parameters: { ...set },
      minBitrateBps: min_bps,
      maxBitrateBps: max_bps,
      startBitrateBps: start_bps,
      originEpochMs: running.originEpochMs,
      ...(key_frame_interval_s > 0 ? { keyFrameIntervalS: key_frame_interval_s } : {}),
      onTrace: (batch) => this.recorder.append(batch),
      onEvent: (event) => this.recorder.event(event),
      onStatus: (status) => this.#onStatus(running, status),
    };
  }

  #onStatus(running: Running, status: CallStatus): void {
    if (running.ended) return;
    this.status.value = status;
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
  if (error instanceof DOMException && error.name === 'NotAllowedError') {
    return 'Allow the camera in the browser, or choose the synthetic camera.';
  }
  if (error instanceof DOMException && error.name === 'NotFoundError') return 'Choose the synthetic camera.';
  if (error instanceof CallError && error.field === undefined)
    return 'Use a current Chrome, Edge, Firefox or Safari.';
  if (error instanceof ServerError) return 'Run npm start and open the address that it prints.';
  return 'Change the setting that the message names, then press Start again.';
}
