/** How a flow shares its bottleneck with other flows at the end of a trace. */
import { Competition, type CompetitionQuery, type Taken } from './competition.js';
import { ofFlow, Rows } from './rows.js';
import type { TraceData } from '../trace/index.js';

/** The rates are averaged over the last seconds, so that they can be read while they change. */
const AVERAGED_S = 5;

export interface Sharing extends Taken {
  /** The rate of the flow itself, averaged over the same period as the rate of the competing flows. */
  ownBps: number;
  /** Whether `ownBps` is the received rate. Otherwise it is the sent rate: no received rate was recorded. */
  isOwnReceived: boolean;
  /** The length of the period over which the rates are averaged. */
  averagedS: number;
  /** Whether GCC counts the queue as filled by another flow, so that losses alone set GCC's rate. */
  isCompeting: boolean;
}

/** Null if no other flow takes a substantial share of the capacity. */
export function sharingAtEnd(trace: TraceData, query: CompetitionQuery): Sharing | null {
  const rate = new Rows(trace, 'rate', ['sent_bps'], ofFlow(query.flow));
  const endUs = rate.timeUs.at(-1) ?? NaN;
  const fromUs = endUs - AVERAGED_S * 1e6;
  const taken = new Competition(trace, query).taken(fromUs, endUs);
  if (taken === null) return null;
  const group = new Rows(trace, 'group', ['competing', 'received_rate_bps'], ofFlow(query.flow));
  const nada = new Rows(trace, 'nada', ['received_rate_bps'], ofFlow(query.flow));
  const mean = (rows: Rows, column: string): number => rows.mean(column, ...rows.between(fromUs, endUs));
  // A controller that was replaced before this period has no rows in it.
  const receivedBps = [group, nada]
    .map((rows) => mean(rows, 'received_rate_bps'))
    .find((bps) => !Number.isNaN(bps));
  const [first, end] = group.between(fromUs, endUs);
  return {
    ...taken,
    ownBps: receivedBps ?? mean(rate, 'sent_bps'),
    isOwnReceived: receivedBps !== undefined,
    averagedS: AVERAGED_S,
    isCompeting: end > first && group.at('competing', end - 1) === 1,
  };
}
