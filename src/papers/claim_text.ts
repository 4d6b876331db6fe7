/** Says in words how a claim of a paper is tested, so that readers can judge the test. */
import { axisOf, cellLabel } from '../scenario/cells.js';
import { metricText } from '../scenario/metrics.js';
import type {
  Claim,
  CompareClaim,
  MonotoneClaim,
  Quantity,
  Scenario,
  SurfaceSpec,
} from '../scenario/scenario.js';
import { metricName } from './metric_name.js';

/** How a claim about a map is tested. */
export const SLOPE_TESTS: Readonly<Record<SurfaceSpec['slopes'][number]['kind'], string>> = {
  'higher-where-x-is-larger':
    'the map at (a, b) is above that at (b, a), for a above b, as far from the diagonal as the published point',
  'lower-in-the-corner':
    'the mean over the corner with the largest x and the smallest y is below that around the published point',
};

const nameOf = ({ metric, ...about }: Quantity): string => metricName({ ...about, name: metric });

function comparison(scenario: Scenario, claim: CompareClaim): string {
  const { metric, is, than, tolerance = 0 } = claim;
  const relation = { '<': 'below', '>': 'above', '~': 'about' }[is];
  const within = is === '~' ? `, at most ${metricText(metric, tolerance)} from it` : '';
  if (typeof than === 'number') return `${nameOf(claim)}: ${relation} ${metricText(metric, than)}${within}`;
  const { cell, times, ...other } = than;
  const factor = times === undefined ? '' : `${times} times `;
  const what =
    Object.keys(definedOf(other)).length > 0
      ? nameOf({ ...quantityOf(claim), ...definedOf(other) })
      : 'its value';
  const where = cell === undefined ? '' : ` with ${cellLabel(scenario, cell)}`;
  return `${nameOf(claim)}: ${relation} ${factor}${what}${where}${within}`;
}

const quantityOf = ({ metric, flow, window, path }: Quantity): Quantity => ({
  metric,
  ...(flow !== undefined && { flow }),
  ...(window !== undefined && { window }),
  ...(path !== undefined && { path }),
});

/** Leaves out the fields that are undefined. */
const definedOf = (fields: Readonly<Record<string, string | undefined>>): Partial<Quantity> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function trend(scenario: Scenario, claim: MonotoneClaim): string {
  const { metric, along, direction, tolerance = 0 } = claim;
  const axis = axisOf(scenario, along, 'claims.along');
  const step = tolerance === 0 ? 'no step' : `no step of more than ${metricText(metric, tolerance)}`;
  const end = direction === 'rising' ? 'above' : 'below';
  return `${nameOf(claim)}: along ${axis.label ?? axis.name} the last value is ${end} the first, and ${step} between means goes the other way`;
}

/** A text such as `utilisation: about its value with T̄_q 350 ms, at most 5.00 % from it`. */
export const testText = (scenario: Scenario, claim: Claim): string =>
  claim.kind === 'monotone' ? trend(scenario, claim) : comparison(scenario, claim);
