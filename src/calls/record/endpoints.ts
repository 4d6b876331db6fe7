/** Writes the pages' reports about their connections to the record. */
import {
  NUMBERS_PER_FRAME,
  type PageBatch,
  type PageMessage,
  type RelayAddress,
  type RemoteSide,
} from '../../inject/protocol.js';
import { addFrames, frameColumns } from './columns.js';
import { join, mateOf } from './connections.js';
import { FreezeFinder } from './freezes.js';
import type { CallRecord, EndpointRecord, StatsSample } from './record.js';
import type { Shadows } from './shadows.js';
import { sourceOf, Sources } from './sources.js';

/**
 * The part of a link's interface that this file uses: the relay's address, and the methods that inform the
 * link about its connections.
 */
interface ToldLink {
  readonly relay?: RelayAddress;
  local?(ufrag: string, page: number): void;
  remote?(side: RemoteSide): void;
}

interface Known {
  record: EndpointRecord;
  freezes: FreezeFinder;
  /** SSRCs of the streams for which at least one frame was reported. */
  framed: Set<number>;
  /**
   * How many frames of each stream were already decoded when the stream was first seen. If the observer started
   * late, its transform cannot have reported these frames.
   */
  decodedBefore: Map<number, number>;
}

/** The page of a browser window, and whether the window is the page itself, an iframe or a popup. */
export interface WindowPlace {
  page: number;
  place: EndpointRecord['place'];
}

type Message<T extends PageMessage['type']> = Extract<PageMessage, { type: T }>;

/**
 * With the frame source `elements`, a frame is reported only when it is shown, normally at most this long after
 * its arrival. The shadows (controllers that only watch) are delayed by this time, so that they get the frames
 * in the order of arrival.
 */
const SHOWN_LATE_US = 500_000;

/**
 * If this many frames of a stream are decoded but the transform has reported none, the browser is assumed never to
 * call the transform.
 */
const PATIENCE_FRAMES = 30;

/**
 * Falls back to getStats for an endpoint whose transform is never called: browsers silently ignore a
 * transform that is set too late.
 */
function checkFrames({ record, framed, decodedBefore }: Known, { inbound }: StatsSample): void {
  if (record.frameSource !== 'transform') return;
  for (const { ssrc, framesDecoded } of inbound)
    if (!decodedBefore.has(ssrc)) decodedBefore.set(ssrc, framesDecoded);
  const unseen = inbound.some(
    ({ kind, framesDecoded, ssrc }) =>
      kind === 'video' &&
      framesDecoded - (decodedBefore.get(ssrc) ?? 0) > PATIENCE_FRAMES &&
      !framed.has(ssrc),
  );
  if (!unseen) return;
  record.frameSource = 'getStats';
  record.notices.push({
    level: 'warning',
    code: 'frames-unseen',
    message:
      'The browser passes no frames to the observer: they are not timed individually, and the record has only what getStats counts.',
    fix: 'start the observer before the page makes the connection: reload the page with ccscope loaded from the start, or, in a test, observe the context first',
  });
}

/** The notices about a connection that the observer could not reach. */
const UNREACHED: ReadonlySet<string> = new Set(['only-shown', 'only-receiver']);

/** The SSRCs in a `frames` message. */
const streamsOf = (rows: readonly number[]): number[] => rows.filter((_, i) => i % NUMBERS_PER_FRAME === 0);

const isClosed = ({ states }: EndpointRecord): boolean => states.at(-1)?.state === 'closed';

export class Endpoints {
  readonly #windows = new Map<string, Map<number, Known>>();
  readonly #locals = new Set<string>();
  readonly #sources = new Sources();

  constructor(
    private readonly record: CallRecord,
    private readonly link: ToldLink | undefined,
    private readonly shadows: Pick<Shadows, 'frames' | 'sample' | 'advance'>,
  ) {}

