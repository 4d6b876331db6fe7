/**
 * Scenarios: descriptions of experiments. A scenario describes the network and its flows, how these vary from
 * cell to cell, what is measured, and which results a paper published. Each file in `public/scenarios/` contains
 * one scenario. README.md in this folder shows how to write one.
 *
 * Field names end in their units: `_s`, `_ms`, `_bps`, `_bytes`. A ratio is between 0 and 1.
 */
import * as v from 'valibot';

import { comparison } from './comparison_form.js';
import { integer, list, named, number, record, seconds, text } from '../text/form.js';
import { quantity, selector } from './form_parts.js';
import { checkNesting } from '../text/json_text.js';
import { ConfigError, shown } from '../text/quantities.js';
import { within } from '../text/form.js';
import { flow, path, window } from './network_form.js';
import { logarithmic, logarithmicValues } from './logarithmic_axis.js';
import { picture } from './picture_form.js';
import { claim, expectation, type compareClaim, type monotoneClaim } from './published_form.js';
import { surface } from './surface_form.js';
import { cut } from '../text/quantities.js';
import { suggestedFix } from '../text/suggest.js';

/** Settings and their new values. */
const assignments = v.record(
  v.string(),
  v.unknown(),
  'dotted paths with their values, such as "forward.capacity": "1mbps"',
);

/** One value of an axis: its name, and the settings that it changes. */
const axisValue = record({
  name: named('a name'),
  /** Shown instead of the name. */
  label: v.optional(text('text')),
  /** The position of the value on a numeric axis. */
  at: v.optional(number),
  set: assignments,
});

export interface ParsedAxis {
  name: string;
  label?: string | undefined;
  unit?: string | undefined;
  values: v.InferOutput<typeof axisValue>[];
  /** The logarithmic scale that the values were computed from, if the scenario contains one. */
  log?: v.InferOutput<typeof logarithmic>;
}

const areOf = (log: v.InferOutput<typeof logarithmic>, values: readonly { name: string }[]): boolean =>
  logarithmicValues(log)
    .map(({ name }) => name)
    .join() === values.map(({ name }) => name).join();

const axis = v.pipe(
  record({
    name: named('a name'),
    label: v.optional(text('text')),
    unit: v.optional(v.string('text')),
    values: v.optional(v.pipe(list(axisValue, 'values'), v.nonEmpty('at least one value'))),
    log: v.optional(logarithmic),
  }),
  // A scenario file gives an axis either `values` or `log`. Parsing fills in `values` from `log`, so a
  // scenario that is parsed again has both. Then they must agree.
  v.check(
    ({ values, log }) =>
      log === undefined ? values !== undefined : values === undefined || areOf(log, values),
    'values or log, one of them',
  ),
  v.transform(({ values = [], log, ...rest }): ParsedAxis =>
    log === undefined ? { ...rest, values } : { ...rest, values: logarithmicValues(log), log },
  ),
);

/**
 * The parts of a scenario that cells may change: the network, its flows, and the time windows of the
 * measurements.
 */
const networkEntries = {
  duration_s: v.pipe(seconds, v.minValue(0.001, 'more than 0 s')),
  forward: path,
  /** Default: a path with the forward path's delay and without a bottleneck. */
  backward: v.optional(path),
  flows: v.pipe(list(flow, 'flows'), v.nonEmpty('at least one flow')),
  windows: v.optional(list(window, 'windows')),
  /** Fairness over time and convergence are computed from mean rates over intervals of this length. Default 500. */
  rate_interval_ms: v.optional(within(1, 1e6, ' ms')),
};
const networkSchema = record(networkEntries);
/** The top-level fields that a cell may change. */
export const SETTABLE: readonly string[] = Object.keys(networkEntries);

const MAX_AXES = 16;

