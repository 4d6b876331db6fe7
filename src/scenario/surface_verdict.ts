/** The verdicts of an experiment whose cells form a surface (surface.ts). */
import type { CellValues } from './claims.js';
import type { Scenario, SurfaceSpec } from './scenario.js';
import { surfaceOf } from './surface.js';
import type { ExperimentResult } from './verdict.js';

/**
 * The verdict on the position of the maximum, and the claims about slopes. The result contains neither if the
 * scenario names no paper, for example because it is a changed copy.
 */
export function judgeSurface(
  scenario: Scenario,
  spec: SurfaceSpec,
  results: readonly CellValues[],
): ExperimentResult {
  const surface = surfaceOf(scenario, spec, results);
  const { published, slopes, x, y } = surface;
  if (scenario.paper === undefined || published === undefined)
    return { id: scenario.id, title: scenario.title, cells: [], statements: [], claims: [], surface };
  const verdict = published.isMaximum ? 'within' : 'off';
  const numbers = { within: 0, ordering: 0, off: 0, [verdict]: 1 };
  const says = `highest at (${x.label}, ${y.label}) = (${published.x}, ${published.y})`;
  return {
    id: scenario.id,
    title: scenario.title,
    paper: scenario.paper,
    cells: [],
    statements: [{ metric: spec.metric, published: NaN, says, where: published.where, numbers, verdict }],
    claims: slopes.map(({ id, says: text, where, holds, p }) => ({
      ...{ id, says: text, where, holds },
      cases: [{ cells: [], values: [], p, holds }],
    })),
    surface,
  };
}
