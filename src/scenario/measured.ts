/** Determines which quantities to measure in a cell. */
import { selects, type CellParams } from './cells.js';
import { BOX, quantityKey, relation } from './metrics.js';
import type { Claim, CompareClaim, Expectation, Picture, Quantity, Scenario } from './scenario.js';

/** All quantities to measure in a cell, without duplicates. */
export function quantitiesOf(scenario: Scenario, cell: CellParams): Quantity[] {
  const { expectations = [], claims = [], metrics = [], pictures = [], comparison, surface } = scenario;
  const here = (each: { cells?: Expectation['cells'] }): boolean => selects(each.cells, cell);
  const wanted: Quantity[] = [
    // A metric that is computed from two cells may need a measurement here even if its expectation is about the
    // other cell. So such expectations are always included.
    ...expectations.filter((each) => relation(each.metric) !== null || here(each)).map(measuredOf),
    ...metrics,
    // Always included: the other side of a comparison may belong to any cell.
    ...claims.flatMap(claimQuantities),
    ...pictures.filter(here).flatMap(pictureQuantities),
    ...(comparison?.quantities ?? []),
    ...(surface === undefined ? [] : [surface]),
  ];
  const asked = wanted.length > 0 ? wanted : usualQuantities(scenario);
  return [...new Map(asked.map((quantity) => [quantityKey(quantity), bare(quantity)])).values()];
}

/**
 * The quantities that are measured if a scenario names none: the rates and losses of each flow, and the queuing delay
 * of the path.
 */
function usualQuantities({ flows }: Scenario): Quantity[] {
  return [
    ...flows.flatMap(({ name: flow }) =>
      ['receive_rate_bps', 'fair_share_ratio', 'loss_ratio'].map((metric) => ({ metric, flow })),
    ),
    ...['path_queue_delay_p50_ms', 'path_queue_delay_p95_ms'].map((metric) => ({ metric })),
  ];
}

/**
 * The quantity that a run must measure to obtain `quantity`. For a metric that is computed from two cells, it is
 * the metric that is measured in both cells. Otherwise it is `quantity` itself.
 */
export function measuredOf<Q extends Quantity>(quantity: Q): Q {
  return { ...quantity, metric: relation(quantity.metric)?.of ?? quantity.metric };
}

/** The quantity alone, without the other fields of an expectation, a claim or a figure. */
export function bare({ metric, flow, window, path }: Quantity): Quantity {
  return {
    metric,
    ...(flow !== undefined && { flow }),
    ...(window !== undefined && { window }),
    ...(path !== undefined && { path }),
  };
}

function pictureQuantities(picture: Picture): Quantity[] {
  if (picture.kind === 'bars' || picture.kind === 'lines') return [picture];
  if (picture.kind !== 'boxes') return [];
  return BOX.map((statistic) => ({
    ...picture,
    metric: `${picture.distribution}_${statistic}_ms`,
  }));
}

/** The quantities on both sides of a claim. */
export const claimQuantities = (claim: Claim): Quantity[] => [
  claim,
  ...(claim.kind === 'compare' ? otherSide(claim) : []),
];

/** The quantity on the right side of a claim. Empty if the right side is a number. */
export function otherSide(claim: CompareClaim): Quantity[] {
  const { than } = claim;
  if (typeof than === 'number') return [];
  const { metric = claim.metric, flow = claim.flow, window = claim.window, path = claim.path } = than;
  return [
    {
      metric,
      ...(flow !== undefined && { flow }),
      ...(window !== undefined && { window }),
      ...(path !== undefined && { path }),
    },
  ];
}
