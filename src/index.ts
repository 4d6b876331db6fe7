/**
 * The library. It creates WebRTC calls, attaches to existing connections, and provides the core's controllers
 * and traces. Workers and the WebAssembly module are found beside these files unless their URLs are given.
 *
 * @module ccscope
 */
export * from './core/index.js';
export * from './rtc/index.js';
export {
  formatTrace,
  readTrace,
  Replayer,
  TraceData,
  TraceError,
  type ReplayOptions,
  type TraceExtent,
  type TraceHeader,
  type TableData,
  type TraceProblem,
  type TraceSink,
  type TraceView,
  type ViewQuery,
} from './trace/index.js';
export { createTraceStore, type TraceStore, type TraceStoreOptions } from './worker/trace/trace_client.js';
