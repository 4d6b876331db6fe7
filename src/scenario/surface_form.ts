/** The form of a quantity over two axes: what is drawn as a map, and what a paper says about it. */
import * as v from 'valibot';

import { list, named, number, record, text } from '../text/form.js';
import { quantityEntries } from './form_parts.js';

const slopeEntries = {
  id: named('an id'),
  /** The paper's statement, paraphrased. */
  says: text('the statement'),
  where: text('where in the paper it is'),
};

export const surface = record({
  ...quantityEntries,
  /** The two axes. */
  x: text('the name of an axis'),
  y: text('the name of an axis'),
  /** The axis over whose values the quantity is added up, normalised to 0 to 1 for each of them. */
  over: text('the name of an axis'),
  /** Where the paper has the highest point. */
  published: record({
    x: number,
    y: number,
    where: text('where in the paper it is'),
    read: v.picklist(['text', 'figure'], 'text or figure'),
  }),
  slopes: list(
    v.variant(
      'kind',
      [
        /** It is higher at (a, b), a > b, than at (b, a), for a / b up to that of the published point. */
        record({ kind: v.literal('higher-where-x-is-larger'), ...slopeEntries }),
        /** It is lower in the corner of the largest x and the smallest y than about the published point. */
        record({ kind: v.literal('lower-in-the-corner'), ...slopeEntries }),
      ],
      'a slope whose kind is higher-where-x-is-larger or lower-in-the-corner',
    ),
    'slopes',
  ),
});
