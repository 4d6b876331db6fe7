/** The video that a call sends: made here, or from a real camera. */
import { createSyntheticCamera } from '../../rtc/index.js';

export interface Source {
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

/** Opens a source. Rejects when the user or the browser refuses the camera. */
export function openSource(kind: 'synthetic' | 'camera', seed: number): Promise<Source> {
  return kind === 'camera' ? realCamera() : createSyntheticCamera({ seed });
}
