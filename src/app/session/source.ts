/** The video that a call sends: made here, or from a real camera. */
import { createSyntheticCamera } from '../../rtc/index.js';

interface Source {
  readonly track: MediaStreamTrack;
  stop(): void;
}

async function realCamera(): Promise<Source> {
  const stream = await navigator.mediaDevices.getUserMedia({
    video: { width: { ideal: 640 }, height: { ideal: 360 }, frameRate: { ideal: 30 } },
  });
  const [track] = stream.getVideoTracks();
  if (!track) throw new Error('camera: the browser gave no video track');
  return { track, stop: () => track.stop() };
}

function openSource(kind: 'synthetic' | 'camera', seed: number): Promise<Source> {
  return kind === 'camera' ? realCamera() : createSyntheticCamera({ seed });
}

/** The source in use, which lasts over restarts of the call: a camera is not asked for twice. */
export class SourceKeeper {
  #kept: { kind: string; seed: number; source: Source } | null = null;

  /**
   * The track of such a source: the one in use if it is of that kind and alive, else a new one's.
   * Null when it is wanted no more once the user has allowed it. Rejects when it is refused.
   */
  async open(
    kind: 'synthetic' | 'camera',
    seed: number,
    isWanted: () => boolean,
  ): Promise<MediaStreamTrack | null> {
    const kept = this.#kept;
    if (kept?.kind === kind && kept.seed === seed && kept.source.track.readyState === 'live')
      return kept.source.track;
    this.stop();
    const source = await openSource(kind, seed);
    if (!isWanted()) {
      source.stop();
      return null;
    }
    this.#kept = { kind, seed, source };
    return source.track;
  }

  stop(): void {
    this.#kept?.source.stop();
    this.#kept = null;
  }
}