export const scenarioSchema = record({
  ...networkEntries,
  ccscope_scenario: v.literal(1, '1, the version of this format'),
  id: named('an id'),
  title: text('a title'),
  description: text('a description'),
  /** The short name of the paper or document. */
  paper: v.optional(named('a paper')),
  /** The section or figure of the paper. */
  source: v.optional(text('section or figure')),
  /** How often each cell runs, each time with a different seed. Default 1. */
  runs: v.optional(integer(1, 10_000)),
  /** The seed of the first run; each following run adds 1. Default 1. */
  seed: v.optional(integer(0, 2 ** 52)),
  /** The settings that vary from cell to cell, and their values. */
  axes: v.optional(list(axis, 'axes', MAX_AXES)),
  /**
   * `product` (default) makes one cell for each combination of the axes' values. A list of selectors makes only
   * the selected combinations. If a selector omits an axis, the scenario's own settings apply.
   */
  cells: v.optional(v.union([v.literal('product'), list(selector, 'cells')], '"product" or a list of cells')),
  /** Settings of selected cells, which are applied after the settings of the axes' values. */
  overrides: v.optional(list(record({ cells: selector, set: assignments }), 'overrides')),
  /** Quantities that `ccscope run` shows in addition to those of `expectations`. */
  metrics: v.optional(list(quantity, 'metrics')),
  expectations: v.optional(list(expectation, 'expectations')),
  claims: v.optional(list(claim, 'claims')),
  pictures: v.optional(list(picture, 'pictures')),
  /**
   * The quantities in which a report compares the values of an axis, such as the controllers. Scenarios that
   * compare along the same axis share one table.
   */
  comparison: v.optional(comparison),
  /** A quantity over two axes. All cells are shown together as one map. */
  surface: v.optional(surface),
  /**
   * Choices that were made after the results were known. A verdict that depends on such a choice is not an
   * independent confirmation.
   */
  decided_after_results: v.optional(list(text('what was chosen, and why'), 'choices')),
  notes: v.optional(list(text('text'), 'notes')),
});

export type Scenario = v.InferOutput<typeof scenarioSchema>;
export type ScenarioPath = Scenario['forward'];
export type ScenarioFlow = Scenario['flows'][number];
export type Axis = NonNullable<Scenario['axes']>[number];
export type Selector = v.InferOutput<typeof selector>;
export type Quantity = v.InferOutput<typeof quantity>;
export type Expectation = v.InferOutput<typeof expectation>;
export type Claim = v.InferOutput<typeof claim>;
export type CompareClaim = v.InferOutput<typeof compareClaim>;
export type MonotoneClaim = v.InferOutput<typeof monotoneClaim>;
export type Comparison = v.InferOutput<typeof comparison>;
export type SurfaceSpec = v.InferOutput<typeof surface>;
export type Picture = v.InferOutput<typeof picture>;

/**
 * Checks a scenario against the schema, but does not check the names in it. Throws ConfigError, whose path begins
 * with `at`.
 */
export const parseForm = (input: unknown, at: string): Scenario => parsed(scenarioSchema, input, at);

/** Checks only the fields that cells may change. Throws ConfigError, whose path begins with `at`. */
export const parseNetwork = (input: unknown, at: string): v.InferOutput<typeof networkSchema> =>
  parsed(networkSchema, input, at);

/**
 * Checks a value from an untrusted source against a schema. Throws ConfigError for the first error; its path
 * begins with `at`.
 */
export function parsed<T>(schema: v.GenericSchema<unknown, T>, input: unknown, at: string): T {
  checkNesting(input, at);
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  throw problem(result.issues[0], at);
}

/** What to write instead of link settings that exist elsewhere in ccscope, but not in scenarios. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  rtt_ms: 'set one_way_delay_ms to half of it, in forward and in backward',
  rtt: 'set one_way_delay_ms to half of it, in forward and in backward',
};

function problem(issue: v.BaseIssue<unknown>, at: string): ConfigError {
  const path = v.getDotPath(issue);
  const field = path === null ? at : `${at}.${path}`;
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    const key = String(issue.path?.at(-1)?.key);
    const names = issue.message.replace('one of ', '').split(', ');
    const fix = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
    return new ConfigError(
      field,
      issue.message,
      shown(key),
      fix ?? suggestedFix(key, names, `remove ${cut(key)}`),
    );
  }
  const got = issue.input === undefined ? 'nothing' : describe(issue.input);
  // The messages of parsers (see parsedBy) consist of the expected value and the suggested fix.
  const [, expected = issue.message, mend] = /^(.*?); (.*)$/.exec(issue.message) ?? [];
  const fix = issue.input === undefined ? 'add it' : (mend ?? 'correct this value');
  return new ConfigError(field, expected, got, fix);
}

const describe = (value: unknown): string =>
  typeof value === 'object'
    ? Array.isArray(value)
      ? 'a list'
      : value === null
        ? 'null'
        : 'an object'
    : shown(value);
