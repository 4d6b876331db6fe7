/** The form of a matrix of calls: links, controllers and sources, every combination of which is run. */
import * as v from 'valibot';

import { integer, list, named, record, text } from '../../text/form.js';
import { linkEntries } from '../../link/link_config.js';
import { parsedBy, within } from '../../text/form.js';
import { parseRate } from '../../link/capacity_text.js';
import { ConfigError, shown } from '../../text/quantities.js';
import { parsed } from '../../scenario/scenario.js';
import { VIDEO_CODECS, VIDEO_SIZE_NAMES } from '../../scenario/video_format.js';
import { TWIN_MACHINES } from '../call/types.js';

/** The metrics by which controllers are compared: names in a report's summary. */
export const COMPARED = [
  'utilisation',
  'queue_delay_p95_ms',
  'drops',
  'freeze_count',
  'time_to_90pct_s',
] as const;
export type Compared = (typeof COMPARED)[number];

/** The use of a link's results: parameters may be tuned on `training` links only. */
export const SETS = ['training', 'test'] as const;
export type LinkSet = (typeof SETS)[number];

/** A link, with the fields of `LinkConfig` and their defaults. */
const link = record({
  name: named('a name'),
  set: v.optional(v.picklist(SETS, 'training or test')),
  /** The highest rate that sources send over the link. Default 2.5mbps. */
  source_max: v.optional(
    parsedBy(v.union([v.string(), v.number()], 'a rate such as 2.5mbps'), (value) => parseRate(value)),
  ),
  ...linkEntries,
});

const controller = record({
  name: named('a name'),
  /** gcc, nada, lcc, native or a file beside the matrix. Default: the name. */
  controller: v.optional(text('gcc, nada, lcc, native or a file')),
  /** Default: the controller's own preset for calls. */
  preset: v.optional(text('the name of a preset')),
  /** Parameters that differ from the preset. */
  set: v.optional(v.record(v.string(), v.union([v.number(), v.string()]), 'parameters with their values')),
});

const source = record({
  name: named('a name'),
  /** Takes the same values as `--source`; a file is looked up beside the matrix. Default: the name. */
  source: v.optional(text('synthetic, test-picture, fractal, noise, text or a file')),
  size: v.optional(v.picklist(VIDEO_SIZE_NAMES, VIDEO_SIZE_NAMES.join(' or '))),
  fps: v.optional(v.picklist([15, 30], '15 or 30')),
  codec: v.optional(v.picklist(VIDEO_CODECS, VIDEO_CODECS.join(' or '))),
  audio: v.optional(v.boolean('true or false')),
  /** The names of the links on which the source is used. Default: all. */
  links: v.optional(list(text('the name of a link'), 'names of links')),
});

/**
 * A lower or upper limit on a difference of medians: the controller's median minus the baseline's. The limit applies
 * to each link or, with `over: links`, to the median of the differences on all links.
 */
const target = v.pipe(
  record({
    metric: v.picklist(COMPARED, `one of ${COMPARED.join(', ')}`),
    at_least: v.optional(within(-1e9, 1e9)),
    at_most: v.optional(within(-1e9, 1e9)),
    over: v.optional(v.literal('links', '"links"')),
  }),
  v.check(
    ({ at_least, at_most }) => (at_least === undefined) !== (at_most === undefined),
    'either at_least or at_most',
  ),
);

const filled = <const T extends v.GenericSchema>(item: T, what: string) =>
  v.pipe(list(item, what), v.minLength(1, `at least one of its ${what}`));

const matrixSchema = record({
  ccscope_matrix: v.literal(1, '1, the version of this format'),
  title: text('a title'),
  description: v.optional(text('a description')),
  /** Length of a run. Default 42, the length of the shipped schedules. */
  duration_s: v.optional(within(3, 86_400, ' s')),
  /** Runs of each controller on each link. Default 3. */
  runs: v.optional(integer(1, 1000)),
  /** For simulated calls (`--twin`): how busy the simulated machine is. Default idle. */
  machine: v.optional(v.picklist(TWIN_MACHINES, `one of ${TWIN_MACHINES.join(', ')}`)),
  links: filled(link, 'links'),
  controllers: filled(controller, 'controllers'),
  /** Default: the synthetic camera. */
  sources: v.optional(filled(source, 'sources')),
  /** The name of the controller that the others are compared with. Default native. */
  baseline: v.optional(text('the name of a controller')),
  targets: v.optional(list(target, 'targets')),
});

export type Matrix = v.InferOutput<typeof matrixSchema>;
export type MatrixLink = Matrix['links'][number];
export type MatrixController = Matrix['controllers'][number];
export type MatrixSource = NonNullable<Matrix['sources']>[number];
export type Target = v.InferOutput<typeof target>;

export const DEFAULT_DURATION_S = 42;
export const DEFAULT_RUNS = 3;
export const DEFAULT_SOURCES: readonly MatrixSource[] = [{ name: 'synthetic' }];

/** Checks the form and the names of a matrix. Throws ConfigError, whose path begins with `at`. */
export function parseMatrix(input: unknown, at = 'matrix'): Matrix {
  const matrix = parsed(matrixSchema, input, at);
  const { links, controllers, sources = [], baseline } = matrix;
  for (const [field, named] of Object.entries({ links, controllers, sources })) {
    const seen = new Set<string>();
    for (const [i, { name }] of named.entries()) {
      if (seen.has(name))
        throw new ConfigError(
          `${at}.${field}.${i}.name`,
          'different names',
          shown(name),
          'rename one of the two',
        );
      seen.add(name);
    }
  }
  for (const [i, { links: only = [] }] of sources.entries())
    for (const [j, name] of only.entries()) expectName(`${at}.sources.${i}.links.${j}`, name, links);
  if (baseline !== undefined) expectName(`${at}.baseline`, baseline, controllers);
  return matrix;
}

function expectName(field: string, name: string, known: readonly { name: string }[]): void {
  if (known.some((each) => each.name === name)) return;
  const names = known.map((each) => each.name).join(', ');
  throw new ConfigError(field, `one of ${names}`, shown(name), 'correct this name');
}
