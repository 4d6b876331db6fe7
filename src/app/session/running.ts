/** What one call holds while it runs; all of it is let go, last first, when it ends. */
import type { TraceBatch } from '../../core/index.js';
import { tableSpec } from '../../core/schema.js';
import type { Call, LiveController } from '../../rtc/index.js';
import type { LinkConfig } from '../../link/link_config.js';
import { linkOfUrl } from '../../link/url.js';
import { CrossRate, crossRow } from '../../link/cross_rate.js';
import type { LinkRow } from '../../link/server_protocol.js';
import type { TraceHeader } from '../../trace/index.js';
import { isOwn, titleOf, watcherOf } from '../controllers.js';
import type { AppState } from '../state.js';
import type { ServerClient } from './server_client.js';
import { liveController, ShadowFlows } from './shadows.js';
import type { SentVideo } from './source.js';

/** Thrown out of the start of a call that was stopped meanwhile. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export class Running {
  call: Call | null = null;
  server: ServerClient | null = null;
  /** The shaped link at the local server. */
  link: string | null = null;
  /** Its settings, as the server has them. */
  config: Partial<LinkConfig> = {};
  /** What is sent, as its track says; null in the page that receives. */
  video: SentVideo | null = null;
  /** Settles once the call has ended; null while nobody has asked for it. */
  ending: Promise<void> | null = null;
  #ended = false;
  readonly #closers: (() => unknown)[] = [];
  /** What the cross traffic of this call's link gets. */
  readonly cross = new CrossRate();

  /** Zero of the call's times, in milliseconds of the Unix epoch. */
  originEpochMs: number;
  /** Names the flows of the shadows, over all calls of the recording. */
  readonly shadows: ShadowFlows;
  /** Whether there is a recording that this call is a part of. */
  isRecorded: boolean;

  /** `before` is the call whose recording goes on with this one. */
  constructor(
    readonly started: AppState,
    before?: Running,
  ) {
    this.originEpochMs = before?.originEpochMs ?? Date.now();
    this.shadows = before?.shadows ?? new ShadowFlows();
    this.isRecorded = before?.isRecorded ?? false;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Keeps `close` for the end. When that was already, closes at once and throws Stopped. */
  own(close: () => unknown): void {
    if (this.#ended) {
      close();
      throw new Stopped();
    }
    this.#closers.push(close);
  }

  async end(): Promise<void> {
    this.#ended = true;
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  /** Now, in microseconds since the origin. */
  nowUs(): number {
    return Math.round((performance.timeOrigin + performance.now() - this.originEpochMs) * 1000);
  }

  /** The controller that is flow 0. Throws when it is a user's that is not at hand. */
  get controller(): LiveController & { name: string } {
    const { controller, preset, set } = this.started;
    if (isOwn(controller)) return liveController(controller);
    const watcher = watcherOf(this.started) ?? 'gcc';
    const name = titleOf([watcher, preset].join(':'));
    return { controller: watcher, preset, parameters: { ...set }, name };
  }

  /** What the controllers begin with. */
  get controllerStart(): Partial<TraceHeader> {
    const { min_bps, max_bps, start_bps } = this.started;
    const bitrates = { min_bitrate_bps: min_bps, max_bitrate_bps: max_bps, start_bitrate_bps: start_bps };
    const { name, controller, preset, parameters } = this.controller;
    const flows = this.shadows.known;
    return {
      controller: controller ?? name,
      ...(preset === undefined ? {} : { preset }),
      parameters: { ...bitrates, ...parameters },
      ...(flows.length === 0 ? {} : { flows }),
    };
  }

  /** Who is asked to be in charge. */
  get mode(): AppState['mode'] {
    return this.started.controller === 'native' ? 'observe' : this.started.mode;
  }

  /** The first line of the call's trace. */
  get header(): Partial<TraceHeader> {
    return {
      created: new Date(this.originEpochMs).toISOString(),
      source: 'call',
      clock: 'receiver',
      ...this.controllerStart,
      origin_epoch_ms: this.originEpochMs,
      mode: this.mode,
      ...(this.video && { video: { ...this.video, codec: this.started.codec } }),
      audio: this.started.audio,
      link: { ...linkOfUrl(this.started), ...this.config, at: this.link ? 'shaper' : 'in-page' },
    };
  }
}

/** Rows of the shaper as batches of `queue` and, where there is cross traffic, of `throughput`. */
export function linkBatches(rows: readonly LinkRow[], cross: CrossRate): TraceBatch[] {
  const columns = tableSpec('queue').columns.map(({ name }) =>
    Float64Array.from(rows, (row) => row[name as keyof LinkRow]),
  );
  const beside = rows.flatMap(({ time_us, cross_delivered_bytes }) => {
    const bps = cross.see(time_us, cross_delivered_bytes);
    return bps === null ? [] : [crossRow(time_us, bps)];
  });
  const throughput = tableSpec('throughput').columns.map((_, index) =>
    Float64Array.from(beside, (row) => row[index] ?? NaN),
  );
  return [
    { table: 'queue', rows: rows.length, columns },
    ...(beside.length === 0
      ? []
      : [{ table: 'throughput' as const, rows: beside.length, columns: throughput }]),
  ];
}
