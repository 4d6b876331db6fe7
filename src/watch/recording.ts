/**
 * The recording that a Watch makes: a trace in format v1. It contains the reports of pages, line by line, and
 * the rows of the shadow controllers. `record_reader.ts` can restore the record of the call from the recording,
 * for instance to explain incidents again. If the recording is replayed, the controllers produce the same rows
 * again. Aliases replace everything that identifies people, see `aliases.ts`.
 */
import type { TraceBatch, TraceEvent } from '../core/index.js';
import type { WindowPlace } from '../calls/record/endpoints.js';
import type { RecordNotice } from '../calls/record/record.js';
import { SHADOW } from '../calls/record/shadow_flow.js';
import { sectionOf, type Action, type PageBatch, type PageMessage } from '../inject/protocol.js';
import {
  formatHeader,
  TRACE_VERSION,
  type RecordedFlow,
  type TraceExtent,
  type TraceHeader,
  type TraceView,
  type ViewQuery,
} from '../trace/index.js';
import { Aliases, type Identifiers } from './aliases.js';
import { rowsOfLines } from './frame_lines.js';
import { LateFrames } from './late_frames.js';
import { messageLine, otherLine } from './message_lines.js';
import { TraceRing, type Spilled } from './ring.js';
import type { StreamState } from './streams.js';

/** A stream, as the header of a recording describes it. */
export interface RecordedStream extends RecordedFlow {
  endpoint: number;
  direction: StreamState['direction'];
  /** The alias of the stream's SSRC. */
  ssrc: number;
}

export interface ExportOptions {
  /**
   * Exports only the latest part of the recording. The part begins at the start of a segment, so it may be
   * longer than `lastUs`. It contains only segments that are still in memory. Default: everything.
   */
  lastUs?: number;
  /** Whether the header contains the original values of the aliases. Default: false. */
  identifiers?: boolean;
  /** The oldest segment that is stored outside memory; null if no segment is stored. */
  keptFrom?: { number: number; fromUs: number } | null;
}

/**
 * The parts of a file. The file consists of `before`, then the segments that are stored elsewhere (beginning
 * with number `first`), then `after`.
 */
export interface Exported {
  before: string;
  /** The number of the first segment in the file. */
  first: number;
  after: Iterable<string>;
}

/** The size of a recording. */
export interface RecordingSize {
  /** The time from the beginning of the recording until now. */
  lengthUs: number;
  /** Approximate length of the lines that are in memory. */
  lineBytes: number;
  memoryBytes: number;
  bookmarks: number;
}

/**
 * A line that is needed to understand later lines of its endpoint. A file contains this line even if its other
 * lines begin later.
 */
interface Lasting {
  segment: number;
  /** Null if the line belongs to no endpoint. */
  endpoint: number | null;
  /** Whether the line reports that the endpoint is closed. */
  closes: boolean;
  /** The successful action that the line reports; null if it reports something else. */
  done: Done | null;
  text: string;
}

/** A successful action. */
interface Done {
  /** Identifies the media section in the recording. */
  section: string;
  kind: Action['kind'];
  /** Whether any action on the media section is in force afterwards. */
  isAnyInForce: boolean;
}

const LASTING: ReadonlySet<string> = new Set([
  ...['endpoint', 'state', 'local', 'remote', 'source', 'notice', 'action'],
]);
type ActionMessage = Extract<PageMessage, { type: 'action' }>;

const CHUNK_LENGTH = 256 * 1024;

export class Recording {
  readonly #ring: TraceRing;
  readonly #aliases = new Aliases();
  /** For each window, maps the endpoints' numbers in that window to their ids in the recording. */
  readonly #ids = new Map<string, Map<number, number>>();
  readonly #late = new Map<number, LateFrames>();
  readonly #streams = new Map<number, StreamState>();
  #lasting: Lasting[] = [];
  #endpoints = 0;
  #fromUs: number | null = null;
  #nowUs = 0;
  #bookmarks = 0;

  constructor(
    private readonly originEpochMs: number,
    keepUs: number,
    /** Returns the flow of a received stream. */
    private readonly flowOf: (endpoint: number, ssrc: number) => number,
  ) {
    this.#ring = new TraceRing(keepUs);
  }

  /** Sets the function that receives each segment that leaves memory. Without it, these segments are lost. */
  set spill(spill: ((segment: Spilled) => void) | null) {
    this.#ring.spill = spill;
  }

