/**
 * The data from which figures are drawn: the numbers and the trace of a cell, and the numbers that the paper
 * published for this cell. A cell is a scenario with one value on each of its axes.
 */
import type { Density } from '../core/density.js';
import type { TraceBatch } from '../core/recorder.js';
import { selects, type CellParams } from '../scenario/cells.js';
import type { PublishedMark } from './figure.js';
import { defaultFlow, quantityKey } from '../scenario/metrics.js';
import type { Quantity, Scenario } from '../scenario/scenario.js';
import type { Summary } from '../scenario/summary.js';
import type { Verdict } from '../scenario/verdict.js';

/** The results of one cell's runs. */
export interface CellResults {
  params: CellParams;
  /** The scenario with the cell's values in place. */
  scenario: Scenario;
  /** Summarises a quantity over the runs. */
  summary(quantity: Quantity): Summary;
  /** The verdict on a quantity, if the paper published it and the cell was judged. */
  verdict?(quantity: Quantity): Verdict | undefined;
  /** The trace of the first run; empty if no picture needs one, or the run failed. */
  trace: readonly TraceBatch[];
  /** The density of each pictured flow at the end of the first run, keyed by flow number. */
  densities: ReadonlyMap<number, Density>;
}

/** The paper's value for a quantity in a cell, times `scale`; undefined if the paper gives no value. */
export function publishedMark(
  scenario: Scenario,
  quantity: Quantity,
  params: CellParams,
  scale = 1,
): PublishedMark | undefined {
  // A quantity that names the default flow is the same as a quantity that names no flow.
  const usual = defaultFlow(scenario);
  const keyOf = ({ flow = usual, ...rest }: Quantity): string => quantityKey({ ...rest, flow });
  const key = keyOf(quantity);
  const found = (scenario.expectations ?? []).find(
    (expectation) => keyOf(expectation) === key && selects(expectation.cells, params),
  );
  if (found === undefined) return undefined;
  const { published, published_is: is = 'number', says, band } = found;
  // A published text such as `above 90 %` gives only a band and no value.
  return {
    ...(says === undefined && { value: published * scale }),
    ...(is === 'number' && { number: published * scale }),
    low: band[0] * scale,
    high: band[1] * scale,
  };
}
