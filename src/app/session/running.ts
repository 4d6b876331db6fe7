/** The resources of one call while it runs. They are released when the call ends, the newest first. */
import type { TraceBatch } from '../../core/index.js';
import { tableSpec } from '../../core/schema.js';
import type { Call, LiveController } from '../../rtc/index.js';
import { timeZeroMs } from '../../machine/index.js';
import type { LinkConfig } from '../../link/link_config.js';
import { linkOfUrl } from '../../link/url.js';
import { CrossRate, crossRow } from '../../link/cross_rate.js';
import { SAME_CLOCK_MS, type LinkRow } from '../../link/server_protocol.js';
import type { TraceHeader } from '../../trace/index.js';
import { isOwn, ownName, titleOf, watcherOf } from '../controllers.js';
import { ownControllers } from '../own_controllers.js';
import type { AppState } from '../state.js';
import type { Invitation } from './room.js';
import type { ServerClient } from './server_client.js';
import { liveController, ShadowFlows } from './shadows.js';
import type { SentVideo } from './source.js';

/** Thrown when a call was stopped while it was starting. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export class Running {
  call: Call | null = null;
  server: ServerClient | null = null;
  /** The shaped link at the local server. */
  link: string | null = null;
  /** The link's settings, as the server reported them. */
  config: Partial<LinkConfig> = {};
  /** The sent video, as its track describes it; null in the page that receives. */
  video: SentVideo | null = null;
  /** Settles once the call has ended; null until the end is requested. */
  ending: Promise<void> | null = null;
  #ended = false;
  readonly #zeroMs = timeZeroMs();
  readonly #closers: (() => unknown)[] = [];
  /** The rates of the cross traffic on this call's link. */
  readonly cross = new CrossRate();

  /** The origin of the call's times, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  /** The same origin on the clock of the page that invited this one; undefined if no page did. */
  invitedEpochMs: number | undefined;
  /**
   * Assigns flow numbers to the shadows (controllers that only watch). The numbers stay the same across all calls of
   * the recording.
   */
  readonly shadows: ShadowFlows;
  /** Whether the recording that this call belongs to has begun. */
  isRecorded: boolean;
  /**
   * The user's controller in charge, once its file has been found. All calls in a row that have this controller in
   * charge run the same file, even if the user chooses another file of the same name meanwhile.
   */
  #own: (LiveController & { name: string }) | undefined;

  /** `before` is the earlier call whose recording this call continues. */
  constructor(
    readonly started: AppState,
    before?: Running,
  ) {
    this.originEpochMs = before?.originEpochMs ?? Date.now();
    this.invitedEpochMs = before?.invitedEpochMs;
    this.shadows = before?.shadows ?? new ShadowFlows();
    this.isRecorded = before?.isRecorded ?? false;
    if (before?.started.controller === started.controller) this.#own = before.#own;
  }

  /**
   * Finds the files of the user's controllers, at the local server if this page does not have them. Throws NotAtHand
   * if the file of the controller in charge is missing.
   */
  async findOwn(): Promise<void> {
    const { controller, shadow } = this.started;
    await ownControllers.look([controller, ...shadow].filter(isOwn).map(ownName));
    if (isOwn(controller)) this.#own ??= liveController(controller);
  }

  /** Takes over the origin of the other page's call, unless this call continues a recording with that origin. */
  accept({ originEpochMs, nowMs }: Pick<Invitation, 'originEpochMs' | 'nowMs'>): void {
    if (this.invitedEpochMs === originEpochMs) return;
    this.invitedEpochMs = originEpochMs;
    const aheadMs = Date.now() - nowMs;
    this.originEpochMs = originEpochMs + (Math.abs(aheadMs) > SAME_CLOCK_MS ? aheadMs : 0);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Registers `close` to be called when the call ends. If the call has already ended, calls `close` at once and
   * throws Stopped.
   */
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

  /** The current time, in microseconds since the origin. */
  nowUs(): number {
    return Math.round((this.#zeroMs + performance.now() - this.originEpochMs) * 1000);
  }

  /**
   * The controller of flow 0: the controller in charge or, if the browser's own controller is in charge, the
   * controller of `preset`, which only watches. Throws if the controller is user-written and this page does not have
   * its file.
   */
  get controller(): LiveController & { name: string } {
    const { controller, preset, set } = this.started;
    if (isOwn(controller)) return this.#own ?? liveController(controller);
    const watcher = watcherOf(this.started) ?? 'gcc';
    const name = titleOf([watcher, preset].join(':'));
    return { controller: watcher, preset, parameters: { ...set }, name };
  }

  /** The fields of the trace's header that describe controllers: flow 0 with its parameters, and the shadows. */
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

  /** The mode of the call: always `observe` if the browser's own controller is in charge. */
  get mode(): AppState['mode'] {
    return this.started.controller === 'native' ? 'observe' : this.started.mode;
  }

  /** Where the bottleneck of this call is, which may not be where the settings ask for it. */
  get bottleneckAt(): 'shaper' | 'in-page' {
    return this.link ? 'shaper' : 'in-page';
  }

  /** The fields of the header of the call's trace. */
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
      // The settings of a page that receives are not those of the link, which the other page has.
      ...(this.started.role !== 'receive' && {
        link: { ...linkOfUrl(this.started), ...this.config, at: this.bottleneckAt },
      }),
    };
  }
}

/** The shaper's rows as batches of `queue` and, with cross traffic, of `throughput`. */
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
