/** The file format of a matrix of calls: links, controllers and sources, all combinations of which are run. */
import * as v from 'valibot';

import { integer, list, named, record, text } from '../../text/form.js';
import { linkEntries } from '../../link/link_config.js';
import { parsedBy, within } from '../../text/form.js';
import { parseRate } from '../../link/capacity_text.js';
import { ConfigError, shown } from '../../text/quantities.js';
import { parsed } from '../../scenario/scenario.js';
import { VIDEO_CODECS, VIDEO_SIZE_NAMES } from '../../scenario/video_format.js';
import { TWIN_MACHINES } from '../call/types.js';

/** The metrics by which controllers are compared. The names are those in a report's summary. */
export const COMPARED = [
  'utilisation',
  'queue_delay_p95_ms',
  'drops',
  'freeze_count',
  'time_to_90pct_s',
] as const;
export type Compared = (typeof COMPARED)[number];

/** What the results on a link are for: parameters may be tuned on `training` links, but not on `test` links. */
export const SETS = ['training', 'test'] as const;
export type LinkSet = (typeof SETS)[number];

/** A link: all settings of a link, each optional, and three more fields. */
const link = record({
  name: named('a name'),
  set: v.optional(v.picklist(SETS, 'training or test')),
  /** The maximum rate of the sources on this link. Default 2.5mbps. */
  source_max: v.optional(
    parsedBy(v.union([v.string(), v.number()], 'a rate such as 2.5mbps'), (value) => parseRate(value)),
  ),
  ...linkEntries,
});

const controller = record({
  name: named('a name'),
  /** gcc, nada, lcc, native or a file, relative to the matrix's folder. Default: the value of `name`. */
  controller: v.optional(text('gcc, nada, lcc, native or a file')),
  /** Default: the controller's default preset for live calls. */
  preset: v.optional(text('the name of a preset')),
  /** Parameters that differ from the preset. */
  set: v.optional(v.record(v.string(), v.union([v.number(), v.string()]), 'parameters with their values')),
});

const source = record({
  name: named('a name'),
  /** The values of `--source`; a file is relative to the matrix's folder. Default: the value of `name`. */
  source: v.optional(text('synthetic, test-picture, fractal, noise, text or a file')),
  size: v.optional(v.picklist(VIDEO_SIZE_NAMES, VIDEO_SIZE_NAMES.join(' or '))),
  fps: v.optional(v.picklist([15, 30], '15 or 30')),
  codec: v.optional(v.picklist(VIDEO_CODECS, VIDEO_CODECS.join(' or '))),
  audio: v.optional(v.boolean('true or false')),
  /** The names of the links on which this source is used. Default: all links. */
  links: v.optional(list(text('the name of a link'), 'names of links')),
});

/**
 * A limit on a difference: the controller's median minus the baseline's median. The limit applies to each
 * link with each source separately. With `over: links`, it applies to the median of all these differences.
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
  /** Length of a run in seconds. Default 42, the length of the capacity schedules that come with ccscope. */
  duration_s: v.optional(within(3, 86_400, ' s')),
  /** Number of runs of each controller on each link with each source. Default 3. */
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
export const DEFAULT_BASELINE = 'native';
export const DEFAULT_SOURCES: readonly MatrixSource[] = [{ name: 'synthetic' }];

/**
 * Checks a matrix. Its names must be unique, and all references to links and controllers valid. Throws
 * ConfigError, whose path begins with `at`.
 */
export function parseMatrix(input: unknown, at = 'matrix'): Matrix {
  const matrix = parsed(matrixSchema, input, at);
  const { links, controllers, sources = [], baseline, targets = [] } = matrix;
  for (const [field, named] of Object.entries({ links, controllers, sources })) {
    const seen = new Set<string>();
    for (const [i, { name }] of named.entries()) {
      if (seen.has(name))
        throw new ConfigError(
          `${at}.${field}.${i}.name`,
          'each name once',
          `${shown(name)} twice`,
          'rename one of them',
        );
      seen.add(name);
    }
  }
  checkLinksOfSources(links, matrix.sources ?? DEFAULT_SOURCES, at);
  if (baseline !== undefined) expectName(`${at}.baseline`, baseline, controllers);
  // Without this check the targets would be dropped: nothing is compared with a baseline that takes no part.
  else if (targets.length > 0 && controllers.every(({ name }) => name !== DEFAULT_BASELINE))
    throw new ConfigError(
      `${at}.baseline`,
      `one of ${controllers.map(({ name }) => name).join(', ')}, since there are targets`,
      `nothing, which stands for ${DEFAULT_BASELINE}`,
      `name the controller that the targets compare with, or add ${DEFAULT_BASELINE} to \`controllers\``,
    );
  return matrix;
}

/** Throws ConfigError unless every source is sent over a link, and every link has a source. */
function checkLinksOfSources(
  links: readonly MatrixLink[],
  sources: readonly MatrixSource[],
  at: string,
): void {
  for (const [i, { links: only }] of sources.entries()) {
    if (only?.length === 0)
      throw new ConfigError(
        `${at}.sources.${i}.links`,
        'the name of at least one link',
        'an empty list',
        'name one, or remove `links` to send the source over all links',
      );
    for (const [j, name] of (only ?? []).entries()) expectName(`${at}.sources.${i}.links.${j}`, name, links);
  }
  for (const [i, { name }] of links.entries())
    if (sources.every(({ links: only }) => only !== undefined && !only.includes(name)))
      throw new ConfigError(
        `${at}.links.${i}`,
        'a link that a source is sent over',
        shown(name),
        'add its name to the `links` of a source, or remove this link',
      );
}

function expectName(field: string, name: string, known: readonly { name: string }[]): void {
  if (known.some((each) => each.name === name)) return;
  const names = known.map((each) => each.name).join(', ');
  throw new ConfigError(field, `one of ${names}`, shown(name), 'correct this name');
}
