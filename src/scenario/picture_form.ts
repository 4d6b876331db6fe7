/** The schema of the figures of an experiment. */
import * as v from 'valibot';

import { list, record, text } from '../text/form.js';
import { quantityEntries, selector } from './form_parts.js';
import { within } from '../text/form.js';

const DISTRIBUTIONS = [
  'probe_queue_delay',
  'rtt',
  'queue_delay',
  'owd_queue_delay',
  'e2e_queue_delay',
] as const;
const distribution = v.picklist(DISTRIBUTIONS, DISTRIBUTIONS.join(', '));
const pictureEntries = { title: v.optional(text('text')), cells: v.optional(selector) };
const scale = v.optional(v.picklist(['linear', 'log'], 'linear or log'));
const axisName = text('the name of an axis');

export const picture = v.variant(
  'kind',
  [
    /**
     * Bars: the measured mean of each cell, with a mark at the published value. The bars are grouped by an axis.
     * Each value of `series` has its own colour.
     */
    record({
      kind: v.literal('bars'),
      ...pictureEntries,
      ...quantityEntries,
      group_by: axisName,
      series: v.optional(axisName),
      scale,
    }),
    /** Box plots of the 5th, 25th, 50th, 75th and 95th percentiles, grouped and coloured like bars. */
    record({
      kind: v.literal('boxes'),
      ...pictureEntries,
      distribution,
      flow: quantityEntries.flow,
      window: quantityEntries.window,
      group_by: axisName,
      series: v.optional(axisName),
      scale,
    }),
    /**
     * A metric along an axis, with its standard deviation: one line for each value of `series`. Published values
     * are points.
     */
    record({
      kind: v.literal('lines'),
      ...pictureEntries,
      ...quantityEntries,
      x: axisName,
      series: v.optional(axisName),
      scale,
    }),
    /** The cumulative distribution of a trace column in the first run: one curve for each cell and flow. */
    record({
      kind: v.literal('cdf'),
      ...pictureEntries,
      table: text('a trace table'),
      column: text('a trace column'),
      flow: v.optional(text('the name of a flow')),
    }),
    /** The joint density of rate and delay that the controller LCC has learnt by the end of the first run. */
    record({
      kind: v.literal('density'),
      ...pictureEntries,
      flow: quantityEntries.flow,
    }),
    /**
     * The density of a trace column in the first run, estimated with normal kernels: one curve for each cell
     * and flow.
     */
    record({
      kind: v.literal('kernel_density'),
      ...pictureEntries,
      table: text('a trace table'),
      column: text('a trace column'),
      flow: v.optional(text('the name of a flow')),
      /** The standard deviation of the kernel, in the unit of the figure. */
      bandwidth: within(1e-6, 1e6),
    }),
    /** Trace columns of the first run over time, in one or more panels. */
    record({
      kind: v.literal('time_series'),
      ...pictureEntries,
      panels: list(
        record({
          title: text('text'),
          unit: v.optional(text('text')),
          lines: list(
            record({
              table: text('a trace table'),
              column: text('a trace column'),
              /** Default: all flows in the table. */
              flow: v.optional(text('the name of a flow')),
              label: v.optional(text('text')),
            }),
            'lines',
          ),
        }),
        'panels',
      ),
    }),
  ],
  'a picture whose kind is bars, boxes, lines, cdf, density, kernel_density or time_series',
);