  /** Records a batch. Then the caller appends the rows that result from the batch, and calls `heard`. */
  hear({ window, url, timeUs, messages }: PageBatch, { page, place }: WindowPlace): void {
    this.#fromUs ??= timeUs;
    this.#nowUs = Math.max(this.#nowUs, timeUs);
    const { first } = this.#ring;
    this.#ring.advance(this.#nowUs);
    if (this.#ring.spill === null && this.#ring.first > first) this.#forgetBefore(this.#ring.first);
    const ids = this.#ids.get(window) ?? new Map<number, number>();
    this.#ids.set(window, ids);
    for (const message of messages) {
      if (message.type === 'late') {
        this.#ring.line(messageLine(message, NaN, this.#aliases));
        continue;
      }
      if (message.type === 'endpoint') ids.set(message.endpoint, this.#endpoints++);
      const id = ids.get(message.endpoint);
      if (id === undefined) continue;
      if (message.type === 'frames') {
        this.#frames(id, message.rows);
        continue;
      }
      const where = message.type === 'endpoint' ? { ...message, page, place, url } : message;
      this.#message(where, id);
    }
  }

  #message(message: PageMessage, endpoint: number): void {
    const text = messageLine(message, endpoint, this.#aliases);
    this.#ring.line(text);
    if (!LASTING.has(message.type)) return;
    const closes = message.type === 'state' && message.state === 'closed';
    const done = message.type === 'action' ? doneBy(message, endpoint) : null;
    // An action that was refused has changed nothing.
    if (message.type === 'action' && done === null) return;
    this.#lasting.push({ segment: this.#ring.newest, endpoint, closes, done, text });
  }

  #frames(id: number, rows: readonly number[]): void {
    for (const part of rowsOfLines(rows)) this.#message({ type: 'frames', endpoint: id, rows: part }, id);
    this.#lateFrames(id, rows);
  }

  #lateFrames(endpoint: number, rows: readonly number[]): void {
    const frames = this.#late.get(endpoint) ?? new LateFrames();
    this.#late.set(endpoint, frames);
    for (const { ssrc, rtpTimestamp, arrivalUs, overtakenUs } of frames.see(rows)) {
      const detail = {
        flow: this.flowOf(endpoint, ssrc),
        rtp_timestamp: rtpTimestamp,
        overtaken_by_us: arrivalUs - overtakenUs,
      };
      this.#ring.event({ time_us: arrivalUs, name: 'late_frame', detail });
    }
  }

  /** Completes a batch. To be called after all rows that result from the batch were appended. */
  heard({ url, timeUs }: PageBatch, { page }: WindowPlace, streams: readonly StreamState[]): void {
    for (const stream of streams) this.#streams.set(stream.flow, stream);
    this.#ring.line(otherLine('heard', { timeUs, page, url }, this.#aliases));
  }

  /** To be called when a document no longer exists. Records that its connections are closed. */
  windowEnded(window: string, timeUs: number): void {
    for (const id of this.#ids.get(window)?.values() ?? []) {
      const message = { type: 'state', endpoint: id, timeUs, state: 'closed' } as const;
      this.#message(message, id);
      this.#late.delete(id);
    }
    this.#ids.delete(window);
  }

