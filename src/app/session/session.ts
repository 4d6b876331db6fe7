/** One call at a time: starts it, applies changed settings to it, ends it, and says how it is. */
import { effect, signal } from '@preact/signals';

import type { TraceBatch } from '../../core/index.js';
import { tableSpec } from '../../core/schema.js';
import { CallError, createCall, type Call, type CallOptions, type CallStatus, type MediaStats } from '../../rtc/index.js';
import type { PartialLinkConfig } from '../../scenario/link_config.js';
import type { LatenessMs, QueueRow } from '../../scenario/server_protocol.js';
import type { TraceHeader } from '../../trace/index.js';
import { dismiss, messageOf, notify } from '../notices.js';
import { settings } from '../settings.js';
import type { AppState } from '../state.js';
import { changedConfig, linkSettings, runSchedule, toLinkConfig, toLinkOptions } from './link_settings.js';
import type { Recorder } from './recorder.js';
import { Room } from './room.js';
import { ServerClient, ServerError } from './server_client.js';
import { openSource, type Source } from './source.js';

export type Phase = 'idle' | 'starting' | 'waiting' | 'connecting' | 'connected' | 'failed';

/** What a running call holds; all of it is let go when it ends. */
interface Running {
  originEpochMs: number;
  started: AppState;
  call: Call | null;
  source: Source | null;
  server: ServerClient | null;
  link: string | null;
  ended: boolean;
  cleanups: (() => void)[];
}

