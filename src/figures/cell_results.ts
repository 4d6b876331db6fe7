/** What pictures are made of: a cell's numbers and trace, and what was published of them. */
import type { Density } from '../core/density.js';
import type { TraceBatch } from '../core/recorder.js';
import { selects, type CellParams } from '../scenario/cells.js';
import type { PublishedMark } from './figure.js';
import { defaultFlow, quantityKey } from '../scenario/metrics.js';
import type { Quantity, Scenario } from '../scenario/scenario.js';
import type { Summary } from '../scenario/summary.js';

/** What the runs of one cell gave. */
export interface CellResults {
  params: CellParams;
  /** The scenario with the cell's values in place. */
  scenario: Scenario;
  /** A quantity over the runs. */
  summary(quantity: Quantity): Summary;
  /** The trace of the first run; empty if no picture needs one, or the run failed. */
  trace: readonly TraceBatch[];
  /** At the end of the first run, of the flows whose densities are pictured, by their numbers. */
  densities: ReadonlyMap<number, Density>;
}

/** What the paper says of a quantity in a cell, `scale` times; undefined if it says nothing. */
export function publishedMark(
  scenario: Scenario,
  quantity: Quantity,
  params: CellParams,
  scale = 1,
): PublishedMark | undefined {
  // The usual flow is meant by its name, too.
  const usual = defaultFlow(scenario);
  const keyOf = ({ flow = usual, ...rest }: Quantity): string => quantityKey({ ...rest, flow });
  const key = keyOf(quantity);
  const found = (scenario.expectations ?? []).find(
    (expectation) => keyOf(expectation) === key && selects(expectation.cells, params),
  );
  if (found === undefined) return undefined;
  const { published, says, band } = found;
  // Words such as `above 90 %` are a band, not a point.
  return {
    ...(says === undefined && { value: published * scale }),
    low: band[0] * scale,
    high: band[1] * scale,
  };
}
