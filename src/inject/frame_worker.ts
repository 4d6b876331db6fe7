/**
 * The worker that runs the transforms of received video. It records each frame and passes the frame on. An
 * error in this worker's own code must not stop the frames.
 */
import { TickLateness } from '../machine/tick_lateness.js';
import { disagreementMs } from './clocks.js';
import {
  TICK_MS,
  type FrameWorkerAnswer,
  type FrameWorkerOptions,
  type FrameWorkerRequest,
  type LateTick,
} from './frame_protocol.js';
import { NO_LAYER } from './protocol.js';

/** The metadata of Chromium and Firefox has more fields than TypeScript declares. */
interface Metadata {
  synchronizationSource?: number;
  rtpTimestamp?: number;
  /** Arrival of the frame's last packet, in milliseconds since this worker's time origin. */
  receiveTime?: number;
  /** The frame's layers (webrtc-svc). */
  spatialIndex?: number;
  temporalIndex?: number;
}
interface Frame {
  readonly type: string;
  readonly timestamp: number;
  readonly data: ArrayBuffer;
  getMetadata(): Metadata;
}
interface Transformer {
  readonly readable: ReadableStream<Frame>;
  readonly writable: WritableStream<Frame>;
  readonly options: FrameWorkerOptions;
}

/** At most this many reports of late ticks, one for each second, are kept until the next request. */
const MOST_LATE = 60;

let noted = new Map<number, number[]>();
let late: LateTick[] = [];
let ticking: ReturnType<typeof setInterval> | undefined;
let notes = true;
let lateness = new TickLateness(TICK_MS);
/**
 * By how much this worker's clock was ahead of the page's when a request arrived. The least is kept, since the delay of
 * the request only makes it larger.
 */
let leadMs = Infinity;

/** This worker's time origin on the page's clock. */
const originMs = (): number => performance.timeOrigin - (leadMs === Infinity ? 0 : disagreementMs(leadMs));

function tick(): void {
  if (!notes) return;
  const nowMs = performance.now();
  const lateMs = lateness.tick(nowMs);
  if (lateMs !== null && late.length < MOST_LATE) late.push([originMs() + nowMs, lateMs]);
}

function note(frame: Frame, { endpoint, originEpochMs }: FrameWorkerOptions): void {
  const now = performance.now();
  const {
    synchronizationSource = 0,
    rtpTimestamp = frame.timestamp,
    receiveTime = now,
    spatialIndex = NO_LAYER,
    temporalIndex = NO_LAYER,
  } = frame.getMetadata();
  const arrivalUs = Math.round((originMs() + receiveTime - originEpochMs) * 1000);
  let rows = noted.get(endpoint);
  if (rows === undefined) noted.set(endpoint, (rows = []));
  rows.push(
    synchronizationSource,
    rtpTimestamp,
    arrivalUs,
    frame.data.byteLength,
    frame.type === 'key' ? 1 : 0,
    spatialIndex,
    temporalIndex,
  );
}

async function pass({ readable, writable, options }: Transformer): Promise<void> {
  const reader = readable.getReader();
  const writer = writable.getWriter();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    try {
      if (notes) note(value, options);
    } catch {
      // A frame that cannot be recorded must still be passed on.
    }
    await writer.write(value);
  }
}

addEventListener('rtctransform', (event) => {
  const { transformer } = event as Event & { transformer: Transformer };
  ticking ??= setInterval(tick, TICK_MS);
  // The streams end with the connection, or when the page replaces the transform.
  pass(transformer).catch(() => undefined);
});

addEventListener('message', ({ data }: MessageEvent<FrameWorkerRequest>) => {
  // The time of a pause is no lateness.
  if (!notes && data.notes === true) lateness = new TickLateness(TICK_MS);
  notes = data.notes ?? notes;
  leadMs = Math.min(leadMs, performance.timeOrigin + performance.now() - data.epochMs);
  const rows = [...noted];
  const answer: FrameWorkerAnswer = { id: data.id, rows, late };
  noted = new Map();
  late = [];
  postMessage(answer);
});
