/** The schema of a comparison along an axis, for example of several controllers. */
import * as v from 'valibot';

import { list, record, text } from '../text/form.js';
import { quantityEntries } from './form_parts.js';

export const comparison = record({
  /** The axis whose values are compared with each other, for every combination of values on the other axes. */
  along: text('the name of an axis'),
  quantities: v.pipe(
    list(
      record({
        ...quantityEntries,
        /**
         * The title of the column. Scenarios that compare along the same axis share a table, in which equal
         * titles share a column.
         */
        column: text('the title of a column'),
        /** Whether the largest (`most`) or the smallest (`least`) value is the best. Default: neither. */
        best: v.optional(v.picklist(['most', 'least'], 'most or least')),
      }),
      'quantities',
    ),
    v.nonEmpty('at least one quantity'),
  ),
});
