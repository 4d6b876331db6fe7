/** The form of a comparison along an axis: for instance, one controller beside the others. */
import * as v from 'valibot';

import { list, record, text } from '../text/form.js';
import { quantityEntries } from './form_parts.js';

export const comparison = record({
  /** The axis whose values are compared with each other, in every combination of the other axes. */
  along: text('the name of an axis'),
  quantities: v.pipe(
    list(
      record({
        ...quantityEntries,
        /**
         * The title of the column. All scenarios that compare along this axis share the columns with the same
         * title.
         */
        column: text('the title of a column'),
        /** Whether the largest or the smallest value is the best. Default: neither. */
        best: v.optional(v.picklist(['most', 'least'], 'most or least')),
      }),
      'quantities',
    ),
    v.nonEmpty('at least one quantity'),
  ),
});
