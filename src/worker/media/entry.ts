/**
 * The media worker: one side of one call. Frames flow through it from the moment a transform is attached; the
 * core joins with `start`. Whatever fails in here, frames continue: an error in the core ends control, is
 * reported as a fault, and from then on frames only pass.
 */
import { expose } from 'comlink';
import { compileCore, CoreError } from '../../core/index.js';
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

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The core has already failed, and this is the cleanup: nothing more can be saved.
  }
}

/** Ends control. Rows that the core can still deliver are kept. */
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
 * Runs `work` on the pipeline, if there is one; invalid values are the caller's errors, everything else is a
 * fault.
 */
function withPipeline(work: (p: Pipeline) => void): void {
  const current = pipeline;
  if (current === null || reporter === null) return;
  try {
    reporter.measured(() => work(current));
  } catch (error) {
    if (error instanceof CoreError) throw error;
    fail(error);
  }
}

/**
 * Removes a complete trailer from a received frame, even one without usable content; other frames stay as they
 * are.
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

/** Requests a key frame repeatedly, until one has passed. */
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

/** Lets frames flow; `late` means that some were lost before, so a key frame is needed. */
function connect(streams: EncodedStreams, late: boolean): void {
  const repair = late ? untilKeyFrame() : undefined;
  const through = new TransformStream<EncodedFrame, EncodedFrame>({
    transform: (frame, controller) => {
      repair?.(frame);
      onFrame(frame, (f) => controller.enqueue(f));
    },
  });
  // The streams end with the connection; there is nobody left to tell.
  streams.readable
    .pipeThrough(through)
    .pipeTo(streams.writable)
    .catch(() => undefined);
}

/**
 * A receiver asks the far side. A sender asks its encoder, if the browser lets a worker do so; Chromium does not,
 * so the page does it there.
 */
function requestKeyFrame(): void {
  const asked = side === 'sender' ? transformer?.generateKeyFrame?.() : transformer?.sendKeyFrameRequest?.();
  if (asked === undefined && side === 'sender') reporter?.emit({ kind: 'key-frame' });
  // Refused while the encoder is not running yet, or when the connection is gone.
  asked?.catch(() => undefined);
}

async function start(config: MediaConfig, port: MessagePort): Promise<void> {
  const out = new Reporter(port);
  reporter = out;
  ticking ??= setInterval(() => {
    withPipeline((p) => p.tick());
    reporter?.tick();
  }, TICK_MS);
  const module = await compileCore(config.wasmUrl);
  pipeline =
    config.side === 'sender'
      ? await SenderPipeline.open(module, config, { reporter: out, requestKeyFrame, failed: fail })
      : await ReceiverPipeline.open(module, config, out);
}

const api: MediaWorkerApi = {
  ping: () => performance.timeOrigin + performance.now(),
  start,
  attachStreams: (whose, readable, writable) => {
    side = whose;
    connect({ readable, writable }, false);
  },
  inbound: (report) => withPipeline((p) => p.inbound?.(report)),
  sent: (report) => withPipeline((p) => p.sent?.(report)),
  feedback: (bytes) => withPipeline((p) => p.feedback?.(bytes)),
  receiverReport: (report) => withPipeline((p) => p.receiverReport?.(report)),
  setParameter: (name, value) => withPipeline((p) => p.setParameter(name, value)),
  setPreset: (name) => withPipeline((p) => p.setPreset(name)),
  setShadows: async (shadows) => pipeline?.setShadows(shadows),
  setBottleneck: (options) => withPipeline((p) => p.setBottleneck?.(options)),
  requestKeyFrame,
  passThrough: stopPipeline,
};

addEventListener('rtctransform', (event) => {
  transformer = (event as TransformEvent).transformer;
  const options = transformer.options as TransformOptions;
  side = options.side;
  connect(transformer, options.late);
});

expose(api);
