/**
 * Decides whether a paper's published values apply to a scenario. They apply to the paper's own experiment. They do
 * not apply to a changed copy of this experiment, or to a copy with another controller.
 */
import { cellKey, cellsOf, instantiate } from './cells.js';
import { compile } from './compile.js';
import { bare, claimQuantities, measuredOf } from './measured.js';
import { quantityKey } from './metrics.js';
import type { Scenario, SurfaceSpec } from './scenario.js';

/** The fields by which a copy of a scenario is recognised. Their contents need not have been checked. */
export type Published = Pick<Scenario, 'id' | 'paper' | 'source' | 'expectations' | 'claims'>;

export const hasPublished = ({ expectations = [], claims = [], surface }: Scenario): boolean =>
  expectations.length > 0 || claims.length > 0 || surface?.published !== undefined;

/**
 * Whether a scenario is a copy of another scenario: it names the same paper and the same section or figure, or it
 * repeats a published number or claim from the same place in the paper. A scenario that names another paper is not a
 * copy.
 */
export function isCopyOf(scenario: Scenario, original: Published): boolean {
  if (scenario.paper !== undefined && original.paper !== undefined && scenario.paper !== original.paper)
    return false;
  if (
    scenario.paper !== undefined &&
    scenario.paper === original.paper &&
    scenario.source === original.source
  )
    return true;
  const { expectations = [], claims = [] } = original;
  return (
    (scenario.expectations ?? []).some(({ metric, published, where }) =>
      expectations.some(
        (each) => each.metric === metric && each.published === published && each.where === where,
      ),
    ) ||
    (scenario.claims ?? []).some(({ says, where }) =>
      claims.some((each) => each.says === says && each.where === where),
    )
  );
}

/** JSON that is the same for equal data, whatever the order of the fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );

/** Whether each cell of a scenario is a cell of the original, with the same network and the same flows. */
function isSameExperiment(scenario: Scenario, original: Scenario): boolean {
  const cells = new Map(cellsOf(original).map((cell) => [cellKey(cell), cell]));
  const simulated = (of: Scenario, cell: Parameters<typeof instantiate>[1]): string =>
    canonical(compile(instantiate(of, cell), 0));
  return cellsOf(scenario).every((cell) => {
    const other = cells.get(cellKey(cell));
    return other !== undefined && simulated(scenario, cell) === simulated(original, other);
  });
}

/**
 * The scenario without the paper's values, bands and claims. The quantities of these values are still
 * measured. `why` states how the scenario differs from the paper's experiment; a note with this text replaces
 * the scenario's notes. A scenario without published values is returned unchanged.
 */
export function withoutPublished(scenario: Scenario, why: string): Scenario {
  if (!hasPublished(scenario)) return scenario;
  const {
    paper: _,
    source: __,
    expectations = [],
    claims = [],
    decided_after_results: ___,
    surface,
    ...rest
  } = scenario;
  const quantities = [
    ...(scenario.metrics ?? []),
    ...[...expectations, ...claims.flatMap(claimQuantities)].map((each) => bare(measuredOf(each))),
  ];
  const metrics = [...new Map(quantities.map((quantity) => [quantityKey(quantity), quantity])).values()];
  const rule = 'What a paper published applies to its own experiment, so it is not shown beside this one.';
  return {
    ...rest,
    ...(surface !== undefined && { surface: unjudged(surface) }),
    metrics,
    notes: [`${why} ${rule}`],
  };
}

/** The map without the paper's point and claims. */
const unjudged = ({ published: _, ...map }: SurfaceSpec): SurfaceSpec => ({ ...map, slopes: [] });

/**
 * The scenario with only those published values that apply to it. `originals` are the experiments of which the
 * scenario is a copy (see `isCopyOf`). If the scenario differs from all originals, the values are left out.
 */
export function withOwnPublished(scenario: Scenario, originals: readonly Scenario[]): Scenario {
  const [first] = originals;
  return first === undefined || originals.some((each) => isSameExperiment(scenario, each))
    ? scenario
    : withoutPublished(scenario, `The settings differ from those of ${first.id}.`);
}
