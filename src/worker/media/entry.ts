/**
 * The media worker: handles one side of one call. Frames flow through it as soon as a transform is attached;
 * control by the core begins with `start`. Errors must not stop the frames: an error in the core ends control
 * and is reported as a fault. From then on, frames pass without control; a receiver still removes trailers.
 */
import { expose } from 'comlink';
import { compileCore, CoreError } from '../../core/index.js';
import { CallClock, PageClock } from './clock.js';
import { attempt, message } from './errors.js';
import type { EncodedFrame, EncodedStreams, ScriptTransformer, TransformEvent } from './encoded.js';
import type { Pipeline } from './pipeline.js';
import {
  TICK_MS,
  type MediaConfig,
  type MediaWorkerApi,
  type Side,
  type TransformOptions,
} from './protocol.js';
import { ReceiverPipeline } from './receiver_pipeline.js';
import { Reporter } from './reporter.js';
import { SenderPipeline } from './sender_pipeline.js';
import { hasTrailer, TRAILER_BYTES } from './trailer.js';

const KEY_FRAME_RETRY_MS = 200;

let pipeline: Pipeline | null = null;
let reporter: Reporter | null = null;
let ticking: ReturnType<typeof setInterval> | undefined;
let transformer: ScriptTransformer | null = null;
let side: Side = 'sender';
let pageClock = new PageClock(new CallClock(0));
/** Aborted when the page ends control, perhaps while the core is still loading. */
let control = new AbortController();

/** First sends the rows that the core can still deliver. Then ends control by the core. */
function stopPipeline(): void {
  const ended = pipeline;
  pipeline = null;
  if (ended === null) return;
  attempt(() => ended.flush());
  ended.release();
  attempt(() => ended.destroy());
}

function fail(error: unknown): void {
  if (pipeline === null) return;
  stopPipeline();
  reporter?.emit({ kind: 'fault', message: message(error) });
}

/**
 * Runs `work` on the pipeline, if there is one. A CoreError that names a field (an invalid value) is thrown to the
 * caller; any other error ends control and is reported as a fault.
 */
function withPipeline(work: (p: Pipeline) => void): void {
  const current = pipeline;
  if (current === null || reporter === null) return;
  try {
    reporter.measured(() => work(current));
  } catch (error) {
    if (error instanceof CoreError && error.field !== undefined) throw error;
    fail(error);
  }
}

/**
 * Removes an intact trailer from a received frame, even if the values in the trailer are unusable. A frame
 * without an intact trailer stays as it is.
 */
function strip(frame: EncodedFrame): void {
  const data = frame.data;
  if (hasTrailer(data)) frame.data = data.slice(0, data.byteLength - TRAILER_BYTES);
}

function onFrame(frame: EncodedFrame, passOn: (frame: EncodedFrame) => void): void {
  const passed = { on: false };
  const forward = (f: EncodedFrame) => {
    passed.on = true;
    if (side === 'receiver') strip(f);
    passOn(f);
  };
  const current = pipeline;
  if (current === null || reporter === null) {
    forward(frame);
    return;
  }
  try {
    reporter.measured(() => current.frame(frame, forward));
  } catch (error) {
    fail(error);
    if (!passed.on) forward(frame);
  }
}

/** Returns a function that takes each frame and requests key frames until a key frame has passed. */
function untilKeyFrame(): (frame: EncodedFrame) => void {
  let done = false;
  let askedMs = -Infinity;
  return ({ type }) => {
    done ||= type === 'key';
    if (done || performance.now() - askedMs < KEY_FRAME_RETRY_MS) return;
    askedMs = performance.now();
    requestKeyFrame();
  };
}

/**
 * Connects the streams, so that frames flow. `late` means that frames were already lost, so a key frame is
 * needed.
 */
function connect(streams: EncodedStreams, late: boolean): void {
  const repair = late ? untilKeyFrame() : undefined;
  const through = new TransformStream<EncodedFrame, EncodedFrame>({
    transform: (frame, controller) => {
      repair?.(frame);
      onFrame(frame, (f) => controller.enqueue(f));
    },
  });
  // The streams end with the connection. After that, there is nobody to whom an error could be reported.
  streams.readable
    .pipeThrough(through)
    .pipeTo(streams.writable)
    .catch(() => undefined);
}

/**
 * A receiver requests a key frame from the far side, and a sender from its own encoder. In Chromium, a worker
 * cannot request a key frame from an encoder, so the worker asks the page to do so.
 */
function requestKeyFrame(): void {
  const asked = side === 'sender' ? transformer?.generateKeyFrame?.() : transformer?.sendKeyFrameRequest?.();
  if (asked === undefined && side === 'sender') reporter?.emit({ kind: 'key-frame' });
  // The request is rejected while the encoder is not running yet, and when the connection is gone.
  asked?.catch(() => undefined);
}

async function start(config: MediaConfig, port: MessagePort): Promise<void> {
  const out = new Reporter(port);
  reporter = out;
  pageClock = new PageClock(new CallClock(config.originEpochMs));
  control = new AbortController();
  const { signal } = control;
  ticking ??= setInterval(() => {
    try {
      withPipeline((p) => p.tick());
    } catch (error) {
      // A tick has no caller who could handle an error, so every error, even a CoreError, is reported as a
      // fault.
      fail(error);
    }
    reporter?.tick();
  }, TICK_MS);
  const module = await compileCore(config.wasmUrl);
  const opened =
    config.side === 'sender'
      ? await SenderPipeline.open(module, config, { reporter: out, requestKeyFrame, failed: fail })
      : await ReceiverPipeline.open(module, config, out);
  if (signal.aborted) attempt(() => opened.destroy());
  else pipeline = opened;
}

function passThrough(): void {
  control.abort();
  stopPipeline();
}

const api: MediaWorkerApi = {
  ping: () => performance.timeOrigin + performance.now(),
  start,
  attachStreams: (whose, readable, writable) => {
    side = whose;
    connect({ readable, writable }, false);
  },
  inbound: ({ timeUs, ...counts }) =>
    withPipeline((p) => p.inbound?.({ timeUs: pageClock.toWorker(timeUs), ...counts })),
  sent: (report) => withPipeline((p) => p.sent?.(report)),
  feedback: (bytes) => withPipeline((p) => p.feedback?.(bytes)),
  receiverReport: (report) => withPipeline((p) => p.receiverReport?.(report)),
  setParameter: (name, value) => withPipeline((p) => p.setParameter(name, value)),
  setPreset: (name) => withPipeline((p) => p.setPreset(name)),
  setShadows: async (shadows) => pipeline?.setShadows(shadows),
  setBottleneck: (options) => withPipeline((p) => p.setBottleneck?.(options)),
  requestKeyFrame,
  passThrough,
};

addEventListener('rtctransform', (event) => {
  transformer = (event as TransformEvent).transformer;
  const options = transformer.options as TransformOptions;
  side = options.side;
  connect(transformer, options.late);
});

expose(api);
