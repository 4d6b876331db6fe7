/**
 * Calls under test for Playwright: `import { test, expect } from 'ccscope/playwright'`. The guide is
 * README.md in the folder of this file.
 *
 * @module ccscope/playwright
 */
export { BaselineError } from './baseline.js';
export type { Window } from '../calls/metrics.js';
export type * from '../calls/record/record.js';
export { CallError, ObservedCall, type SyncedLink } from './call.js';
export { test, type KitFixtures, type TwoPeers } from './fixtures.js';
export {
  callMatchers,
  expect,
  type DelayLimits,
  type WaitingOptions,
  type WindowOptions,
} from './matchers.js';
export type { Rate, Ratio, Time } from './quantities.js';
export type {
  CallMetrics,
  Cause,
  CauseKind,
  JudgedExpectation,
  Judgement,
  LayerMetrics,
  View,
} from '../judge/index.js';
export type { PageLink, TestLink } from './link.js';
export {
  RepeatError,
  Runs,
  type Repeat,
  type RepeatOptions,
  type RunFixtures,
  type RunResult,
} from './repeat.js';
export type { KitOptions, KitWorkerOptions } from './options.js';
export type { LinkCapture } from '../evidence/index.js';
export type { Call } from './session.js';
export {
  NETWORKS,
  ShaperError,
  type Capacity,
  type ControlledLink,
  type DirectionSettings,
  type LinkChange,
  type LinkSettings,
  type Network,
  type NetworkName,
  type PathControl,
} from '../shaper/index.js';
export { ConfigError } from '../text/quantities.js';
