import { describe, expect, it } from 'vitest';
import { supported } from '../../../src/rtc/support.js';

const PRESENT = {};

class Streams {
  createEncodedStreams() {
    return null;
  }
}
class Canvas {
  captureStream() {
    return null;
  }
}
const Plain = { prototype: {} };
const BASE = { RTCPeerConnection: PRESENT, Worker: PRESENT, WebAssembly: {}, HTMLCanvasElement: Canvas };
const SCRIPT = { ...BASE, RTCRtpSender: Plain, RTCRtpScriptTransform: PRESENT };

describe('what a browser supports', () => {
  it('is everything in a current Chromium', () => {
    const chromium = { ...SCRIPT, MediaStreamTrackGenerator: PRESENT };
    expect(supported(chromium)).toEqual({
      transforms: 'script',
      receiveTime: true,
      videoSource: 'generator',
      control: true,
      message: '',
    });
  });

  it('is the older streams in a Chromium from before script transforms', () => {
    const older = { ...BASE, RTCRtpSender: Streams, MediaStreamTrackGenerator: PRESENT };
    expect(supported(older).transforms).toBe('streams');
  });

  it('is capping, from a canvas, with a clear message elsewhere', () => {
    const other = supported(SCRIPT);
    expect(other).toMatchObject({ transforms: 'script', videoSource: 'canvas', control: false });
    expect(other.message).toMatch(/cap the bitrate/);
  });

  it('is nothing, and said so, where encoded frames are out of reach', () => {
    const old = supported({ ...BASE, RTCRtpSender: Plain });
    expect(old.transforms).toBe('none');
    expect(old.message).toMatch(/no access to encoded video frames/);
  });
});
