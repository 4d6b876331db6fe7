/**
 * Watches calls that are already running in pages. Processes the reports of the observers in the pages, and
 * keeps a record of the calls in the same form as in tests. Runs shadows (controllers that only watch the
 * streams), and makes a recording. The code that creates a Watch decides where it runs: in a worker of the
 * page, in an extension, or in another page.
 */
import { Endpoints, type WindowPlace } from '../calls/record/endpoints.js';
import { Keeper } from '../calls/record/keep.js';
import type { CallRecord, EndpointRecord, RecordNotice, StatsSample } from '../calls/record/record.js';
import { SHADOW, type ShadowController } from '../calls/record/shadow_flow.js';
import { Shadows } from '../calls/record/shadows.js';
import type { Core, TraceBatch, TraceEvent } from '../core/index.js';
import type { PageBatch } from '../inject/protocol.js';
import { IncidentLog, type Incident } from '../judge/incidents/index.js';
import type { TraceExtent, TraceView, ViewQuery } from '../trace/index.js';
import { Driver } from './driver.js';
import { LossShadows } from './loss_shadows.js';
import { LooseBatches } from './loose_batches.js';
import { Recording, type Exported, type ExportOptions, type RecordingSize } from './recording.js';
import type { Spill } from './ring.js';
import { receivedRow, sentRow } from './rows.js';
import { Streams, type StreamState } from './streams.js';

export interface WatchOptions {
  /** The zero point of all times, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  /** Loads the core. Called when a controller, watching or in charge, first needs it. */
  load: () => Promise<Core>;
  /** How much of the recording stays in memory. Default: ten minutes. */
  keepUs?: number;
  /**
   * The controllers that shadow each received stream. Default: GCC, NADA and LCC with the presets for live
   * calls.
   */
  controllers?: readonly ShadowController[];
}

/** Ten minutes. */
export const KEPT_US = 600e6;
/** How many incidents a view shows. */
const SHOWN_INCIDENTS = 100;
/** The length of the record: the latest two minutes. Only this time is searched for the causes of incidents. */
export const JUDGED_US = 120e6;

export const ALL_CONTROLLERS: readonly ShadowController[] = [
  SHADOW,
  { controller: 'nada', preset: 'nada-live' },
  { controller: 'lcc', preset: 'lcc-live' },
];

/** The state of a connection for views. */
export interface ConnectionState {
  endpoint: number;
  page: number;
  place: EndpointRecord['place'];
  /** The URL of the document that created the connection. */
  url: string;
  state: RTCPeerConnectionState;
  /** The types and protocols of the selected candidates, such as `host/udp srflx/udp`. */
  route: string;
  /**
   * `window`: the window (page, iframe or popup) of the connection, named as in `PageBatch.window`. `number`:
   * the number of the connection in that window. Actions on the connection need both.
   */
  window: string;
  number: number;
  rttMs: number;
  availableOutgoingBps: number;
  /** How the frames of received video are timed. */
  frameSource: EndpointRecord['frameSource'];
  notices: readonly RecordNotice[];
}

/** The state for views, apart from the charts. It changes slowly enough to be sent as a whole, twice a second. */
export interface WatchState {
  timeUs: number;
  connections: readonly ConnectionState[];
  streams: readonly StreamState[];
  /** The latest incidents, in the order in which they were noticed. */
  incidents: readonly Incident[];
  notices: readonly RecordNotice[];
}

export class Watch {
  readonly record: CallRecord;
  readonly #recording: Recording;
  readonly #loose: LooseBatches;
  readonly #streams: Streams;
  readonly #shadows: Shadows;
  readonly #lossShadows: LossShadows;
  readonly #endpoints: Endpoints;
  readonly #keeper: Keeper;
  readonly #log: IncidentLog;
  readonly #recorded = new Set<number>();
  /** For each endpoint, the time of the latest processed sample. */
  readonly #seen = new Map<number, number>();
  /** For each endpoint, the number of processed actions. */
  readonly #acted = new Map<number, number>();
  /** The drivers, by endpoint and mid. */
  readonly #drivers = new Map<string, { endpoint: number; mid: string; driver: Driver }>();
  readonly #load: () => Promise<Core>;
  #core: Promise<Core> | null = null;
  #flows = 0;
  #nowUs = 0;
  /** The number of recorded notices that belong to no endpoint. */
  #notices = 0;

