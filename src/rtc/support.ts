/**
 * The features of this browser that ccscope needs. They are found by feature detection, never by the browser's name.
 */
export interface Support {
  /**
   * The access to encoded frames: RTCRtpScriptTransform (`script`), the older createEncodedStreams (`streams`),
   * or none.
   */
  transforms: 'script' | 'streams' | 'none';
  /**
   * Whether the browser is expected to report the arrival times of frames, as `receiveTime` in their
   * metadata. Always false outside Chromium, although other browsers may report them, too. During a call,
   * `arrivalTimeSource` in the call's status shows the actual source.
   */
  receiveTime: boolean;
  /** How synthetic video can be produced: by a track generator or by a canvas. */
  videoSource: 'generator' | 'canvas' | 'none';
  /**
   * Whether the takeover in mode `control` is known to work in this browser. Each call verifies the takeover again.
   */
  control: boolean;
  /** A message for the user about what is missing; empty if everything is available. */
  message: string;
}

export interface FeatureScope {
  RTCRtpScriptTransform?: unknown;
  RTCPeerConnection?: unknown;
  RTCRtpSender?: { prototype: object };
  MediaStreamTrackGenerator?: unknown;
  HTMLCanvasElement?: { prototype: object };
  Worker?: unknown;
  WebAssembly?: unknown;
}

/** Returns what the current browser can do; for use in pages. */
export function supported(scope: FeatureScope = globalThis): Support {
  const peer = scope.RTCPeerConnection !== undefined && scope.Worker !== undefined;
  const streams = scope.RTCRtpSender !== undefined && 'createEncodedStreams' in scope.RTCRtpSender.prototype;
  const script = scope.RTCRtpScriptTransform !== undefined;
  const transforms = peer && script ? 'script' : peer && streams ? 'streams' : 'none';
  const canvas =
    scope.HTMLCanvasElement !== undefined && 'captureStream' in scope.HTMLCanvasElement.prototype;
  const generator = scope.MediaStreamTrackGenerator !== undefined;
  // This detects Chromium. Other browsers have a track generator only in workers, or not at all. `createEncodedStreams`,
  // and the SDP parameters with which `takeOver` bounds the estimate, also exist only in Chromium.
  const control = generator;
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
        'Use a Chromium browser to hand it full control. ' +
        'Arrival times may be those of a callback, which are coarser; the call says so.',
    );
  }
  return {
    transforms,
    receiveTime: transforms !== 'none' && control,
    videoSource: generator ? 'generator' : canvas ? 'canvas' : 'none',
    control,
    message: messages.join(' '),
  };
}
