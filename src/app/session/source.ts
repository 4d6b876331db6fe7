/** The video that a call sends, made here or from a real camera, and the voice beside it. */
import { createSyntheticCamera, createSyntheticVoice, type CallOptions } from '../../rtc/index.js';
import { VIDEO_SIZES } from '../../scenario/video_format.js';
import type { AppState } from '../state.js';

interface Source {
  readonly track: MediaStreamTrack;
  /** The frames per second that were requested, for a track that does not report them. */
  readonly fps?: number;
  stop(): void;
}

/** The settings that determine a source. */
type SourceSettings = Pick<AppState, 'source' | 'size' | 'fps' | 'audio' | 'seed'>;

/** What a call is given to send. */
export type SourceTracks = Required<Pick<CallOptions, 'track'>> & Pick<CallOptions, 'audioTrack'>;

/** The video that is sent, for the trace; null if the browser does not report it. */
export interface SentVideo {
  label: string;
  width: number | null;
  height: number | null;
  frame_rate: number | null;
}

/** A browser that plays a file as its camera uses the file's path as the label: its last part is enough. */
export function videoOf(track: MediaStreamTrack, { source, size, fps }: SourceSettings): SentVideo {
  if (source === 'synthetic') return { label: source, ...VIDEO_SIZES[size], frame_rate: fps };
  const { width = null, height = null, frameRate = null } = track.getSettings();
  return { label: track.label.replace(/^.*[\\/]/, ''), width, height, frame_rate: frameRate };
}

/** `resizeMode` of Media Capture and Streams; `none`: a mode of the camera's own, whose pictures are not scaled. */
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
  if (!track) throw new Error('camera: the browser gave no video track');
  return { track, stop: () => track.stop() };
}

function openVideo(settings: SourceSettings): Promise<Source> {
  const { source, size, fps, seed } = settings;
  if (source === 'camera') return realCamera(settings);
  return createSyntheticCamera({ ...VIDEO_SIZES[size], fps, seed });
}

/** The source in use. It outlives restarts of the call, so that the user is not asked for the camera twice. */
export class SourceKeeper {
  #kept: { of: string; video: Source } | null = null;
  #voice: Source | null = null;

  /**
   * The tracks of such a source: those in use if they have the same settings and are live, else new ones. Null if the
   * source is no longer wanted by the time the user has allowed it. Rejects if the user refuses it.
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

  /** The frames per second that were requested of the source in use; undefined if its track reports them. */
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
