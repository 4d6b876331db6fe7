/** Building blocks of a scenario's schema. */
import * as v from 'valibot';

import { list, record, text } from '../text/form.js';

/** Selects cells. Maps an axis to one value, to a list of values, or to `*` for any value. */
export const selector = v.record(
  v.string(),
  v.union([v.string(), list(v.string(), 'names')], 'the name of a value, a list of names, or "*"'),
  'axes with names of values',
);

export const quantityEntries = {
  /** The name of a metric (src/scenario/metrics.ts). */
  metric: text('the name of a metric'),
  /**
   * A flow's name, or `*` for all flows. Default: the first media flow or, without media flows, the first
   * flow.
   */
  flow: v.optional(text('the name of a flow')),
  /** Default: `run`, the whole run. */
  window: v.optional(text('the name of a window')),
  /** The path that a path metric is about. Default: forward. */
  path: v.optional(v.picklist(['forward', 'backward'], 'forward or backward')),
};
export const quantity = record(quantityEntries);
