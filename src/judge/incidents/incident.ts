/** An incident: what went wrong with a stream of a call at a certain time, and why. */
import type { Cause } from '../cause_kinds.js';

export type IncidentKind = 'rate-fall' | 'freeze' | 'delay-rise';

/** A stream at one end of a connection: what is sent as one media section, or received as one SSRC. */
export interface StreamId {
  endpoint: number;
  direction: 'send' | 'receive';
  /** The mid of a sent stream ('' if the browser does not report it); the SSRC of a received one. */
  key: string;
}

export interface Incident {
  /** Incidents are numbered from 0, in the order in which they were noticed. */
  id: number;
  kind: IncidentKind;
  stream: StreamId;
  /** When the incident began, on the record's clock. */
  fromUs: number;
  /**
   * When the incident was over, or the new state had become usual. Null while a fall or rise lasts. For a
   * freeze in progress, the end of the freeze so far.
   */
  toUs: number | null;
  /** `before` and `after`: the rates for a fall, the delays in ms for a rise; for a freeze, 0 and its length in ms. */
  before: number;
  after: number;
  cause: Cause;
  /** Whether all evidence for the cause is known. Until then, the cause may still change. */
  settled: boolean;
}
