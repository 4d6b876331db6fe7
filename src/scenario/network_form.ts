/** The schema of a scenario's network: paths, flows, and the time windows of the measurements. */
import * as v from 'valibot';

import { expectedValue } from '../core/parameter_value.js';
import { COMPONENT_SPECS, CONTROLLER_NAMES, CONTROLLER_SPECS, type ParameterSpec } from '../core/schema.js';
import { parseRate, parseSchedule } from '../link/capacity_text.js';
import { linkEntries } from '../link/link_config.js';
import { integer, list, named, number, parsedBy, record, seconds, text, within } from '../text/form.js';

const MAX_FLOWS = 2000;

/**
 * A capacity: a rate such as `1mbps`, a number of bit/s, a schedule, or a mahimahi trace (its text, or the name
 * of its file).
 */
const capacity = v.union(
  [
    parsedBy(v.union([v.string(), v.number()]), (value) => parseSchedule(value)),
    record({ mahimahi: text('a trace or the name of its file') }),
  ],
  (issue) =>
    issue.issues?.find((inner) => inner.kind === 'validation')?.message ??
    'a rate such as 1mbps, a schedule, or a mahimahi trace',
);

/** `outage` as an object. The short form is a string. */
const outageParts = record({
  mean_on_ms: within(1, 60_000, ' ms'),
  mean_off_ms: within(1, 60_000, ' ms'),
  /** The length of an outage is the sum of this many exponentially distributed phases. Default 1. */
  off_phases: v.optional(integer(1, 100)),
});
const outage: v.GenericSchema<string | v.InferOutput<typeof outageParts>> = v.lazy((given) =>
  typeof given === 'string' ? linkEntries.outage.wrapped : outageParts,
);

const pathEntries = {
  /** Without a capacity, the path has no bottleneck. */
  capacity: v.optional(capacity),
  /** Replaces `capacity`. The capacity is this rate times the number of flows in the path's direction. */
  capacity_per_flow: v.optional(
    parsedBy(v.union([v.string(), v.number()], 'a rate such as 1mbps'), (value) => parseRate(value)),
  ),
  queue: linkEntries.queue,
  bottleneck: linkEntries.bottleneck,
  burst_bytes: v.optional(within(1, 1e9, ' bytes')),
  one_way_delay_ms: v.optional(within(0, 60_000, ' ms')),
  loss_ratio: linkEntries.loss_ratio,
  burst_loss_packets: linkEntries.burst_loss_packets,
  /**
   * The standard deviation of a normal distribution. Each packet is delayed by the absolute value of a random
   * number from this distribution, limited to three standard deviations.
   */
  jitter_ms: linkEntries.jitter_ms,
  /** Whether the jitter is added after the bottleneck and the propagation delay. Default: before the queue. */
  jitter_behind_queue: v.optional(v.boolean('true or false')),
  reorder: linkEntries.reorder,
  /**
   * Outages of a wireless channel. The times between outages are exponentially distributed; with one phase, so
   * are the lengths of the outages. Written as an object, or as a string like in the link settings.
   */
  outage: v.optional(outage),
};

const flowEntries = {
  name: named('a name'),
  /** The number of flows with these settings; 0 omits them. Default 1. */
  count: v.optional(integer(0, MAX_FLOWS)),
  direction: v.optional(v.picklist(['forward', 'backward'], 'forward or backward')),
  start_s: v.optional(seconds),
  /** The time between the starts of two consecutive flows of the `count` flows. Default 0. */
  start_step_s: v.optional(seconds),
  /** Default: the end of the run. */
  stop_s: v.optional(seconds),
  /** Additional propagation delay in each direction. */
  extra_delay_ms: v.optional(within(0, 60_000, ' ms')),
};

/**
 * Values of the parameters in `specs`. A named value may be written as its name, and becomes its number here, so that
 * code that reads a scenario has only numbers. Which controller a flow has may depend on the cell, so a name is
 * looked up in all controllers: parameters with the same name have the same named values.
 */
const parametersOf = (
  specs: readonly ParameterSpec[],
): v.GenericSchema<Record<string, number | string>, Record<string, number>> =>
  v.pipe(
    v.record(v.string(), v.union([number, v.string()], 'a number'), 'names with numbers'),
    v.rawTransform(({ dataset: { value: given }, addIssue, NEVER }) => {
      const parsed: Record<string, number> = {};
      for (const [key, value] of Object.entries(given)) {
        const enumerations = specs.filter(({ name, values }) => name === key && values !== undefined);
        const indices = enumerations.map(({ values = [] }) => values.indexOf(String(value)));
        const parameter = typeof value === 'number' ? value : indices.find((index) => index >= 0);
        if (parameter === undefined) {
          const [enumeration] = enumerations;
          const message = enumeration === undefined ? 'a number' : expectedValue(enumeration);
          addIssue({
            message,
            input: value,
            path: [{ type: 'object', origin: 'value', input: given, key, value }],
          });
          return NEVER;
        }
        parsed[key] = parameter;
      }
      return parsed;
    }),
  );

const controllerParameters = parametersOf(
  CONTROLLER_NAMES.flatMap((name) => CONTROLLER_SPECS[name].parameters),
);

const mediaFlow = record({
  kind: v.literal('media'),
  ...flowEntries,
  /** Default: the controller of `preset`, or gcc if there is no preset. */
  controller: v.optional(v.picklist(CONTROLLER_NAMES, `one of ${CONTROLLER_NAMES.join(', ')}`)),
  preset: v.optional(text('the name of a preset')),
  /** Parameters of the controller that differ from the preset. */
  parameters: v.optional(controllerParameters),
  /**
   * The file of the author's own controller, if this flow was made for one. A scenario does not contain the file. If
   * the file is not given, the flow runs with the controller above.
   */
  own_controller: v.optional(text('the name of a file')),
  /** A preset of the video source, such as `vp8`. */
  source_preset: v.optional(text('the name of a preset')),
  /** Parameters of the video source that differ from the preset. */
  source: v.optional(parametersOf(COMPONENT_SPECS.media_source.parameters)),
  /** Periods during which the source sends nothing. */
  pauses: v.optional(list(record({ from_s: seconds, to_s: seconds }), 'pauses')),
});

const tcpFlow = record({
  kind: v.literal('tcp'),
  ...flowEntries,
  congestion_control: v.optional(v.picklist(['cubic', 'new_reno'], 'cubic or new_reno')),
  preset: v.optional(text('the name of a preset')),
  /** Parameters of TCP that differ from the preset. */
  parameters: v.optional(parametersOf(COMPONENT_SPECS.tcp.parameters)),
  /** Sends files with pauses between them instead of an unlimited stream (RFC 8867, 5.7). */
  short: v.optional(record({ min_bytes: within(1, 1e9), max_bytes: within(1, 1e9), idle_mean_s: seconds })),
});

export const flow = v.variant('kind', [mediaFlow, tcpFlow], 'a flow whose kind is media or tcp');
export const window = record({ name: named('a name'), begin_s: seconds, end_s: seconds });

/** The path of one direction. */
export const path = record(pathEntries);
