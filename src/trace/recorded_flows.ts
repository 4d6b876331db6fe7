/** Reads the flows in a trace's header: the flows of a simulation, or the shadow controllers of a call. */
import * as v from 'valibot';

import type { TraceHeader } from './header.js';

const flowsOfHeader = v.array(
  v.object({
    flow: v.number(),
    name: v.optional(v.string()),
    kind: v.optional(v.string()),
    direction: v.optional(v.string()),
    of: v.optional(v.number()),
    controller: v.optional(v.string()),
    preset: v.optional(v.string()),
    parameters: v.optional(v.record(v.string(), v.union([v.number(), v.string()]))),
  }),
);

/**
 * A flow in the header of a trace. A flow of kind `shadow` belongs to a controller that only watched. A shadow
 * has no arrivals in the trace. Its controller saw the arrivals of the flow `of`. If `of` is absent, it saw those of
 * the only flow with arrivals.
 */
export type RecordedFlow = v.InferOutput<typeof flowsOfHeader>[number];

/** The flows in a header. Empty if the field `flows` is absent or malformed. */
export function recordedFlows(header: Partial<TraceHeader>): readonly RecordedFlow[] {
  const flows = v.safeParse(flowsOfHeader, header['flows']);
  return flows.success ? flows.output : [];
}
