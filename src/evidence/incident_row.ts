/** An incident as written to the evidence files. Field names end with their unit. */
import type { Incident } from '../judge/incidents/index.js';

const rounded = (value: number, places: number): number => Number(value.toFixed(places));

/**
 * `before` and `after` are rates for a `rate-fall`, delays for a `delay-rise`; for a `freeze`, `after` is the
 * length of the freeze.
 */
export function incidentRow({
  kind,
  stream,
  fromUs,
  toUs,
  before,
  after,
  cause,
}: Incident): Record<string, unknown> {
  return {
    kind,
    endpoint: stream.endpoint,
    direction: stream.direction,
    from_us: Math.round(fromUs),
    to_us: toUs === null ? null : Math.round(toUs),
    ...(kind === 'rate-fall'
      ? { before_bps: rounded(before, 0), after_bps: rounded(after, 0) }
      : { before_ms: rounded(before, 1), after_ms: rounded(after, 1) }),
    cause,
  };
}
