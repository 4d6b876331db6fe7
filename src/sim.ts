/**
 * Simulations, for Node and browsers: `createSimulation` of the core; scenarios with their cells, metrics and
 * verdicts; and, in a browser, a worker that runs simulations. The WebAssembly module and the worker are found
 * beside these files unless their URLs are given.
 *
 * @module ccscope/sim
 */
export {
  Core,
  CoreError,
  loadCore,
  SCHEMA,
  Simulation,
  type Distribution,
  type FlowMetrics,
  type FlowOptions,
  type MediaFlowOptions,
  type PathMetrics,
  type SimulatedLinkOptions,
  type SimulationOptions,
  type TcpFlowOptions,
  type TraceBatch,
  type WasmSource,
  type WindowMetrics,
  type WindowOptions,
} from './core/index.js';
export * from './scenario/index.js';
export {
  formatTrace,
  TraceData,
  unpackBatches,
  type PackedBatches,
  type TraceHeader,
} from './trace/index.js';
export {
  SimulationError,
  SimulationWorker,
  type RunHandlers,
  type SimulationWorkerOptions,
} from './worker/simulation/simulation_client.js';
export type {
  CheckedScenario,
  ControllerModule,
  SimulationProblem,
  SimulationProgress,
  SimulationRequest,
  SimulationResult,
} from './worker/simulation/simulation_protocol.js';
