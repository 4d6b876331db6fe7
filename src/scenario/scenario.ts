/**
 * Scenarios: experiments as data. A scenario describes the network and its flows, how they vary from cell to
 * cell, what is measured, and which results a paper published. Each file in `public/scenarios/` contains one
 * scenario; README.md beside this file shows how to write one.
 *
 * The names of fields end in their units: `_s`, `_ms`, `_bps`, `_bytes`; a ratio is between 0 and 1.
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
import { near } from '../text/suggest.js';

/** The settings that a cell changes, and their values. */
const assignments = v.record(
  v.string(),
  v.unknown(),
  'dotted paths with their values, such as "forward.capacity": "1mbps"',
);

/** One value of an axis: its name, and the settings that it assigns to dotted paths. */
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
  /** The logarithmic scale of the values, if the scenario gave a scale instead of values. */
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
  // An axis is written with either `values` or `log`. The check fills in `values` from `log`, so a scenario that
  // has already been checked may have both; they must then agree.
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
  /** Default: the forward path's delay, with no bottleneck. */
  backward: v.optional(path),
  flows: v.pipe(list(flow, 'flows'), v.nonEmpty('at least one flow')),
  windows: v.optional(list(window, 'windows')),
  /**
   * The length of a rate interval. Fairness over time and convergence are computed from the mean rates in these
   * intervals. Default 500.
   */
  rate_interval_ms: v.optional(within(1, 1e6, ' ms')),
};
const networkSchema = record(networkEntries);
/** The fields that a cell may assign to. */
export const SETTABLE: readonly string[] = Object.keys(networkEntries);

const MAX_AXES = 16;

export const scenarioSchema = record({
  ...networkEntries,
  ccscope_scenario: v.literal(1, '1, the version of this format'),
  id: named('an id'),
  title: text('a title'),
  description: text('a description'),
  /** Short name of the paper or document. */
  paper: v.optional(named('a paper')),
  /** The section or figure of the paper. */
  source: v.optional(text('section or figure')),
  /** How often each cell runs, each time with another seed. Default 1. */
  runs: v.optional(integer(1, 10_000)),
  /** The seed of the first run; each further run has the next number. Default 1. */
  seed: v.optional(integer(0, 2 ** 52)),
  /** What varies from cell to cell. */
  axes: v.optional(list(axis, 'axes', MAX_AXES)),
  /**
   * The combinations of values: `product` (default) for all of them, or a list of selectors; for an axis that
   * a selector omits, the scenario's own settings apply.
   */
  cells: v.optional(v.union([v.literal('product'), list(selector, 'cells')], '"product" or a list of cells')),
  /** Assignments in the selected cells, made after those of the axes' values. */
  overrides: v.optional(list(record({ cells: selector, set: assignments }), 'overrides')),
  /** Quantities that `ccscope run` shows in addition to those of the expectations. */
  metrics: v.optional(list(quantity, 'metrics')),
  expectations: v.optional(list(expectation, 'expectations')),
  claims: v.optional(list(claim, 'claims')),
  pictures: v.optional(list(picture, 'pictures')),
  /**
   * The quantities that a report compares along an axis, such as the controller. One table covers all
   * scenarios that compare along the same axis.
   */
  comparison: v.optional(comparison),
  /** A quantity over two axes; the cells are shown together as one map rather than one by one. */
  surface: v.optional(surface),
  /**
   * Choices that were made after results were known. A verdict that depends on such a choice is no
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
 * Checks the form of a scenario, but not its names. Throws ConfigError; `at` is the first part of the error's
 * path.
 */
export const parseForm = (input: unknown, at: string): Scenario => parsed(scenarioSchema, input, at);

/**
 * Checks the form of the fields that cells may change. Throws ConfigError; `at` is the first part of the
 * error's path.
 */
export const parseNetwork = (input: unknown, at: string): v.InferOutput<typeof networkSchema> =>
  parsed(networkSchema, input, at);

/**
 * Checks a value that came from outside. Throws ConfigError for the first fault; `at` is the first part of
 * the error's path.
 */
export function parsed<T>(schema: v.GenericSchema<unknown, T>, input: unknown, at: string): T {
  checkNesting(input, at);
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  throw problem(result.issues[0], at);
}

function problem(issue: v.BaseIssue<unknown>, at: string): ConfigError {
  const path = v.getDotPath(issue);
  const field = path === null ? at : `${at}.${path}`;
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    const key = String(issue.path?.at(-1)?.key);
    const [nearest] = near(key, issue.message.replace('one of ', '').split(', '), 1);
    return new ConfigError(
      field,
      issue.message,
      shown(key),
      nearest === undefined ? `remove ${cut(key)}` : `did you mean ${nearest}?`,
    );
  }
  const got = issue.input === undefined ? 'nothing' : describe(issue.input);
  // The value that a parser expected, and the fix that it suggests (see parsedBy).
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
