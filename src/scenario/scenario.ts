/**
 * Scenarios: experiments as data. A scenario describes the network and its flows, how they vary
 * from cell to cell, what is measured, and what a paper published of it. Files in
 * `public/scenarios/` hold one each; the README shows how to write one.
 *
 * Units stand in the names: `_s`, `_ms`, `_bps`, `_bytes`; a ratio is between 0 and 1.
 */
import * as v from 'valibot';

import { ConfigError, parsedBy, parseQueue, parseRate, parseSchedule, shown, within } from './link_config.js';
import { near } from './suggest.js';

const MAX_SECONDS = 1e6;
const MAX_FLOWS = 2000;

/** An object that takes these names and no others. */
function record<const E extends v.ObjectEntries>(entries: E) {
  const names = Object.keys(entries).join(', ');
  return v.strictObject(entries, (issue) =>
    issue.expected === 'never' ? `one of ${names}` : issue.received === 'undefined' ? 'a value' : 'an object',
  );
}

const text = (what: string) => v.pipe(v.string(what), v.nonEmpty(what));
const integer = (min: number, max: number) => v.pipe(within(min, max), v.integer('a whole number'));
const seconds = within(0, MAX_SECONDS, ' s');
const named = (what: string) =>
  v.pipe(v.string(what), v.regex(/^[\w.-]{1,64}$/, `${what}: letters, digits, ., - or _`));
const list = <T extends v.GenericSchema>(item: T, what: string) => v.array(item, `a list of ${what}`);
const numbers = v.record(
  v.string(),
  v.pipe(v.number('a number'), v.finite('a number')),
  'names with numbers',
);

/** A capacity: `1mbps`, a schedule, bit/s, or a mahimahi trace (the text, or the name of a file). */
const capacity = v.union(
  [
    parsedBy(v.union([v.string(), v.number()]), (value) => parseSchedule(value)),
    record({ mahimahi: text('a trace or the name of its file') }),
  ],
  (issue) =>
    issue.issues?.find((inner) => inner.kind === 'validation')?.message ??
    'a rate such as 1mbps, a schedule, or a mahimahi trace',
);

const pathEntries = {
  /** Left out: no bottleneck. */
  capacity: v.optional(capacity),
  /** Instead: this times the number of flows of the direction, all of them together. */
  capacity_per_flow: v.optional(
    parsedBy(v.union([v.string(), v.number()], 'a rate such as 1mbps'), (value) => parseRate(value)),
  ),
  queue: v.optional(parsedBy(v.string('a queue such as droptail:300ms'), (value) => parseQueue(value))),
  bottleneck: v.optional(v.picklist(['serial', 'token-bucket'], 'serial or token-bucket')),
  burst_bytes: v.optional(within(1, 1e9, ' bytes')),
  one_way_delay_ms: v.optional(within(0, 60_000, ' ms')),
  loss_ratio: v.optional(within(0, 1)),
  /** Standard deviation; the delay is its absolute value, at most three of them. */
  jitter_ms: v.optional(within(0, 10_000, ' ms')),
};

const flowEntries = {
  name: named('a name'),
  /** How many of them there are; 0 leaves them out. Default 1. */
  count: v.optional(integer(0, MAX_FLOWS)),
  direction: v.optional(v.picklist(['forward', 'backward'], 'forward or backward')),
  start_s: v.optional(seconds),
  /** Each of `count` starts this later than the one before. Default 0. */
  start_step_s: v.optional(seconds),
  /** Default: the end. */
  stop_s: v.optional(seconds),
  /** Propagation beyond the path's, each way. */
  extra_delay_ms: v.optional(within(0, 60_000, ' ms')),
};

const mediaFlow = record({
  kind: v.literal('media'),
  ...flowEntries,
  controller: v.optional(v.picklist(['gcc'], 'gcc')),
  preset: v.optional(text('the name of a preset')),
  /** Parameters of the controller that differ from the preset. */
  parameters: v.optional(numbers),
  /** A preset of the video source: `vp8`. */
  source_preset: v.optional(text('the name of a preset')),
  /** Parameters of the video source that differ from the preset. */
  source: v.optional(numbers),
  /** Times in which the source sends nothing. */
  pauses: v.optional(list(record({ from_s: seconds, to_s: seconds }), 'pauses')),
});

