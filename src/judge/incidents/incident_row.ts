/**
 * An incident as JSON. This form is used in the files of tests and of `ccscope call`, and in the output of `ccscope
 * incidents --json`. Names of fields end with their unit. The fields are described in src/watch/README.md.
 */
import * as v from 'valibot';

import type { CauseKind } from '../cause_kinds.js';
import { connectionEnd, streamName, type ToldIncident } from './told.js';

const rounded = (value: number, places: number): number => Number(value.toFixed(places));

/**
 * `before` and `after` are rates for a `rate-fall`, delays for a `delay-rise`; for a `freeze`, `after` is the
 * length of the freeze.
 */
export function incidentRow(told: ToldIncident): Record<string, unknown> {
  const { kind, stream, fromUs, toUs, before, after, cause, who, connection } = told;
  return {
    kind,
    endpoint: stream.endpoint,
    direction: stream.direction,
    stream: who,
    connection,
    from_us: Math.round(fromUs),
    to_us: toUs === null ? null : Math.round(toUs),
    ...(kind === 'rate-fall'
      ? { before_bps: rounded(before, 0), after_bps: rounded(after, 0) }
      : { before_ms: rounded(before, 1), after_ms: rounded(after, 1) }),
    cause,
  };
}

const rowSchema = v.object({
  kind: v.picklist(['rate-fall', 'freeze', 'delay-rise']),
  endpoint: v.number(),
  direction: v.picklist(['send', 'receive']),
  stream: v.optional(v.string()),
  connection: v.optional(v.nullable(v.number()), null),
  from_us: v.number(),
  to_us: v.nullable(v.number()),
  before_bps: v.optional(v.number()),
  after_bps: v.optional(v.number()),
  before_ms: v.optional(v.number()),
  after_ms: v.optional(v.nullable(v.number())),
  cause: v.object({ kind: v.string(), evidence: v.string(), fix: v.string() }),
});

/** The incident of a row, with the given number; null if the row does not describe an incident. */
export function incidentOfRow(row: unknown, id: number): ToldIncident | null {
  const read = v.safeParse(rowSchema, row);
  if (!read.success) return null;
  const { kind, endpoint, direction, stream, connection, from_us, to_us, cause, ...values } = read.output;
  return {
    id,
    kind,
    stream: { endpoint, direction, key: '' },
    fromUs: from_us,
    toUs: to_us,
    before: values.before_bps ?? values.before_ms ?? NaN,
    after: values.after_bps ?? values.after_ms ?? NaN,
    cause: { ...cause, kind: cause.kind as CauseKind },
    settled: true,
    who: stream ?? streamName(connectionEnd(endpoint), direction),
    connection,
  };
}