  /** Records a notice that belongs to no endpoint. */
  notice(notice: RecordNotice): void {
    const text = otherLine('notice', { notice }, this.#aliases);
    this.#ring.line(text);
    this.#lasting.push({ segment: this.#ring.newest, endpoint: null, closes: false, done: null, text });
  }

  rows(batches: readonly TraceBatch[]): void {
    for (const batch of batches) this.#ring.append(batch);
  }

  event(event: TraceEvent): void {
    this.#ring.event(event);
  }

  /** Records a bookmark: a time with the user's comment. */
  bookmark(timeUs: number, text: string): void {
    this.#bookmarks += 1;
    const detail = { text: text === '' ? `bookmark ${this.#bookmarks}` : text };
    this.event({ time_us: Math.round(timeUs), name: 'bookmark', detail });
  }

  view(query: ViewQuery): TraceView {
    return this.#ring.view(query);
  }

  extent(): TraceExtent {
    return this.#ring.extent();
  }

  get size(): RecordingSize {
    return {
      lengthUs: this.#nowUs - (this.#fromUs ?? this.#nowUs),
      lineBytes: Math.round(this.#ring.lineBytes),
      memoryBytes: this.#ring.memoryBytes + this.#lasting.reduce((sum, { text }) => sum + text.length, 0),
      bookmarks: this.#bookmarks,
    };
  }

  /** Returns the recording as the parts of a file. */
  export({ lastUs = Infinity, identifiers = false, keptFrom = null }: ExportOptions = {}): Exported {
    const oldest = { number: this.#ring.first, fromUs: this.#ring.fromUs ?? 0 };
    const begin = Number.isFinite(lastUs) ? this.#ring.from(this.#nowUs - lastUs) : (keptFrom ?? oldest);
    const header = formatHeader(this.#header(begin, identifiers));
    const lasting = this.#lastingBefore(begin.number);
    return {
      before: [header, ...lasting.map(({ text }) => text)].map((text) => `${text}\n`).join(''),
      first: begin.number,
      after: chunks(this.#ring.lines(begin.number)),
    };
  }

  #header(begin: { number: number; fromUs: number }, withIdentifiers: boolean): TraceHeader {
    const identifiers: { identifiers?: Identifiers } = withIdentifiers
      ? { identifiers: this.#aliases.identifiers }
      : {};
    return {
      ccscope_trace: TRACE_VERSION,
      created: new Date(this.originEpochMs + this.#nowUs / 1000).toISOString(),
      source: 'inject',
      clock: 'receiver',
      origin_epoch_ms: this.originEpochMs,
      ...SHADOW,
      // Segments are numbered from 0: if the file begins with segment 0, nothing is missing.
      ...(begin.number > 0 && { cut_before_us: begin.fromUs }),
      ...identifiers,
      flows: this.#flows(),
    };
  }

  #flows(): RecordedStream[] {
    const counts = new Map<string, number>();
    const streams = [...this.#streams.values()].sort((a, b) => a.flow - b.flow);
    return streams.flatMap(({ flow, endpoint, direction, kind, ssrc, shadows }) => {
      const what = `${direction === 'send' ? 'sends' : 'receives'} ${kind}`;
      const count = (counts.get(what) ?? 0) + 1;
      counts.set(what, count);
      const name = `${what} ${count}`;
      const of = { endpoint, direction, ssrc: this.#aliases.ssrc(ssrc) };
      const [first, ...others] = shadows;
      if (first === undefined)
        return [{ flow, name, kind: direction === 'send' ? 'sent' : 'received', ...of }];
      const { controller, preset } = first;
      return [
        { flow, name: `${name}, ${controller.toUpperCase()}`, kind: 'received', controller, preset, ...of },
        ...others.map((other) => ({
          ...{ flow: other.flow, name: `${name}, ${other.controller.toUpperCase()}`, kind: 'shadow' },
          ...{ controller: other.controller, preset: other.preset, of: flow, ...of },
        })),
      ];
    });
  }

  /** Returns the endpoints that were closed before this segment. */
  #endedBefore(before: number): Set<number> {
    const closed = this.#lasting.filter(({ segment, closes }) => closes && segment < before);
    return new Set(closed.flatMap(({ endpoint }) => (endpoint === null ? [] : [endpoint])));
  }

  /** Returns the lines from before a segment that are needed to understand the lines from this segment onwards. */
  #lastingBefore(before: number): Lasting[] {
    const ended = this.#endedBefore(before);
    return withoutReplaced(
      this.#lasting.filter(
        ({ segment, endpoint }) => segment < before && !(endpoint !== null && ended.has(endpoint)),
      ),
    );
  }

  /**
   * Forgets the endpoints that were closed, and the actions that were replaced, before segment `before`. To be called
   * when the segments before it can no longer be exported.
   */
  #forgetBefore(before: number): void {
    const gone = this.#endedBefore(before);
    const later = this.#lasting.filter(
      ({ segment, endpoint }) => segment >= before && !(endpoint !== null && gone.has(endpoint)),
    );
    this.#lasting = [...this.#lastingBefore(before), ...later];
    for (const [flow, { endpoint }] of this.#streams) if (gone.has(endpoint)) this.#streams.delete(flow);
    for (const endpoint of gone) this.#late.delete(endpoint);
  }
}

function doneBy({ action, result }: ActionMessage, endpoint: number): Done | null {
  if (!result.ok) return null;
  const section = sectionOf({ ...action.target, endpoint });
  return { section, kind: action.kind, isAnyInForce: result.inForce.length > 0 };
}

/**
 * Leaves out actions that are no longer in force: those that a later action of the same kind has replaced, and those on
 * a media section whose actions were all undone later. This also bounds the number of lines in long calls.
 */
function withoutReplaced(lines: readonly Lasting[]): Lasting[] {
  const later = new Set<string>();
  const undone = new Set<string>();
  const kept = [...lines].reverse().filter(({ done }) => {
    if (done === null) return true;
    const { section, kind, isAnyInForce } = done;
    const name = `${kind} ${section}`;
    if (later.has(name) || undone.has(section)) return false;
    later.add(name);
    if (!isAnyInForce) undone.add(section);
    return isAnyInForce;
  });
  return kept.reverse();
}

/**
 * Joins lines into chunks for writing to a file. Each chunk has at least CHUNK_LENGTH characters, except the
 * last chunk.
 */
function* chunks(lines: Iterable<string>): Generator<string, void> {
  let chunk = '';
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
