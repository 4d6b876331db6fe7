/**
 * The parts of WebRTC Encoded Transform (W3C) and of Chrome's older insertable streams that
 * TypeScript's DOM library does not declare for code that is checked with the window's types.
 */

/** An encoded frame's metadata; `receiveTime` (Chrome 127, Firefox 152) is missing in Safari. */
export interface EncodedFrameMetadata extends RTCEncodedVideoFrameMetadata {
  /** When the frame's last packet arrived, in milliseconds since this worker's time origin. */
  receiveTime?: number;
}

export interface EncodedFrame extends RTCEncodedVideoFrame {
  getMetadata(): EncodedFrameMetadata;
}

export interface EncodedStreams {
  readonly readable: ReadableStream<EncodedFrame>;
  readonly writable: WritableStream<EncodedFrame>;
}

/** What a worker gets for an `RTCRtpScriptTransform`. */
export interface ScriptTransformer extends EncodedStreams {
  readonly options: unknown;
  generateKeyFrame?(): Promise<unknown>;
  sendKeyFrameRequest?(): Promise<unknown>;
}

export interface TransformEvent extends Event {
  readonly transformer: ScriptTransformer;
}