/** Rows of the shaper as a batch of the `queue` table. */
function queueBatch(rows: readonly QueueRow[]): TraceBatch {
  const columns = tableSpec('queue').columns.map(({ name }) =>
    Float64Array.from(rows, (row) => row[name as keyof QueueRow] ?? NaN),
  );
  return { table: 'queue', rows: rows.length, columns };
}

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
    if (this.#running) return;
    const running: Running = {
      originEpochMs: Date.now(),
      started: settings.peek(),
      call: null,
      source: null,
      server: null,
      link: null,
      ended: false,
      cleanups: [],
    };
    this.#running = running;
    this.phase.value = 'starting';
    this.status.value = null;
    dismiss('start');
    this.#lastMedia = null;
    try {
      await this.#open(running);
    } catch (error) {
      if (running.ended) return;
      await this.stop();
      this.phase.value = 'failed';
      notify('error', 'start', `The call did not start: ${messageOf(error)}.`, fixOf(error));
    }
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running || running.ended) return;
    running.ended = true;
    running.cleanups.forEach((cleanup) => cleanup());
    await this.media().catch(() => null);
    this.#event(running, 'stop', null);
    await running.call?.close();
    running.source?.stop();
    running.server?.close();
    this.localStream.value = null;
    this.remoteStream.value = null;
    this.connectedAt.value = null;
    this.#running = null;
    this.phase.value = 'idle';
  }

  async #open(running: Running): Promise<void> {
    const state = running.started;
    await this.#connectServer(running);
    if (state.role !== 'receive') {
      running.source = await openSource(state.source, state.seed);
      this.localStream.value = new MediaStream([running.source.track]);
    }
    const options = state.role === 'receive' ? await this.#join(running) : await this.#host(running);
    if (running.ended) return this.#release(running);
    await this.recorder.begin(this.#header(running));
    this.#event(running, 'start', { settings: state });
    this.phase.value = 'connecting';
    running.call = await createCall(options);
    if (running.ended) return this.#release(running);
    this.remoteStream.value = running.call.remoteStream;
    this.#followSettings(running);
  }

  /** Stopped while starting: what came to be after that is closed again. */
  async #release(running: Running): Promise<void> {
    await running.call?.close();
    running.source?.stop();
    running.server?.close();
  }

  async #connectServer(running: Running): Promise<void> {
    const { bottleneck, role } = running.started;
    if (bottleneck === 'in-page' && role === 'loopback') return;
    running.server = await ServerClient.connect();
    if (running.server) {
      dismiss('no-server');
      running.server.onLost = () =>
        notify('warning', 'server-lost', 'The local server went away.', 'Start it again with npm start, then start the call again.');
      return;
    }
    if (role !== 'loopback') throw new ServerError('this page was not served by ccscope’s local server, which rooms need', 'room');
    notify(
      'info',
      'no-server',
      'There is no local server here, so the bottleneck is in the page: it shapes whole frames, not packets.',
      'Run npm start to shape real packets.',
    );
  }

  async #openLink(running: Running): Promise<Pick<CallOptions, 'relay' | 'bottleneck'>> {
    const state = running.started;
    if (!running.server || state.bottleneck === 'in-page') return { bottleneck: toLinkOptions(linkSettings(state)) };
    const config = { ...toLinkConfig(linkSettings(state)), origin_epoch_ms: running.originEpochMs };
    const { link, a, b } = await running.server.openLink(config);
    running.link = link;
    running.server.watchLink(link, {
      rows: (rows) => rows.length > 0 && !running.ended && this.recorder.append(queueBatch(rows)),
      lateness: (lateness) => (this.lateness.value = lateness),
      error: (message) => notify('error', 'link', `The shaped link failed: ${message}.`, 'Start the call again.'),
    });
    return { relay: { a, b } };
  }

  /** Our page sends, to itself or to another page of the room. */
  async #host(running: Running): Promise<CallOptions> {
    const path = await this.#openLink(running);
    const options = { ...this.#callOptions(running), ...path };
    const { room: name, role } = running.started;
    if (role !== 'send' || !running.server) return options;
    const room = await Room.join(running.server, name);
    this.phase.value = 'waiting';
    await room.invite({ originEpochMs: running.originEpochMs, relay: path.relay ?? null });
    return { ...options, signalling: room.signalling };
  }

  /** Our page receives from another page of the room. */
  async #join(running: Running): Promise<CallOptions> {
    if (!running.server) throw new ServerError('rooms need the local server', 'room');
    const room = await Room.join(running.server, running.started.room);
    this.phase.value = 'waiting';
    const { originEpochMs, relay } = await room.invitation();
    running.originEpochMs = originEpochMs;
    queueMicrotask(() => room.ready());
    return { ...this.#callOptions(running), ...(relay ? { relay } : {}), signalling: room.signalling };
  }

  #callOptions(running: Running): CallOptions {
    const { role, controller, mode, preset, set, min_bps, max_bps, start_bps, key_frame_interval_s } = running.started;
    return {
      role,
      mode: controller === 'native' ? 'observe' : mode,
      preset,
      parameters: { ...set },
      minBitrateBps: min_bps,
      maxBitrateBps: max_bps,
      startBitrateBps: start_bps,
      originEpochMs: running.originEpochMs,
      ...(running.source ? { track: running.source.track } : {}),
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
    running.cleanups.push(() => clearTimeout(timer));
  }

  #header(running: Running): Partial<TraceHeader> {
    const { preset, set, min_bps, max_bps, start_bps, mode, controller } = running.started;
    return {
      created: new Date(running.originEpochMs).toISOString(),
      source: 'call',
      clock: 'receiver',
      controller: 'gcc',
      preset,
      parameters: { min_bitrate_bps: min_bps, max_bitrate_bps: max_bps, start_bitrate_bps: start_bps, ...set },
      origin_epoch_ms: running.originEpochMs,
      mode: controller === 'native' ? 'observe' : mode,
      link: { ...toLinkConfig(linkSettings(running.started)), at: running.link ? 'shaper' : 'in-page' },
    };
  }

  #event(running: Running, name: string, detail: unknown): void {
    const nowMs = performance.timeOrigin + performance.now() - running.originEpochMs;
    this.recorder.event({ time_us: Math.round(nowMs * 1000), name, detail });
  }

  /** Applies each change of the settings to the call that runs. */
  #followSettings(running: Running): void {
    let before = running.started;
    let endSchedule = running.link ? () => undefined : this.#schedule(running, before.capacity);
    running.cleanups.push(
      effect(() => {
        const now = settings.value;
        const [was, is] = [toLinkConfig(linkSettings(before)), toLinkConfig(linkSettings(now))];
        const change = changedConfig(was, is);
        if (change) {
          if (!running.link && change.capacity !== undefined) {
            endSchedule();
            endSchedule = this.#schedule(running, now.capacity);
          }
          this.#applied(this.#setLink(running, now, change));
        }
        this.#applyController(running, before, now);
        before = now;
      }),
      () => endSchedule(),
    );
  }

  #schedule(running: Running, capacity: string): () => void {
    return runSchedule(capacity, (capacityBps) => {
      this.#applied(running.call?.setBottleneck({ capacityBps }));
      this.#event(running, 'capacity', { capacity_bps: capacityBps });
    });
  }

  async #setLink(running: Running, state: AppState, change: PartialLinkConfig): Promise<void> {
    this.#event(running, 'link', change);
    if (running.link) return running.server?.setLink(running.link, change);
    const { seed: _, ...options } = toLinkOptions(linkSettings(state));
    await running.call?.setBottleneck(options);
  }

  #applyController(running: Running, before: AppState, now: AppState): void {
    const { call } = running;
    if (!call) return;
    const presetChanged = before.preset !== now.preset;
    const removed = Object.keys(before.set).some((name) => !(name in now.set));
    // A preset sets every parameter, so that those which differ from it are set again after it.
    if (presetChanged || removed) this.#applied(call.setPreset(now.preset));
    for (const [name, value] of Object.entries(now.set)) {
      if (presetChanged || removed || before.set[name] !== value) this.#applied(call.setParameter(name, value));
    }
  }

  #applied(work: Promise<void> | undefined): void {
    work?.then(
      () => dismiss('setting'),
      (error: unknown) => notify('warning', 'setting', `A setting was refused: ${messageOf(error)}.`, 'Choose another value.'),
    );
  }
}

function fixOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'NotAllowedError') {
    return 'Allow the camera in the browser, or choose the synthetic camera.';
  }
  if (error instanceof DOMException && error.name === 'NotFoundError') return 'Choose the synthetic camera.';
  if (error instanceof CallError && error.field === undefined) return 'Use a current Chrome, Edge, Firefox or Safari.';
  if (error instanceof ServerError) return 'Run npm start and open the address that it prints.';
  return 'Change the setting that the message names, then press Start again.';
}
