import { transfer, wrap } from 'comlink';
import type { CameraApi } from '../worker/camera/camera_worker.js';
import type { CameraSettings } from '../worker/camera/camera_frames.js';

export interface SyntheticCameraOptions extends Partial<CameraSettings> {
  /** The URL of the camera's worker, unless it is beside this module. */
  workerUrl?: string | URL;
}

export interface SyntheticCamera {
  readonly track: MediaStreamTrack;
  /** The requested frame rate. The actual frame rate is in the settings of the track. */
  readonly fps: number;
  stop(): void;
}

/** The track generator that Chromium has in the window scope. */
interface TrackGenerator extends MediaStreamTrack {
  readonly writable: WritableStream<VideoFrame>;
}
type TrackGeneratorConstructor = new (init: { kind: 'video' }) => TrackGenerator;

/** 360p at 30 fps. The pictures are so hard to encode that VP8 uses 2.5 Mbps for them. */
const DEFAULTS: CameraSettings = { width: 640, height: 360, fps: 30, texture: 0.5, seed: 1 };

function newWorker(url?: string | URL): Worker {
  // Bundlers find a worker only if its URL is written literally like this.
  return url === undefined
    ? new Worker(new URL('../worker/camera/camera_worker.js', import.meta.url), { type: 'module' })
    : new Worker(url, { type: 'module' });
}

/**
 * A synthetic camera: textured, moving pictures that a worker draws. Unlike the pictures of a fake device or a
 * flat animation, they are so complex that the encoder uses its whole bitrate. The same seed gives the same
 * pictures. Uses a track generator if available, and a canvas otherwise. Throws if the browser has neither.
 */
export async function createSyntheticCamera(options: SyntheticCameraOptions = {}): Promise<SyntheticCamera> {
  const { workerUrl, ...changes } = options;
  const settings: CameraSettings = { ...DEFAULTS, ...changes };
  const worker = newWorker(workerUrl);
  const camera = wrap<CameraApi>(worker);
  try {
    await Promise.race([camera.ping(), failure(worker)]);
    const Generator = (globalThis as { MediaStreamTrackGenerator?: TrackGeneratorConstructor })
      .MediaStreamTrackGenerator;
    const track =
      Generator === undefined
        ? await fromCanvas(camera, settings)
        : await fromGenerator(camera, settings, Generator);
    const stop = () => {
      track.stop();
      worker.terminate();
    };
    return { track, fps: settings.fps, stop };
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

type Remote = ReturnType<typeof wrap<CameraApi>>;

async function fromGenerator(
  camera: Remote,
  settings: CameraSettings,
  Generator: TrackGeneratorConstructor,
): Promise<MediaStreamTrack> {
  const track = new Generator({ kind: 'video' });
  const { writable } = track;
  await camera.run(settings, transfer({ kind: 'stream', writable }, [writable]));
  return track;
}

async function fromCanvas(camera: Remote, settings: CameraSettings): Promise<MediaStreamTrack> {
  const element = document.createElement('canvas');
  element.width = settings.width;
  element.height = settings.height;
  const [track] = element.captureStream(settings.fps).getVideoTracks();
  if (track === undefined) throw new Error('this browser cannot make video from a canvas; use a real camera');
  const canvas = element.transferControlToOffscreen();
  await camera.run(settings, transfer({ kind: 'canvas', canvas }, [canvas]));
  return track;
}

function failure(worker: Worker): Promise<never> {
  return new Promise((_, reject) => {
    worker.addEventListener(
      'error',
      (e) => reject(new Error(e.message || 'the camera worker failed to load')),
      {
        once: true,
      },
    );
  });
}
