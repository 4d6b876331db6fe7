/** Judgements of a call under test: pure functions of its record. */
export { BASELINE_STEP_US, curveOf, judgeBaseline, type BaselineRule, type Curve } from './baseline.js';
export { callMetrics, jainIndex, type CallMetrics } from './call_metrics.js';
export type { Cause, CauseKind } from './cause_kinds.js';
export { judgeConvergence, judgeRecovery, type ConvergenceRule, type RecoveryRule } from './convergence.js';
export { layersIn, type LayerMetrics } from './layers.js';
export { carrying } from './media.js';
export { judgeProved, type Needs } from './proof.js';
export type { Asked, JudgedExpectation, Judgement } from './judgement.js';
export {
  judgeFairness,
  judgeFreezes,
  judgeLoss,
  judgeQueuingDelay,
  judgeUtilisation,
  type DelayLimit,
  type FairnessRule,
  type UtilisationRule,
  type WindowRule,
} from './over_window.js';
export { msText, percentText, rateText, secondsText } from './text.js';
export {
  allLinks,
  callEndUs,
  changesOf,
  clockStartUs,
  DroppedRecordError,
  keptFromUs,
  linkOf,
  linkSides,
  pathsOf,
  type Path,
  type View,
} from './view.js';