  hear({ window, url, timeUs, messages }: PageBatch, place: WindowPlace): void {
    const known = this.#windows.get(window) ?? new Map<number, Known>();
    this.#windows.set(window, known);
    const told = new Set<Known>();
    for (const message of messages) {
      if (message.type === 'late') {
        this.record.late.push({ timeUs: message.timeUs, lateMs: message.lateMs });
        continue;
      }
      if (message.type === 'endpoint') known.set(message.endpoint, this.#create(message, url, place));
      const endpoint = known.get(message.endpoint);
      if (endpoint === undefined) continue;
      told.add(endpoint);
      if (message.type !== 'endpoint') this.#apply(endpoint, message);
    }
    for (const { record } of told) join(this.record, record);
    for (const { record } of known.values())
      this.shadows.advance(record, record.frameSource === 'elements' ? timeUs - SHOWN_LATE_US : timeUs);
  }

  #create({ timeUs }: Message<'endpoint'>, url: string, { page, place }: WindowPlace): Known {
    const record: EndpointRecord = {
      id: this.record.endpoints.length,
      page,
      url,
      place,
      role: null,
      localUfrags: [],
      remoteUfrags: [],
      states: [{ timeUs, state: 'new' }],
      samples: [],
      frameSource: 'getStats',
      frames: frameColumns(),
      freezes: [],
      routed: null,
      notices: [],
    };
    this.record.endpoints.push(record);
    return { record, freezes: new FreezeFinder(record.freezes), framed: new Set(), decodedBefore: new Map() };
  }

  #apply(known: Known, message: Exclude<PageMessage, { type: 'endpoint' | 'late' }>): void {
    const { record } = known;
    switch (message.type) {
      case 'state':
        if (!isClosed(record)) record.states.push({ timeUs: message.timeUs, state: message.state });
        if (isClosed(record)) this.#sources.gone(record.id);
        break;
      case 'local':
        this.#local(record, message);
        break;
      case 'remote':
        for (const side of message.sides) this.#remote(record, side);
        break;
      case 'sample':
        this.#sample(known, message.sample);
        break;
      case 'frames':
        addFrames(record.frames, message.rows);
        streamsOf(message.rows).forEach((ssrc) => known.framed.add(ssrc));
        this.shadows.frames(record, message.rows);
        break;
      case 'source':
        record.frameSource = message.source;
        break;
      case 'notice':
        record.notices.push(message.notice);
        break;
      case 'action': {
        const { timeUs, action, result } = message;
        (record.actions ??= []).push({ timeUs, action, result });
        break;
      }
    }
  }

  #local(record: EndpointRecord, { role, ufrags }: Message<'local'>): void {
    // A connection that reports its own fragments has been reached by the observer. So the notices about an unreached
    // connection are removed.
    record.notices = record.notices.filter(({ code }) => !UNREACHED.has(code));
    record.role ??= role;
    for (const ufrag of ufrags) {
      if (record.localUfrags.includes(ufrag)) continue;
      record.localUfrags.push(ufrag);
      this.#locals.add(ufrag);
      this.link?.local?.(ufrag, record.page);
    }
  }

  #remote(record: EndpointRecord, side: RemoteSide): void {
    const { ufrag } = side;
    if (!record.remoteUfrags.includes(ufrag)) record.remoteUfrags.push(ufrag);
    if (!this.#locals.has(ufrag)) this.link?.remote?.(side);
  }

  #sample(known: Known, sample: StatsSample): void {
    const { record, freezes } = known;
    record.samples.push(sample);
    if (this.link?.relay !== undefined && sample.bytesSent + sample.bytesReceived > 0)
      record.routed = !(sample.outsideBytesSent + sample.outsideBytesReceived > 0);
    const mate = mateOf(this.record, record.id);
    this.#sources.see(record.id, sample);
    const latest = mate?.samples.at(-1);
    freezes.see(sample, (ssrc) => (mate === undefined ? this.#sources.all : sourceOf(latest, ssrc)));
    this.shadows.sample(record, mate, sample);
    checkFrames(known, sample);
  }

  /** The browser window of an endpoint, and the number of the endpoint in that window. */
  homeOf({ id }: EndpointRecord): { window: string; number: number } | null {
    for (const [window, known] of this.#windows)
      for (const [number, { record }] of known) if (record.id === id) return { window, number };
    return null;
  }

  /** To be called when a window's document is gone: its connections are then closed. */
  windowEnded(window: string, timeUs: number): void {
    for (const { record } of this.#windows.get(window)?.values() ?? []) {
      this.#sources.gone(record.id);
      if (!isClosed(record)) record.states.push({ timeUs, state: 'closed' });
    }
  }
}
