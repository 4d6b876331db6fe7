/** Computes verdicts and tests claims for any number of runs, with the jStat library's statistics. */
import { evaluateClaimBy, type CellValues, type ClaimResult } from './claims.js';
import type { Claim, Scenario } from './scenario.js';
import { STATISTICS } from './statistics.js';
import { judgeBy, type ExperimentResult } from './verdict.js';

/** The complete result of an experiment, in the order of the given cells. */
export const judge = (scenario: Scenario, results: readonly CellValues[]): ExperimentResult =>
  judgeBy(STATISTICS, scenario, results);

/** Whether a claim holds in the cells that have run. */
export const evaluateClaim = (claim: Claim, results: readonly CellValues[]): ClaimResult =>
  evaluateClaimBy(STATISTICS, claim, results);
