/** The parts of a page that `ShownFrames` needs: fake elements, whose frames the test provides. */
import { vi } from 'vitest';

interface Shown {
  receiveTime?: number;
  rtpTimestamp?: number;
}

export class FakeStream {
  constructor(private readonly tracks: FakeTrack[]) {}
  getVideoTracks(): FakeTrack[] {
    return this.tracks;
  }
}

export class FakeTrack {
  readonly kind = 'video';
  enabled = true;
  readyState: MediaStreamTrackState = 'live';
}

export class FakeVideo {
  muted = false;
  isPlaying = false;
  srcObject: FakeStream | null = null;
  videoWidth = 640;
  videoHeight = 360;
  #frames = 0;
  #waiting: ((now: number, shown: Shown) => void) | null = null;

  requestVideoFrameCallback(callback: (now: number, shown: Shown) => void): number {
    this.#waiting = callback;
    return 1;
  }
  cancelVideoFrameCallback(): void {
    this.#waiting = null;
  }
  play(): Promise<void> {
    this.isPlaying = true;
    return Promise.resolve();
  }
  pause(): void {
    this.isPlaying = false;
  }
  getVideoPlaybackQuality(): { totalVideoFrames: number } {
    return { totalVideoFrames: this.#frames };
  }
  show(shown: Shown): void {
    this.#frames++;
    this.#waiting?.(0, shown);
  }
}

export interface FakePage {
  /** All elements that were created. */
  made: FakeVideo[];
  /** The elements in the document. */
  videos: FakeVideo[];
}

/** Replaces the globals of a page with fakes. */
export function openFakePage({ showsFrames = true } = {}): FakePage {
  const page: FakePage = { made: [], videos: [] };
  class Video extends FakeVideo {
    constructor() {
      super();
      page.made.push(this);
    }
  }
  vi.stubGlobal('document', {
    readyState: 'complete',
    createElement: () => new Video(),
    querySelectorAll: () => page.videos,
  });
  vi.stubGlobal('MediaStream', FakeStream);
  vi.stubGlobal('HTMLVideoElement', showsFrames ? FakeVideo : Object);
  return page;
}

/** An element of the page that shows a track. */
export function showing(track: FakeTrack): FakeVideo {
  const video = new FakeVideo();
  video.srcObject = new FakeStream([track]);
  return video;
}
