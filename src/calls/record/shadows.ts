/**
 * The shadows of a call. Each received video stream has a shadow: controllers that watch the stream without
 * controlling it.
 */
import { loadCore, type Core, type TraceBatch } from '../../core/index.js';
import type { PageMessage } from '../../inject/protocol.js';
import { NO_LAYER, NUMBERS_PER_FRAME } from '../../inject/protocol.js';
import type { CallRecord, EndpointRecord, ShadowRecord, StatsSample } from './record.js';
import { StreamShadow } from './shadow.js';
import { SHADOW, type ShadowController } from './shadow_flow.js';

/** A stream that getStats has not listed for this long is gone. */
export const GONE_US = 10e6;

interface Shadow {
  record: ShadowRecord;
  stream: StreamShadow;
  /** When getStats last listed the stream; null if it has not listed the stream yet. */
  namedUs: number | null;
}

export interface ShadowsOptions {
  /** The controllers of each shadow; default: Chrome's. */
  controllers?: readonly ShadowController[];
  load?: () => Promise<Core>;
  /** Whether controllers also get the sender's counters, if the sender is under test. Default: true. */
  knowsSenders?: boolean;
  /** The flow numbers of a stream's controllers; default: consecutive numbers from 0. */
  flowsOf?: (endpoint: number, ssrc: number, count: number) => number[];
  /** Called with new rows, which are also in the record. */
  onRows?: (batches: TraceBatch[]) => void;
}

export class Shadows {
  /** The shadows by endpoint id, and then by the streams' SSRC. */
  readonly #all = new Map<number, Map<number, Shadow>>();
  #core: Promise<Core | null> | null = null;
  #loaded: Core | null = null;
  #failed = false;
  #closed = false;
  /** Work that waits until the core is loaded. */
  #waiting: (() => void)[] = [];

  readonly #options: Required<Pick<ShadowsOptions, 'controllers' | 'load' | 'knowsSenders' | 'flowsOf'>> &
    ShadowsOptions;
  #flows = 0;

  constructor(
    private readonly record: CallRecord,
    options: ShadowsOptions = {},
  ) {
    this.#options = {
      controllers: [SHADOW],
      load: loadCore,
      knowsSenders: true,
      flowsOf: (_endpoint, _ssrc, count) => Array.from({ length: count }, () => this.#flows++),
      ...options,
    };
  }

  /** Passes frames that an endpoint received to the controllers of their streams. */
  frames(endpoint: EndpointRecord, rows: Extract<PageMessage, { type: 'frames' }>['rows']): void {
    const mayMiss = endpoint.frameSource === 'elements';
    this.#whenLoaded(() => {
      for (let at = 0; at + NUMBERS_PER_FRAME <= rows.length; at += NUMBERS_PER_FRAME) {
        const [ssrc = 0, rtpTimestamp = 0, arrivalUs = 0, sizeBytes = 0, key, spatialIndex = NO_LAYER] =
          rows.slice(at, at + NUMBERS_PER_FRAME);
        const frame = { rtpTimestamp, arrivalUs, sizeBytes, keyFrame: key === 1, mayMiss, spatialIndex };
        this.#of(endpoint, ssrc)?.stream.frame(frame);
      }
    });
  }

  /**
   * Passes a sample of an endpoint's counters to the controllers; `mate` is the endpoint at the other end of
   * the connection.
   */
  sample(endpoint: EndpointRecord, mate: EndpointRecord | undefined, sample: StatsSample): void {
    this.#whenLoaded(() => {
      for (const shadow of this.#ofEndpoint(endpoint)) this.#received(endpoint, shadow, sample);
      if (mate !== undefined && this.#options.knowsSenders)
        for (const { stream } of this.#ofEndpoint(mate)) stream.sent(sample);
    });
  }

  /**
   * Passes a sample to a stream's controllers. Ends the controllers if the stream is gone (its sender left or changed
   * its SSRC).
   */
  #received({ id }: EndpointRecord, shadow: Shadow, sample: StatsSample): void {
    const { record, stream, namedUs } = shadow;
    stream.received(sample, record.ssrc);
    if (sample.inbound.some(({ ssrc }) => ssrc === record.ssrc)) shadow.namedUs = sample.timeUs;
    else if (namedUs !== null && sample.timeUs - namedUs > GONE_US) {
      stream.destroy();
      this.#all.get(id)?.delete(record.ssrc);
    }
  }

  /**
   * Runs an endpoint's shadows up to `untilUs`. All frames and samples until that time must have been passed
   * before.
   */
  advance(endpoint: EndpointRecord, untilUs: number): void {
    this.#whenLoaded(() => {
      for (const { record, stream } of this.#ofEndpoint(endpoint)) {
        const batches = stream.advance(untilUs);
        record.batches.push(...batches);
        this.#options.onRows?.(batches);
      }
    });
  }

  /** To be called when an endpoint is gone: ends its shadows. Their rows stay in the record. */
  end({ id }: EndpointRecord): void {
    this.#whenLoaded(() => {
      for (const { stream } of this.#all.get(id)?.values() ?? []) stream.destroy();
      this.#all.delete(id);
    });
  }

  #ofEndpoint({ id }: EndpointRecord): Iterable<Shadow> {
    return this.#all.get(id)?.values() ?? [];
  }

  #of({ id }: EndpointRecord, ssrc: number): Shadow | undefined {
    const streams = this.#all.get(id) ?? new Map<number, Shadow>();
    const existing = streams.get(ssrc);
    if (existing !== undefined || this.#loaded === null) return existing;
    const { controllers, flowsOf } = this.#options;
    const numbers = flowsOf(id, ssrc, controllers.length);
    const flows = controllers.map((controller, i) => ({ ...controller, flow: numbers[i] ?? NaN }));
    const record = { flow: flows[0]?.flow ?? NaN, endpoint: id, ssrc, flows, batches: [] };
    const shadow = { record, stream: new StreamShadow(this.#loaded, flows), namedUs: null };
    this.record.shadows.push(record);
    streams.set(ssrc, shadow);
    this.#all.set(id, streams);
    return shadow;
  }

  #whenLoaded(work: () => void): void {
    if (this.#failed || this.#closed) return;
    this.#waiting.push(work);
    if (this.#loaded !== null) this.#catchUp();
    else this.#core ??= this.#load();
  }

  async #load(): Promise<Core | null> {
    this.#loaded = await this.#options.load().catch(() => null);
    if (this.#loaded === null)
      this.#fail('its module could not be loaded', 'reinstall ccscope, or run npm run build in a clone');
    else this.#catchUp();
    return this.#loaded;
  }

  #catchUp(): void {
    const due = this.#waiting;
    this.#waiting = [];
    try {
      for (const work of due) work();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#fail(why, 'save the recording, and report this error with it');
    }
  }

  #fail(why: string, fix: string): void {
    this.#failed = true;
    this.#waiting = [];
    this.record.notices.push({
      level: 'warning',
      code: 'shadow-failed',
      message: `A controller that runs beside the call failed (${why}): its rows end here, and everything else continues.`,
      fix,
    });
  }

  /** Resolves when everything reported so far has been processed. Never rejects. */
  async settled(): Promise<void> {
    await this.#core;
  }

  close(): void {
    this.#closed = true;
    if (this.#failed) return;
    for (const streams of this.#all.values()) for (const { stream } of streams.values()) stream.destroy();
  }
}
