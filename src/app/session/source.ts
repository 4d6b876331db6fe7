/** The video that a call sends, synthetic or from a real camera, and the synthetic voice beside it. */
import { createSyntheticCamera, createSyntheticVoice, type CallOptions } from '../../rtc/index.js';
import { VIDEO_SIZES } from '../../scenario/video_format.js';
import type { AppState } from '../state.js';

interface Source {
  readonly track: MediaStreamTrack;
  /** The requested frames per second. Given only for the synthetic camera. */
  readonly fps?: number;
  stop(): void;
}

/** The settings that determine a source. */
type SourceSettings = Pick<AppState, 'source' | 'size' | 'fps' | 'audio' | 'seed'>;

/** The tracks that a call sends. */
export type SourceTracks = Required<Pick<CallOptions, 'track'>> & Pick<CallOptions, 'audioTrack'>;

/** The sent video, as the trace describes it; null for a value that the browser does not report. */
export interface SentVideo {
  label: string;
  width: number | null;
  height: number | null;
  frame_rate: number | null;
}

/**
 * Describes the sent video. A browser that plays a file as its camera labels the track with the file's path; only the
 * path's last part is kept.
 */
export function videoOf(track: MediaStreamTrack, { source, size, fps }: SourceSettings): SentVideo {
  if (source === 'synthetic') return { label: source, ...VIDEO_SIZES[size], frame_rate: fps };
  const { width = null, height = null, frameRate = null } = track.getSettings();
  return { label: track.label.replace(/^.*[\\/]/, ''), width, height, frame_rate: frameRate };
}

/** `resizeMode` of Media Capture and Streams; `none`: a native mode of the camera, without scaling. */
interface CameraConstraints extends MediaTrackConstraints {
  resizeMode: { exact: 'none' };
}

async function realCamera({ size, fps }: SourceSettings): Promise<Source> {
  const { width, height } = VIDEO_SIZES[size];
  const video: CameraConstraints = {
    ...{ width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: fps } },
    resizeMode: { exact: 'none' },
  };
  const stream = await navigator.mediaDevices.getUserMedia({ video });
  const [track] = stream.getVideoTracks();
  if (!track) throw new Error('the browser returned no video track for the camera');
  return { track, stop: () => track.stop() };
}

function openVideo(settings: SourceSettings): Promise<Source> {
  const { source, size, fps, seed } = settings;
  if (source === 'camera') return realCamera(settings);
  return createSyntheticCamera({ ...VIDEO_SIZES[size], fps, seed });
}

/**
 * The source in use. It is kept when the call restarts, so that the browser does not ask the user for the camera
 * again.
 */
export class SourceKeeper {
  #kept: { of: string; video: Source } | null = null;
  #voice: Source | null = null;

  /**
   * Returns the tracks of a source with these settings. Reuses the tracks in use if their settings are the
   * same and they are live. Returns null if `isWanted` returns false once a new source is open. Rejects if
   * the user does not allow the camera.
   */
  async open(settings: SourceSettings, isWanted: () => boolean): Promise<SourceTracks | null> {
    const { source, size, fps, audio, seed } = settings;
    const of = [source, size, fps, seed].join();
    if (this.#kept?.of !== of || this.#kept.video.track.readyState !== 'live') {
      this.stop();
      const video = await openVideo(settings);
      if (!isWanted()) {
        video.stop();
        return null;
      }
      this.#kept = { of, video };
    }
    if (audio) this.#voice ??= createSyntheticVoice();
    else this.#endVoice();
    const voice = this.#voice;
    return { track: this.#kept.video.track, ...(voice && { audioTrack: voice.track }) };
  }

  /**
   * The frames per second requested from the synthetic camera; undefined if another source or none is in use.
   */
  get fps(): number | undefined {
    return this.#kept?.video.fps;
  }

  stop(): void {
    this.#kept?.video.stop();
    this.#kept = null;
    this.#endVoice();
  }

  #endVoice(): void {
    this.#voice?.stop();
    this.#voice = null;
  }
}
