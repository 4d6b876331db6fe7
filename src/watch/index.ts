/**
 * Watches calls that are already running. Keeps a record of them, runs shadows (controllers that only watch
 * their streams), and makes a recording.
 */
export type { WindowPlace } from '../calls/record/endpoints.js';
export type { PageBatch, PageMessage, PageRequest } from '../inject/protocol.js';
export { type Exported, type ExportOptions, type RecordingSize } from './recording.js';
export { NoRecordingError, recordOfTrace, RecordReader, type RecordReaderOptions } from './record_reader.js';
export { TraceRing, type Spill, type Spilled } from './ring.js';
export type { StreamDirection, StreamState } from './streams.js';
export {
  ALL_CONTROLLERS,
  JUDGED_US,
  KEPT_US,
  Watch,
  type ConnectionState,
  type WatchOptions,
  type WatchState,
} from './watch.js';
export {
  readFeedMessage,
  readViewMessage,
  VIEW_PATH,
  type FeedMessage,
  type ViewMessage,
} from './view_protocol.js';
