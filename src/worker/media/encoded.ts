/**
 * Types of WebRTC Encoded Transform (W3C) and of Chrome's older insertable streams. This code is checked with
 * TypeScript's library `DOM`, which does not declare them.
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

/** The object that a worker gets for each `RTCRtpScriptTransform`. */
export interface ScriptTransformer extends EncodedStreams {
  readonly options: unknown;
  generateKeyFrame?(): Promise<unknown>;
  sendKeyFrameRequest?(): Promise<unknown>;
}

export interface TransformEvent extends Event {
  readonly transformer: ScriptTransformer;
}
