/** The live pipeline: calls, attachments to other connections, and a synthetic camera. */
export { attachReceiver, attachSender, type Attachment, type FeedbackChannel } from './attach.js';
export { CallError, createCall } from './call.js';
export { DEFAULT_FLOOR_KBPS, takeOver, throughRelay, type TakeoverOptions } from './sdp.js';
export type { SenderOptions } from './sender_tap.js';
export type { EncoderCounters } from './stats.js';
export { supported, type FeatureScope, type Support } from './support.js';
export {
  createSyntheticCamera,
  type SyntheticCamera,
  type SyntheticCameraOptions,
} from './synthetic_camera.js';
export { createSyntheticVoice, type SyntheticVoice } from './synthetic_voice.js';
export type {
  AssetUrls,
  Call,
  CallOptions,
  CallStatus,
  ControlOptions,
  LiveController,
  MediaStats,
  Mode,
  Notice,
  PeerUfrags,
  Relay,
  RelayAddress,
  ShadowController,
  Signalling,
  VideoCodec,
} from './types.js';
export type { MachineState, Quantity, Reason } from '../machine/index.js';
export { createMediaWorker, WorkerError, type MediaWorker } from '../worker/media/media_client.js';
export type { Side, WorkerStats } from '../worker/media/protocol.js';
