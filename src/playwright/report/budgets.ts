/** Limits for metrics of calls, kept in a file beside the configuration: `ccscope.budgets.json`. */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

import type { TestCase } from '@playwright/test/reporter';
import * as v from 'valibot';

import { PROPERTIES, PROPERTY_NAMES, type PropertyName } from '../../evidence/properties.js';
import { list, record, text } from '../../text/form.js';
import { parseJson } from '../../text/json_text.js';
import { within } from '../../text/form.js';
import { ConfigError } from '../../text/quantities.js';
import { parsed } from '../../scenario/scenario.js';
import { callsOf, numberOf, titleOf, type TestedCall } from './calls.js';

export const BUDGETS_FILE = 'ccscope.budgets.json';

const SIDES = ['min', 'max'] as const;
const LIMITS = PROPERTY_NAMES.flatMap((property) =>
  SIDES.map((side) => ({ name: `${property}_${side}`, property, side })),
);
const limitSchema = (property: PropertyName): v.GenericSchema<number> =>
  within(0, PROPERTIES[property].unit === 'ratio' ? 1 : 1e12);

const schema = record({
  ccscope_budgets: v.literal(1, '1, the version of this format'),
  budgets: list(
    record({
      /** The whole title, `describe › test`; `*` matches any text. Default: all tests with calls. */
      test: v.optional(text('the title of a test, or *'), '*'),
      /**
       * The initial settings of the link, as the summary shows them; `*` matches any text. Default: all
       * networks.
       */
      network: v.optional(text('a network as the summary names it, or *'), '*'),
      limits: v.pipe(
        record(
          Object.fromEntries(LIMITS.map(({ name, property }) => [name, v.optional(limitSchema(property))])),
        ),
        v.check((limits) => Object.keys(limits).length > 0, 'at least one limit such as loss_ratio_max'),
      ),
    }),
    'budgets',
  ),
});

type Budget = v.InferOutput<typeof schema>['budgets'][number];

/** @throws ConfigError */
export function readBudgets(file: string): Budget[] {
  const name = basename(file);
  if (!existsSync(file))
    throw new ConfigError('budgets', 'an existing file', file, 'correct its path, or remove budgets');
  return parsed(schema, parseJson(readFileSync(file, 'utf8'), name), name).budgets;
}

/** A limit that a call did not meet. */
export interface BrokenLimit {
  test: TestCase;
  title: string;
  /** The name of the limit, for example `queue_delay_p95_ms_max`. */
  limit: string;
  /** For example `at most 120`. */
  allowed: string;
  /** The measured number, or a message that says which number is missing. */
  got: string;
}

export interface BudgetReport {
  broken: BrokenLimit[];
  /** A message to the user for each budget that matched no call. */
  unmatched: string[];
}

function matches(pattern: string, title: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(title);
}

/**
 * The subject of a budget: a call of a test. If the budget names a test that has no call, the subject is the
 * test, and `properties` is null.
 */
type Judged = TestedCall | { test: TestCase; title: string; properties: null };

function judgedBy(budget: Budget, test: TestCase): Judged[] {
  const [last] = test.results.slice(-1);
  const title = titleOf(test);
  if (last === undefined || last.status === 'skipped' || !matches(budget.test, title)) return [];
  const calls = callsOf(test, last);
  if (calls.length === 0) return budget.test === title ? [{ test, title, properties: null }] : [];
  return calls.filter(({ properties }) => matches(budget.network, properties.get('network') ?? ''));
}

function brokenLimits(judged: Judged, { limits }: Budget): BrokenLimit[] {
  const { test, title } = judged;
  return LIMITS.flatMap(({ name, property, side }): BrokenLimit[] => {
    const limit = limits[name];
    if (limit === undefined) return [];
    const allowed = `${side === 'min' ? 'at least' : 'at most'} ${limit}`;
    const value = judged.properties === null ? null : numberOf(judged, property);
    if (value === null) {
      // If the test itself failed, its error explains why nothing was measured.
      if (!test.ok()) return [];
      const got = judged.properties === null ? 'no call in this test' : `no ${property} of this call`;
      return [{ test, title, limit: name, allowed, got }];
    }
    const kept = side === 'min' ? value >= limit : value <= limit;
    return kept ? [] : [{ test, title, limit: name, allowed, got: String(value) }];
  });
}

/** Judges the last attempt at each test. */
export function checkBudgets(budgets: readonly Budget[], tests: readonly TestCase[]): BudgetReport {
  const report: BudgetReport = { broken: [], unmatched: [] };
  for (const [i, budget] of budgets.entries()) {
    const judged = tests.flatMap((test) => judgedBy(budget, test));
    if (judged.length === 0)
      report.unmatched.push(
        `The budget of test ${budget.test} on network ${budget.network} (budgets.${i}) matched no call of this run: ` +
          'correct its names, or remove it',
      );
    report.broken.push(...judged.flatMap((one) => brokenLimits(one, budget)));
  }
  return report;
}

/** The table of broken limits, header first. */
export const brokenRows = (broken: readonly BrokenLimit[]): string[][] => [
  ['test', 'limit', 'allowed', 'got'],
  ...broken.map(({ title, limit, allowed, got }) => [title, limit, allowed, got]),
];
