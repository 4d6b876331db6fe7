/** Traces: column storage in memory, reduction for charts, and reading and writing of format v1 (NDJSON). */
export { TraceError, type TraceProblem } from './errors.js';
export { checkHeader, TRACE_VERSION, type TraceHeader } from './header.js';
export { readTrace, TraceReader, collector, type TraceSink } from './ndjson_reader.js';
export { formatHeader, formatTrace } from './ndjson_writer.js';
export { RowFormatter } from './ndjson_lines.js';
export { packBatches, unpackBatches, type PackedBatches } from './packed.js';
export { TableData } from './table_data.js';
export { timeColumn } from './tables.js';
export { eventLine } from './ndjson_lines.js';
export { TraceData, type TraceExtent, type TraceView, type ViewQuery } from './trace_data.js';
export { type RowSink } from './row_parser.js';
export {
  checkPreset,
  ParameterProblem,
  parameterNames,
  parameterValue,
  presetNames,
  presetParameterValue,
} from './parameters.js';
export type { GivenParameters } from './replay_plan.js';
export { recordedFlows, type RecordedFlow } from './recorded_flows.js';
export { Replayer, type ReplayOptions } from './replay.js';