const tcpFlow = record({
  kind: v.literal('tcp'),
  ...flowEntries,
  congestion_control: v.optional(v.picklist(['cubic', 'new_reno'], 'cubic or new_reno')),
  preset: v.optional(text('the name of a preset')),
  /** Parameters of TCP that differ from the preset. */
  parameters: v.optional(numbers),
  /** Files with pauses instead of data without end (RFC 8867 5.7). */
  short: v.optional(record({ min_bytes: within(1, 1e9), max_bytes: within(1, 1e9), idle_mean_s: seconds })),
});

const flow = v.variant('kind', [mediaFlow, tcpFlow], 'a flow whose kind is media or tcp');
const windowSchema = record({ name: named('a name'), begin_s: seconds, end_s: seconds });

/** What a cell assigns. */
const assignments = v.record(
  v.string(),
  v.unknown(),
  'dotted paths with their values, such as "forward.capacity": "1mbps"',
);

/** The value of an axis: its name, and what it assigns to which dotted path. */
const axisValue = record({
  name: named('a name'),
  /** Shown instead of the name. */
  label: v.optional(text('text')),
  /** Where the value stands on a numeric axis. */
  at: v.optional(v.pipe(v.number('a number'), v.finite('a number'))),
  set: assignments,
});

const axis = record({
  name: named('a name'),
  label: v.optional(text('text')),
  unit: v.optional(v.string('text')),
  values: v.pipe(list(axisValue, 'values'), v.nonEmpty('at least one value')),
});

/** Axis -> value, values, or `*` for every cell that has this axis. */
const selector = v.record(
  v.string(),
  v.union([v.string(), v.array(v.string())], 'the name of a value, a list of names, or "*"'),
  'axes with names of values',
);

const quantityEntries = {
  /** A name of the table of metrics (src/scenario/metrics.ts). */
  metric: text('the name of a metric'),
  /** A flow's name, or `*` for all. Default: the first media flow. */
  flow: v.optional(text('the name of a flow')),
  /** Default: `run`, all of it. */
  window: v.optional(text('the name of a window')),
  /** For metrics of a path. Default: forward. */
  path: v.optional(v.picklist(['forward', 'backward'], 'forward or backward')),
};
const quantity = record(quantityEntries);

const expectation = record({
  ...quantityEntries,
  /** Which cells it is about. Default: all. */
  cells: v.optional(selector),
  /** What was published, in the metric's unit. */
  published: v.number('a number'),
  /** What the paper says where it is no plain number: `slightly above 90 %`. */
  says: v.optional(text('text')),
  /** Section or figure. */
  where: text('where it stands'),
  read: v.picklist(['text', 'table', 'figure', 'formula'], 'text, table, figure or formula'),
  /** Lowest and highest value at which it counts as reproduced, both included. */
  band: v.strictTuple([v.number('a number'), v.number('a number')], 'the lowest and the highest value'),
  /** Why this band. */
  why: text('the reason of the band'),
  /** Claims which, where they hold, make the verdict `ordering` outside of the band. */
  claims: v.optional(list(v.string('the id of a claim'), 'ids of claims')),
  /** What is known about it, for instance why it may stay out. */
  note: v.optional(text('text')),
});

const claimEntries = {
  id: named('an id'),
  /** The paper's statement in our words. */
  says: text('the statement'),
  where: text('where it stands'),
};

