/** The form of what was published: numbers with their bands, and claims. */
import * as v from 'valibot';

import { list, named, number, record, text } from '../text/form.js';
import { quantityEntries, selector } from './form_parts.js';
import { within } from '../text/form.js';

export const expectation = record({
  ...quantityEntries,
  /** Which cells it is about. Default: all. */
  cells: v.optional(selector),
  /** For metrics of two cells: the axes in which the other one differs, such as `{"filter": "off"}`. */
  against: v.optional(v.record(v.string(), v.string(), 'axes with the name of a value')),
  /** What was published, in the metric's unit. */
  published: number,
  /** What the paper says where it is no plain number: `slightly above 90 %`. */
  says: v.optional(text('text')),
  /** Section or figure. */
  where: text('where it stands'),
  read: v.picklist(['text', 'table', 'figure', 'formula'], 'text, table, figure or formula'),
  /** Lowest and highest value at which it counts as reproduced, both included. */
  band: v.strictTuple([number, number], 'the lowest and the highest value'),
  /** Why this band. */
  why: text('the reason of the band'),
  /** Why the band is wider than the rule for its metric (README.md beside this file, Verdicts), where it is. */
  wider_than_rule: v.optional(text('the reason')),
  /**
   * The claims of the same quantity that this number supports in the paper: outside of the band the verdict is
   * `ordering` where all of them hold.
   */
  claims: v.optional(
    v.pipe(list(v.string('the id of a claim'), 'ids of claims'), v.nonEmpty('at least one claim')),
  ),
  /** What is known about it, for instance why it may stay out. */
  note: v.optional(text('text')),
});

const claimEntries = {
  id: named('an id'),
  /** The paper's statement in our words. */
  says: text('the statement'),
  where: text('where it stands'),
};

/** A metric rises or falls along an axis, in every combination of the other axes. */
export const monotoneClaim = record({
  kind: v.literal('monotone'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  along: text('the name of an axis'),
  direction: v.picklist(['rising', 'falling'], 'rising or falling'),
  /** By how much a step may go the other way. Default 0. */
  tolerance: v.optional(within(0, 1e12)),
});

/** A quantity compared with a number, with another one, or with itself in another cell. */
export const compareClaim = record({
  kind: v.literal('compare'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  /** Beyond what the runs scatter by; `~`: about as much, within `tolerance`. */
  is: v.picklist(['<', '>', '~'], '<, > or ~'),
  than: v.union(
    [
      number,
      record({
        metric: v.optional(quantityEntries.metric),
        flow: quantityEntries.flow,
        window: quantityEntries.window,
        path: quantityEntries.path,
        /** Axes in which the other cell differs. */
        cell: v.optional(v.record(v.string(), v.string())),
        /** The other value is multiplied by this first. Default 1. */
        times: v.optional(number),
      }),
    ],
    'a number, or metric, flow, window, path, cell, times of the other quantity',
  ),
  /** For `~`: by how much they may differ. */
  tolerance: v.optional(within(0, 1e12)),
});

export const claim = v.variant(
  'kind',
  [monotoneClaim, compareClaim],
  'a claim whose kind is monotone or compare',
);
