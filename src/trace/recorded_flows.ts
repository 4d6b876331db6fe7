/** The flows that a trace's header names: those of a simulation, or a call's shadows. */
import * as v from 'valibot';

import type { TraceHeader } from './header.js';

const flowsOfHeader = v.array(
  v.object({
    flow: v.number(),
    name: v.optional(v.string()),
    kind: v.optional(v.string()),
    of: v.optional(v.number()),
    controller: v.optional(v.string()),
    preset: v.optional(v.string()),
    parameters: v.optional(v.record(v.string(), v.union([v.number(), v.string()]))),
  }),
);

/**
 * A flow as the header of a trace describes it. A flow of kind `shadow` belongs to a controller that only
 * watched, and has no arrivals of its own: the controller saw the arrivals of the flow `of` or, if that is
 * absent, of the only flow that has arrivals.
 */
export type RecordedFlow = v.InferOutput<typeof flowsOfHeader>[number];

/** The flows that a header names; empty if it has no field `flows`, or one of another form. */
export function recordedFlows(header: Partial<TraceHeader>): readonly RecordedFlow[] {
  const flows = v.safeParse(flowsOfHeader, header['flows']);
  return flows.success ? flows.output : [];
}