/** A metric rises or falls along an axis, in every combination of the other axes. */
const monotoneClaim = record({
  kind: v.literal('monotone'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  along: text('the name of an axis'),
  direction: v.picklist(['rising', 'falling'], 'rising or falling'),
  /** By how much a step may go the other way. Default 0. */
  tolerance: v.optional(within(0, 1e12)),
});

/** A quantity compared with a number, with another one, or with itself in another cell. */
const compareClaim = record({
  kind: v.literal('compare'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  is: v.picklist(['<', '<=', '>', '>=', '~'], '<, <=, >, >= or ~'),
  than: v.union(
    [
      v.pipe(v.number(), v.finite()),
      record({
        metric: v.optional(quantityEntries.metric),
        flow: quantityEntries.flow,
        window: quantityEntries.window,
        path: quantityEntries.path,
        /** Axes in which the other cell differs. */
        cell: v.optional(v.record(v.string(), v.string())),
        /** The other value is multiplied by this first. Default 1. */
        times: v.optional(v.number()),
      }),
    ],
    'a number, or metric, flow, window, path, cell, times of the other quantity',
  ),
  /** For `~`: by how much they may differ. */
  tolerance: v.optional(within(0, 1e12)),
});

const claim = v.variant('kind', [monotoneClaim, compareClaim], 'a claim whose kind is monotone or compare');

const DISTRIBUTIONS = ['probe_queue_delay', 'rtt', 'queue_delay'] as const;
const distribution = v.picklist(DISTRIBUTIONS, DISTRIBUTIONS.join(', '));
const pictureEntries = { title: v.optional(text('text')), cells: v.optional(selector) };
const scale = v.optional(v.picklist(['linear', 'log'], 'linear or log'));
const axisName = text('the name of an axis');

const picture = v.variant(
  'kind',
  [
    /** Published beside measured: a bar per cell, grouped by an axis, one colour per value of `series`. */
    record({
      kind: v.literal('bars'),
      ...pictureEntries,
      ...quantityEntries,
      group_by: axisName,
      series: v.optional(axisName),
      scale,
    }),
    /** 5th, 25th, 50th, 75th and 95th percentile, arranged as bars are. */
    record({
      kind: v.literal('boxes'),
      ...pictureEntries,
      distribution,
      flow: quantityEntries.flow,
      window: quantityEntries.window,
      group_by: axisName,
      series: v.optional(axisName),
      scale,
    }),
    /** A metric with its interval over an axis, a line per value of `series`; its published values are points. */
    record({
      kind: v.literal('lines'),
      ...pictureEntries,
      ...quantityEntries,
      x: axisName,
      series: v.optional(axisName),
      scale,
    }),
    /** Cumulative distribution of a trace column in the first run, a curve per cell. */
    record({
      kind: v.literal('cdf'),
      ...pictureEntries,
      table: text('a trace table'),
      column: text('a trace column'),
      flow: v.optional(text('the name of a flow')),
    }),
    /** Trace columns of the first run over time, a panel each. */
    record({
      kind: v.literal('time_series'),
      ...pictureEntries,
      panels: list(
        record({
          title: text('text'),
          unit: v.optional(text('text')),
          lines: list(
            record({
              table: text('a trace table'),
              column: text('a trace column'),
              /** Default: all flows of the table. */
              flow: v.optional(text('the name of a flow')),
              label: v.optional(text('text')),
            }),
            'lines',
          ),
        }),
        'panels',
      ),
    }),
  ],
  'a picture whose kind is bars, boxes, lines, cdf or time_series',
);

export const scenarioSchema = record({
  ccscope_scenario: v.literal(1, '1, the version of this format'),
  id: named('an id'),
  title: text('a title'),
  description: text('a description'),
  /** Short name of the paper or document. */
  paper: v.optional(named('a paper')),
  /** Where in the paper. */
  source: v.optional(text('section or figure')),
  duration_s: v.pipe(seconds, v.minValue(0.001, 'more than 0 s')),
  /** How often each cell runs, each time with another seed. Default 1. */
  runs: v.optional(integer(1, 10_000)),
  /** Seed of the first run; the others follow. Default 1. */
  seed: v.optional(integer(0, 2 ** 52)),
  forward: record(pathEntries),
  /** Default: the forward path's delay, and nothing else. */
  backward: v.optional(record(pathEntries)),
  flows: v.pipe(list(flow, 'flows'), v.nonEmpty('at least one flow')),
  windows: v.optional(list(windowSchema, 'windows')),
  /** Of the rates that fairness over time and convergence come from. Default 500. */
  rate_interval_ms: v.optional(within(1, 1e6, ' ms')),
  /** What varies from cell to cell. */
  axes: v.optional(list(axis, 'axes')),
  /**
   * Which combinations there are: `product` (default) or a list of axis -> value, values or `*`;
   * an axis that an entry leaves out keeps the scenario's own values.
   */
  cells: v.optional(v.union([v.literal('product'), list(selector, 'cells')], '"product" or a list of cells')),
  /** Assigned after the values of the axes, in the cells that are selected. */
  overrides: v.optional(list(record({ cells: selector, set: assignments }), 'overrides')),
  /** What `ccscope run` shows besides what is expected. */
  metrics: v.optional(list(quantity, 'metrics')),
  expectations: v.optional(list(expectation, 'expectations')),
  claims: v.optional(list(claim, 'claims')),
  pictures: v.optional(list(picture, 'pictures')),
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
export type Picture = v.InferOutput<typeof picture>;

/** Checks the form of a scenario, not yet its names. Throws ConfigError; `at` begins its paths. */
export function parseForm(input: unknown, at: string): Scenario {
  const result = v.safeParse(scenarioSchema, input, { abortEarly: true });
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
      nearest === undefined ? `remove ${key}` : `did you mean ${nearest}?`,
    );
  }
  const got = issue.input === undefined ? 'nothing' : describe(issue.input);
  // What a parser expected, and how it says to mend it (see parsedBy).
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
