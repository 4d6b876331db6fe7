/** The schema of published results: numbers with their bands (the accepted ranges), and claims. */
import * as v from 'valibot';

import { list, named, number, record, text } from '../text/form.js';
import { quantityEntries, selector } from './form_parts.js';
import { within } from '../text/form.js';

export const expectation = record({
  ...quantityEntries,
  /** The cells that the published value applies to. Default: all cells. */
  cells: v.optional(selector),
  /**
   * For metrics that are computed from two cells: the values in which the second cell differs, such as
   * `{"filter": "off"}`.
   */
  against: v.optional(v.record(v.string(), v.string(), 'axes with the name of a value')),
  /** The published value, in the metric's unit. */
  published: number,
  /**
   * `words`: the paper gives no number, as in `fairly shared`; then `published` is a number that was chosen here for
   * these words. Default: `number`, which includes words for a number, such as `no losses`.
   */
  published_is: v.optional(v.picklist(['number', 'words'], 'number or words')),
  /** The paper's wording if the paper does not give a plain number, for example `slightly above 90 %`. */
  says: v.optional(text('text')),
  /** The section or figure of the paper. */
  where: text('where in the paper it is'),
  read: v.picklist(['text', 'table', 'figure', 'formula'], 'text, table, figure or formula'),
  /** The lowest and the highest mean that count as reproduced, both inclusive. */
  band: v.strictTuple([number, number], 'the lowest and the highest value'),
  /** The reason for this band. */
  why: text('the reason of the band'),
  /**
   * The reason why the band is wider than the rule for its metric allows, or why there is no such rule (README.md in
   * this folder, Verdicts).
   */
  wider_than_rule: v.optional(text('the reason')),
  /**
   * The claims that repeat what the paper states about the size of this number, such as that it is larger than
   * another number. These claims must be about the same quantity. Other claims do not belong here, such as
   * that the number is the same elsewhere. If the measured mean lies outside the band but all these claims
   * hold, the verdict is `ordering`.
   */
  claims: v.optional(
    v.pipe(list(v.string('the id of a claim'), 'ids of claims'), v.nonEmpty('at least one claim')),
  ),
  /**
   * A known reason why the mean may miss its band. Reports show this note if the mean lies outside the band. In a
   * list, each note is for some of the cells; the first note that selects a cell applies to this cell.
   */
  note: v.optional(
    v.union(
      [text('text'), list(record({ cells: selector, text: text('text') }), 'notes')],
      'text, or a list of notes with their cells',
    ),
  ),
});

const claimEntries = {
  id: named('an id'),
  /** A paraphrase of the paper's claim. */
  says: text('the statement'),
  where: text('where in the paper it is'),
  /** A known reason why the claim may fail. Reports show this note if the claim fails. */
  note: v.optional(text('text')),
};

/** A metric rises or falls along an axis, for every combination of values on the other axes. */
export const monotoneClaim = record({
  kind: v.literal('monotone'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  along: text('the name of an axis'),
  direction: v.picklist(['rising', 'falling'], 'rising or falling'),
  /** The largest permitted step in the wrong direction. Default 0. */
  tolerance: v.optional(within(0, 1e12)),
});

/** Compares a quantity with a number, with another quantity, or with itself in another cell. */
export const compareClaim = record({
  kind: v.literal('compare'),
  ...claimEntries,
  ...quantityEntries,
  cells: v.optional(selector),
  /** `<` and `>`: the difference is statistically significant. `~`: about equal, within `tolerance`. */
  is: v.picklist(['<', '>', '~'], '<, > or ~'),
  than: v.union(
    [
      number,
      record({
        metric: v.optional(quantityEntries.metric),
        flow: quantityEntries.flow,
        window: quantityEntries.window,
        path: quantityEntries.path,
        /** The values in which the second cell differs, by axis. */
        cell: v.optional(v.record(v.string(), v.string())),
        /** A factor for the second value. Default 1. */
        times: v.optional(number),
      }),
    ],
    'a number, or metric, flow, window, path, cell, times of the other quantity',
  ),
  /** For `~`: the largest difference that counts as about equal. */
  tolerance: v.optional(within(0, 1e12)),
});

export const claim = v.variant(
  'kind',
  [monotoneClaim, compareClaim],
  'a claim whose kind is monotone or compare',
);
