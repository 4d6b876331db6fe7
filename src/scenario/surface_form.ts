/** The schema of a quantity over two axes, which is drawn as a map, and of a paper's claims about this map. */
import * as v from 'valibot';

import { list, named, number, record, text } from '../text/form.js';
import { quantityEntries } from './form_parts.js';

const slopeEntries = {
  id: named('an id'),
  /** A paraphrase of the paper's claim. */
  says: text('the statement'),
  where: text('where in the paper it is'),
};

export const surface = record({
  ...quantityEntries,
  /** The two axes. */
  x: text('the name of an axis'),
  y: text('the name of an axis'),
  /** A third axis. The map is the sum of one map for each of its values, each scaled to the range from 0 to 1. */
  over: text('the name of an axis'),
  /** Where the highest point is, according to the paper. Without it, `slopes` must be empty. */
  published: v.optional(
    record({
      x: number,
      y: number,
      where: text('where in the paper it is'),
      read: v.picklist(['text', 'figure'], 'text or figure'),
    }),
  ),
  slopes: list(
    v.variant(
      'kind',
      [
        /**
         * For a > b, the map is higher at (a, b) than at the mirrored point (b, a). Only points whose ratio a / b
         * is at most that of the published point are compared.
         */
        record({ kind: v.literal('higher-where-x-is-larger'), ...slopeEntries }),
        /** The map is lower in the corner with the largest x and the smallest y than around the published point. */
        record({ kind: v.literal('lower-in-the-corner'), ...slopeEntries }),
      ],
      'a slope whose kind is higher-where-x-is-larger or lower-in-the-corner',
    ),
    'slopes',
  ),
});
