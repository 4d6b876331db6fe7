/** The form of published results: numbers with their bands, and claims. */
import * as v from 'valibot';

import { list, named, number, record, text } from '../text/form.js';
import { quantityEntries, selector } from './form_parts.js';
import { within } from '../text/form.js';

export const expectation = record({
  ...quantityEntries,
  /** The cells that the published value applies to. Default: all. */
  cells: v.optional(selector),
  /** For metrics that relate two cells: the axes in which the second cell differs, such as `{"filter": "off"}`. */
  against: v.optional(v.record(v.string(), v.string(), 'axes with the name of a value')),
  /** The published value, in the metric's unit. */
  published: number,
  /** The paper's wording if it is not a plain number: `slightly above 90 %`. */
  says: v.optional(text('text')),
  /** Section or figure. */
  where: text('where in the paper it is'),
  read: v.picklist(['text', 'table', 'figure', 'formula'], 'text, table, figure or formula'),
  /** Lowest and highest value that count as reproduced, both included. */
  band: v.strictTuple([number, number], 'the lowest and the highest value'),
  /** The reason for this band. */
  why: text('the reason of the band'),
  /**
   * Only if the band is wider than the rule for its metric allows: the reason (README.md beside this file, Verdicts).
   */
  wider_than_rule: v.optional(text('the reason')),
  /**
   * The paper's claims that rest on this number; they must be about the same quantity. If the measured mean
   * is outside of the band, but all of these claims hold, the verdict is `ordering`.
   */
  claims: v.optional(
    v.pipe(list(v.string('the id of a claim'), 'ids of claims'), v.nonEmpty('at least one claim')),
  ),
  /** Notes, for instance why the metric may miss its band. */
  note: v.optional(text('text')),
});

const claimEntries = {
  id: named('an id'),
  /** The paper's statement, paraphrased. */
  says: text('the statement'),
  where: text('where in the paper it is'),
};

/** A metric rises or falls along an axis, in every combination of the other axes. */
export const monotoneClaim = record({
  kind: v.literal('monotone'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  along: text('the name of an axis'),
  direction: v.picklist(['rising', 'falling'], 'rising or falling'),
  /** The largest step in the wrong direction that is allowed. Default 0. */
  tolerance: v.optional(within(0, 1e12)),
});

/** A quantity compared with a number, with another quantity, or with itself in another cell. */
export const compareClaim = record({
  kind: v.literal('compare'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  /** `<` and `>` require a difference beyond the scatter of the runs; `~`: about equal, within `tolerance`. */
  is: v.picklist(['<', '>', '~'], '<, > or ~'),
  than: v.union(
    [
      number,
      record({
        metric: v.optional(quantityEntries.metric),
        flow: quantityEntries.flow,
        window: quantityEntries.window,
        path: quantityEntries.path,
        /** The axes in which the second cell differs. */
        cell: v.optional(v.record(v.string(), v.string())),
        /** The factor by which the second value is multiplied before the comparison. Default 1. */
        times: v.optional(number),
      }),
    ],
    'a number, or metric, flow, window, path, cell, times of the other quantity',
  ),
  /** For `~`: by how much the two sides may differ. */
  tolerance: v.optional(within(0, 1e12)),
});

export const claim = v.variant(
  'kind',
  [monotoneClaim, compareClaim],
  'a claim whose kind is monotone or compare',
);