  constructor({ originEpochMs, load, keepUs = KEPT_US, controllers = ALL_CONTROLLERS }: WatchOptions) {
    this.record = {
      originEpochMs,
      pages: [],
      endpoints: [],
      connections: [],
      link: null,
      shadows: [],
      late: [],
      notices: [],
    };
    this.#load = () => (this.#core ??= load());
    this.#lossShadows = new LossShadows(this.#load);
    this.#streams = new Streams(() => this.#flows++);
    const flowOf = (endpoint: number, ssrc: number): number =>
      this.#streams.flowOf(endpoint, 'receive', ssrc);
    this.#recording = new Recording(originEpochMs, keepUs, flowOf);
    this.#loose = new LooseBatches(this.record);
    this.#shadows = new Shadows(this.record, {
      controllers,
      load: this.#load,
      // A sender in the same page is ignored: the rows of the receiver's flow do not contain the sender's counts, so
      // a replay would give other results.
      knowsSenders: false,
      flowsOf: (endpoint, ssrc, count) => [
        flowOf(endpoint, ssrc),
        ...Array.from({ length: count - 1 }, () => this.#flows++),
      ],
      onRows: (batches) => this.#recording.rows(batches),
    });
    this.#endpoints = new Endpoints(this.record, undefined, this.#shadows);
    // This keeper limits only the record. The recording covers a longer time, and limits its own size.
    this.#keeper = new Keeper(this.record, JUDGED_US, this.#shadows, false);
    this.#log = new IncidentLog(this.record);
  }

  /** Processes a batch from the observer in a window (page, iframe or popup). */
  hear(batch: PageBatch, place: WindowPlace): void {
    this.#nowUs = Math.max(this.#nowUs, batch.timeUs);
    this.#recording.hear(batch, place);
    this.#page(place.page, batch.url);
    this.#endpoints.hear(batch, place);
    for (const { endpoint, ssrc, flows } of this.record.shadows)
      this.#streams.shadowed(endpoint, ssrc, flows);
    for (const endpoint of this.record.endpoints) {
      this.#sampled(endpoint);
      this.#actedOn(endpoint);
    }
    for (const incident of this.#log.update()) this.#incident(incident);
    this.#noticed();
    this.#recording.heard(batch, place, this.#streams.states);
    this.#loose.advance(this.#nowUs);
    this.#keeper.advance(this.#nowUs);
  }

  /** Records new notices that belong to no endpoint. */
  #noticed(): void {
    for (const notice of this.record.notices.slice(this.#notices)) this.#recording.notice(notice);
    this.#notices = this.record.notices.length;
  }

  #page(page: number, url: string): void {
    const known = this.record.pages.find(({ id }) => id === page);
    if (known === undefined) this.record.pages.push({ id: page, context: 0, url, ended: null });
    else known.url = url;
  }

  /** Processes the new samples of an endpoint. */
  #sampled(endpoint: EndpointRecord): void {
    const seenUs = this.#seen.get(endpoint.id) ?? -Infinity;
    for (const sample of endpoint.samples) if (sample.timeUs > seenUs) this.#sample(endpoint, sample);
    this.#seen.set(endpoint.id, endpoint.samples.at(-1)?.timeUs ?? seenUs);
    if (endpoint.states.at(-1)?.state !== 'closed') return;
    this.#streams.end(endpoint.id);
    this.#lossShadows.end(endpoint.id);
    for (const { endpoint: id, mid } of this.#drivers.values())
      if (id === endpoint.id) this.endDrive(id, mid);
  }

  /** Processes the new actions on an endpoint. */
  #actedOn({ id, actions = [] }: EndpointRecord): void {
    for (const { timeUs, action, result } of actions.slice(this.#acted.get(id) ?? 0)) {
      // The event has only these three fields, since none of them identifies anybody. The rest of the action is
      // in the line of the page's message, with aliases.
      const detail = { endpoint: id, kind: action.kind, ok: result.ok };
      this.#recording.event({ time_us: timeUs, name: 'action', detail });
      if (!result.ok) continue;
      this.#streams.acted(id, action.target, result.inForce);
      const isDriven = result.inForce.some(({ kind }) => kind === 'drive');
      if (action.target.direction === 'send' && !isDriven) this.endDrive(id, action.target.mid);
    }
    this.#acted.set(id, actions.length);
  }

  #sample(endpoint: EndpointRecord, sample: StatsSample): void {
    const rows: TraceBatch[] = [];
    const sent = sample.outbound.map((stats) => ({
      stats,
      ...this.#streams.sent(endpoint, sample, stats),
    }));
    this.#lossShadows.see(endpoint, sample, sentBySection(sent));
    for (const { stats, flow, rateBps } of sent) {
      const isVideo = stats.kind === 'video';
      const lossBasedBps = isVideo ? this.#lossShadows.targetBps(endpoint.id, stats.mid) : NaN;
      rows.push(sentRow(flow, sample, stats, rateBps, lossBasedBps));
    }
    for (const stats of sample.inbound) {
      const { flow, rateBps } = this.#streams.received(endpoint, sample, stats);
      rows.push(receivedRow(flow, sample, rateBps));
    }
    for (const { endpoint: id, mid, driver } of this.#drivers.values()) {
      if (id !== endpoint.id) continue;
      driver.see(
        sample,
        sample.outbound.filter((stats) => stats.mid === mid),
      );
      rows.push(...driver.takeRows());
      if (driver.hasFailed) this.endDrive(id, mid);
    }
    this.#streams.missing(endpoint, sample);
    this.#recording.rows(rows);
  }

  /**
   * Records an incident once its cause is known. The evidence text is left out, since it may contain names
   * that the page chose. The text can be computed again from the recording.
   */
  #incident(incident: Incident): void {
    const { id, fromUs, kind, stream, before, after, cause, settled } = incident;
    if (!settled || this.#recorded.has(id)) return;
    this.#recorded.add(id);
    const flow = this.#flowOf(stream);
    const detail = { kind, flow, before, after, cause: cause.kind };
    this.#recording.event({ time_us: fromUs, name: 'incident', detail });
  }

  /** Returns the flow of a stream in the recording; with simulcast, the flow of the first layer. */
  #flowOf({ endpoint, direction, key }: Incident['stream']): number | null {
    const found = this.#streams.states.find(
      (state) =>
        state.endpoint === endpoint &&
        state.direction === direction &&
        (direction === 'send' ? state.mid : String(state.ssrc)) === key,
    );
    return found?.flow ?? null;
  }

  /**
   * Starts a driver, a controller that computes a rate limit for a sent media section. Rejects with the core's
   * errors.
   */
  async drive(endpoint: number, mid: string, startBps: number): Promise<void> {
    const core = await this.#load();
    this.endDrive(endpoint, mid);
    const driver = new Driver(core, this.#flows++, startBps);
    this.#drivers.set(`${endpoint} ${mid}`, { endpoint, mid, driver });
  }

  /** Returns the rate that the driver of a media section sets now, in bit/s; null without a driver. */
  drivenBps(endpoint: number, mid: string): number | null {
    return this.#drivers.get(`${endpoint} ${mid}`)?.driver.targetBps ?? null;
  }

  endDrive(endpoint: number, mid: string): void {
    const key = `${endpoint} ${mid}`;
    this.#drivers.get(key)?.driver.destroy();
    this.#drivers.delete(key);
  }

  /** To be called when a document no longer exists. Its connections have also ended. */
  windowEnded(window: string): void {
    this.#recording.windowEnded(window, this.#nowUs);
    this.#endpoints.windowEnded(window, this.#nowUs);
    for (const endpoint of this.record.endpoints) this.#sampled(endpoint);
    for (const incident of this.#log.update()) this.#incident(incident);
  }

  /** Records an event. Its detail must not contain anything that identifies people. */
  event(event: TraceEvent): void {
    this.#recording.event(event);
  }

  /** Records a bookmark: the current time with the user's comment. */
  bookmark(text: string): void {
    this.#recording.bookmark(this.#nowUs, text);
  }

  /** Returns the recording as the parts of a file in trace format v1. */
  export(options?: ExportOptions): Exported {
    return this.#recording.export(options);
  }

  get recordingSize(): RecordingSize {
    return this.#recording.size;
  }

  /**
   * Sets the function that receives each segment of the recording that leaves memory. Without it, these
   * segments are lost.
   */
  set spill(spill: Spill | null) {
    this.#recording.spill = spill;
  }

  get state(): WatchState {
    const { endpoints, notices } = this.record;
    return {
      timeUs: this.#nowUs,
      connections: endpoints.map((endpoint) => connectionState(endpoint, this.#endpoints.homeOf(endpoint))),
      streams: this.#streams.states,
      incidents: this.#log.incidents.slice(-SHOWN_INCIDENTS),
      notices,
    };
  }

  /** Returns rows to draw. Throws RangeError if the table or column does not exist. */
  view(query: ViewQuery): TraceView {
    return this.#recording.view(query);
  }

  extent(): TraceExtent {
    return this.#recording.extent();
  }

  /** Resolves when the controllers have processed everything reported so far. Never rejects. */
  settled(): Promise<void> {
    return this.#shadows.settled();
  }

  close(): void {
    for (const { endpoint, mid } of this.#drivers.values()) this.endDrive(endpoint, mid);
    this.#lossShadows.close();
    this.#shadows.close();
  }
}

/** Returns the video sending rate of each media section, by mid. NaN while the rate of a layer is unknown. */
function sentBySection(streams: readonly StreamState[]): Map<string, number> {
  const sections = new Map<string, number>();
  for (const { kind, mid, rateBps } of streams)
    if (kind === 'video') sections.set(mid, (sections.get(mid) ?? 0) + rateBps);
  return sections;
}

function connectionState(
  { id, page, place, url, states, samples, frameSource, notices }: EndpointRecord,
  home: { window: string; number: number } | null,
): ConnectionState {
  const last = samples.at(-1);
  return {
    endpoint: id,
    page,
    place,
    url,
    state: states.at(-1)?.state ?? 'new',
    route: last?.route ?? '',
    window: home?.window ?? '',
    number: home?.number ?? NaN,
    rttMs: (last?.rttS ?? NaN) * 1e3,
    availableOutgoingBps: last?.availableOutgoingBps ?? NaN,
    frameSource,
    notices,
  };
}
