/** Building blocks of a scenario's form. */
import * as v from 'valibot';

import { list, record, text } from '../text/form.js';

/** Selects cells. Maps an axis to one value, to a list of values, or to `*` for every cell that has this axis. */
export const selector = v.record(
  v.string(),
  v.union([v.string(), list(v.string(), 'names')], 'the name of a value, a list of names, or "*"'),
  'axes with names of values',
);

export const quantityEntries = {
  /** The name of a metric (src/scenario/metrics.ts). */
  metric: text('the name of a metric'),
  /** A flow's name, or `*` for all. Default: the first media flow. */
  flow: v.optional(text('the name of a flow')),
  /** Default: `run`, the whole run. */
  window: v.optional(text('the name of a window')),
  /** For metrics of a path. Default: forward. */
  path: v.optional(v.picklist(['forward', 'backward'], 'forward or backward')),
};
export const quantity = record(quantityEntries);
