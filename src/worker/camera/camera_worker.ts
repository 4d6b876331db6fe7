/** The synthetic camera's worker: paints frames at a steady pace and writes them to its output. */
import { expose } from 'comlink';
import { FramePainter, type CameraSettings } from './camera_frames.js';

/** Where frames go: the stream of a track generator, or a canvas. */
export type CameraSink =
  { kind: 'stream'; writable: WritableStream<VideoFrame> } | { kind: 'canvas'; canvas: OffscreenCanvas };

export interface CameraApi {
  ping(): true;
  run(settings: CameraSettings, sink: CameraSink): void;
  stop(): void;
}

type Write = (timestampUs: number) => void;

let timer: ReturnType<typeof setTimeout> | undefined;

function toStream(
  painter: FramePainter,
  settings: CameraSettings,
  writable: WritableStream<VideoFrame>,
): Write {
  const { width: codedWidth, height: codedHeight } = settings;
  const writer = writable.getWriter();
  return (timestamp) => {
    const frame = new VideoFrame(painter.data, { format: 'I420', codedWidth, codedHeight, timestamp });
    // Writing fails when the track has ended. Nobody sees the frames any more, so painting stops.
    writer.write(frame).catch(() => stop());
  };
}

function toCanvas(painter: FramePainter, settings: CameraSettings, canvas: OffscreenCanvas): Write {
  const context = canvas.getContext('2d', { alpha: false });
  const image = new ImageData(settings.width, settings.height);
  return () => {
    painter.rgba(image.data);
    context?.putImageData(image, 0, 0);
  };
}

function run(settings: CameraSettings, sink: CameraSink): void {
  const painter = new FramePainter(settings);
  const write =
    sink.kind === 'stream'
      ? toStream(painter, settings, sink.writable)
      : toCanvas(painter, settings, sink.canvas);
  const startMs = performance.now();
  const periodMs = 1000 / settings.fps;
  const next = (n: number) => {
    painter.paint(n);
    write(Math.round(n * periodMs * 1000));
    // If painting was interrupted (for instance because the machine slept), the missed frames are skipped.
    const due = Math.max(n + 1, Math.floor((performance.now() - startMs) / periodMs));
    timer = setTimeout(() => next(due), startMs + due * periodMs - performance.now());
  };
  next(0);
}

function stop(): void {
  clearTimeout(timer);
}

const api: CameraApi = { ping: () => true, run, stop };
expose(api);
