/** Scenarios: their schema, cells, metrics and verdicts, and how to run one. */
export { ConfigError, parseDuration } from '../text/quantities.js';
export { parseLinkConfig } from '../link/link_config.js';
export { parseQueue } from '../link/queue_text.js';
export { parseRate, parseSchedule } from '../link/capacity_text.js';
export type {
  Axis,
  Claim,
  Comparison,
  Expectation,
  ParsedAxis,
  Picture,
  Quantity,
  Scenario,
  ScenarioFlow,
  ScenarioPath,
  Selector,
} from './scenario.js';
export { axisOf, cellKey, cellLabel, cellsOf, instantiate, selects, type CellParams } from './cells.js';
export { SIGNIFICANCE_LEVEL, type CellValues, type ClaimCase, type ClaimResult } from './claims.js';
export { evaluateClaim, judge } from './judge.js';
export { ControllerSimulator, type PlacedController } from './chosen_controller.js';
export { compile, flowGroups, flowNumbers, isInlineTrace, type FlowGroup } from './compile.js';
export { parseScenario, picturedTables } from './check.js';
export {
  compareCells,
  type ComparedCase,
  type ComparedColumn,
  type ComparedValue,
  type Standing,
} from './comparison.js';
export { quantitiesOf } from './measured.js';
export { mahimahiSchedule } from '../link/mahimahi.js';
export {
  BOX,
  measure,
  METRICS,
  metricText,
  quantityKey,
  type MetricSpec,
  type MetricUnit,
  type Statistic,
} from './metrics.js';
export { exactDelayGradient, largestDelayGradient } from './proposition1.js';
export {
  runCell,
  seedOf,
  simulate,
  simulateCell,
  type CellRun,
  type RunOptions,
  type RunResult,
  type RunStep,
  type Simulated,
  type Simulator,
  type TraceOptions,
} from './run_cell.js';
export { summarise } from './statistics.js';
export { ONE_RUN, type Statistics, type Summary } from './summary.js';
export { surfaceOf, type SlopeResult, type Surface, type SurfaceAxis, type SurfacePoint } from './surface.js';
export { judgeSurface } from './surface_verdict.js';
export { atFullSize } from './logarithmic_axis.js';
export { traceHeader, type SimulationHeader, type TracedFlow } from './trace_header.js';
export {
  countVerdicts,
  judgeBy,
  VERDICTS,
  verdictOf,
  type CellResult,
  type ExperimentResult,
  type MetricResult,
  type StatementResult,
  type Verdict,
  type VerdictCounts,
} from './verdict.js';
