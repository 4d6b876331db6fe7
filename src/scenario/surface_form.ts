/** The form of a quantity over two axes, which is drawn as a map, and of a paper's statements about it. */
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
  /**
   * The third axis: for each of its values the map is scaled to the range from 0 to 1, and then all maps are
   * added up.
   */
  over: text('the name of an axis'),
  /** The position of the highest point according to the paper. */
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
        /**
         * Of two mirrored points (a, b) and (b, a) with a > b, the map is higher at (a, b). Only points with
         * a / b up to that of the published point are compared.
         */
        record({ kind: v.literal('higher-where-x-is-larger'), ...slopeEntries }),
        /** The map is lower in the corner of the largest x and the smallest y than around the published point. */
        record({ kind: v.literal('lower-in-the-corner'), ...slopeEntries }),
      ],
      'a slope whose kind is higher-where-x-is-larger or lower-in-the-corner',
    ),
    'slopes',
  ),
});
