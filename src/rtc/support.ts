/** What this browser's platform offers, found by asking for each feature, never by its name. */
export interface Support {
  /** How encoded frames can be reached: by a worker's script, by the older streams, or not at all. */
  transforms: 'script' | 'streams' | 'none';
  /**
   * Whether arrival times may come from the browser. That a frame's metadata holds `receiveTime`
   * shows only on a frame, so this says what is known before: false where it can't be there.
   */
  receiveTime: boolean;
  /** How synthetic video can be made: track generators, or a canvas. */
  videoSource: 'generator' | 'canvas' | 'none';
  /** Whether the takeover of `control` mode is known to the browser; verified again in each call. */
  control: boolean;
  /** What all this means, for people; empty when everything is there. */
  message: string;
}

interface FeatureScope {
  RTCRtpScriptTransform?: unknown;
  RTCPeerConnection?: unknown;
  RTCRtpSender?: { prototype: object };
  MediaStreamTrackGenerator?: unknown;
  VideoTrackGenerator?: unknown;
  HTMLCanvasElement?: { prototype: object };
  RTCEncodedVideoFrame?: { prototype: object };
  Worker?: unknown;
  WebAssembly?: unknown;
}

/** Chromium alone has the older streams, the generator of the window, and the SDP's bounds. */
function isChromium(scope: FeatureScope): boolean {
  return scope.MediaStreamTrackGenerator !== undefined;
}

/** What the current browser can do; works in pages. */
export function supported(scope: FeatureScope = globalThis): Support {
  const peer = scope.RTCPeerConnection !== undefined && scope.Worker !== undefined;
  const streams = scope.RTCRtpSender !== undefined && 'createEncodedStreams' in scope.RTCRtpSender.prototype;
  const script = scope.RTCRtpScriptTransform !== undefined;
  const transforms = peer && script ? 'script' : peer && streams ? 'streams' : 'none';
  const canvas =
    scope.HTMLCanvasElement !== undefined && 'captureStream' in scope.HTMLCanvasElement.prototype;
  const generator = scope.MediaStreamTrackGenerator !== undefined || scope.VideoTrackGenerator !== undefined;
  const control = isChromium(scope);
  const isSafari = transforms === 'script' && !control && scope.VideoTrackGenerator !== undefined;
  const messages: string[] = [];
  if (scope.WebAssembly === undefined)
    messages.push('This browser has no WebAssembly, which the controller runs in.');
  if (transforms === 'none') {
    messages.push(
      'This browser gives no access to encoded video frames: calls cannot be measured or controlled. ' +
        'Use Chrome or Edge 86, Firefox 117 or Safari 15.4, or newer.',
    );
  } else if (!control) {
    messages.push(
      'This browser keeps its own bandwidth estimator: the controller can only cap the bitrate under it. ' +
        'Use a Chromium browser to hand it full control.',
    );
  }
  if (isSafari)
    messages.push('Arrival times are those of a callback, which is coarser than the arrival itself.');
  return {
    transforms,
    receiveTime: transforms !== 'none' && !isSafari,
    videoSource: generator ? 'generator' : canvas ? 'canvas' : 'none',
    control,
    message: messages.join(' '),
  };
}
