/** Lists the changes of a controller's target rate with their reasons. */
import type { Reason, TargetChange } from './change.js';
import { Competition } from './competition.js';
import type { Explainer, Flow } from './explainer.js';
import { GccExplainer } from './gcc.js';
import { LccExplainer } from './lcc.js';
import { NadaExplainer } from './nada.js';
import { ofFlow, Rows } from './rows.js';
import { segmentsOf, type Segment } from './segments.js';
import { ControllerSettings } from './settings.js';
import { UnseenExplainer } from './unseen.js';
import { changeText } from './words.js';
import type { ControllerName, TableName } from '../core/schema.js';
import type { TraceData, TraceHeader } from '../trace/index.js';

const COLUMNS = ['a_r_bps', 'a_s_bps', 'target_bps', 'fraction_lost', 'rtt_us'];

/** By controller: the table that records its internal state. */
const INSIDE: Readonly<Record<ControllerName, TableName>> = { gcc: 'group', nada: 'nada', lcc: 'lcc' };
const CONTROLLERS = Object.keys(INSIDE) as ControllerName[];

/** The flow whose target to explain. The header contains the initial settings of the flow's controller. */
export interface ChangesQuery {
  /** The flow's number. Null for a trace with a single flow: all rows belong to it. */
  flow: number | null;
  /** The number of the flow's bottleneck; null if the trace has only one bottleneck. */
  link?: number | null;
  header: Partial<TraceHeader>;
}

const hasRows = (trace: TraceData, table: TableName, flow: number | null): boolean =>
  flow === null ? trace.table(table).rows > 0 : new Rows(trace, table, ['flow'], ofFlow(flow)).length > 0;

const EXPLAINERS: Readonly<Record<ControllerName, new (trace: TraceData, flow: Flow) => Explainer>> = {
  gcc: GccExplainer,
  nada: NadaExplainer,
  lcc: LccExplainer,
};

/**
 * The explainer of a flow whose controller was replaced during the trace. For each row, uses the explainer of
 * the controller that was in charge at that time.
 */
class InTurn implements Explainer {
  readonly #unseen: Explainer;
  readonly #turns: { fromUs: number; explainer: Explainer }[];

  constructor(
    trace: TraceData,
    private readonly flow: Flow,
    seen: readonly ControllerName[],
  ) {
    const made = new Map(seen.map((name) => [name, new EXPLAINERS[name](trace, flow)]));
    this.#unseen = new UnseenExplainer(flow);
    this.#turns = flow.settings.controllers.map(({ fromUs, controller }) => ({
      fromUs,
      explainer: (controller && made.get(controller)) ?? this.#unseen,
    }));
  }

  #at(row: number): Explainer {
    const timeUs = this.flow.rate.timeUs[row] ?? NaN;
    return this.#turns.findLast(({ fromUs }) => fromUs <= timeUs)?.explainer ?? this.#unseen;
  }

  isExact = (row: number): boolean => this.#at(row).isExact(row);
  scatter = (row: number): number => this.#at(row).scatter(row);
  isDecision = (row: number): boolean => this.#at(row).isDecision(row);
  explain = (segment: Segment): Reason => this.#at(segment.to).explain(segment);
}

/**
 * All changes of a flow's target, in time order. Each single step down by more than 5 % is a separate change.
 */
export function targetChanges(trace: TraceData, { flow, link = null, header }: ChangesQuery): TargetChange[] {
  const rate = new Rows(trace, 'rate', COLUMNS, ofFlow(flow));
  const seen = CONTROLLERS.filter((name) => hasRows(trace, INSIDE[name], flow));
  const of: Flow = {
    number: flow,
    rate,
    settings: new ControllerSettings(header, trace.events, flow, seen[0]),
  };
  const explainer = new InTurn(trace, of, seen);
  const { isExact, scatter, isDecision } = explainer;
  const course = { timeUs: rate.timeUs, targetBps: rate.column('target_bps'), isExact, scatter, isDecision };
  const competition = new Competition(trace, { flow, link, header });
  return segmentsOf(course).map((segment) => changeOf(of, explainer, competition, segment));
}

function changeOf(
  { rate }: Flow,
  explainer: Explainer,
  competition: Competition,
  segment: Segment,
): TargetChange {
  const { shape, from, to } = segment;
  const [fromUs, toUs] = [rate.timeUs[from] ?? NaN, rate.timeUs[to] ?? NaN];
  const own = explainer.explain(segment);
  const isDown = shape === 'fall' || shape === 'decline';
  const reason = isDown ? competition.addTo(own, fromUs, toUs) : own;
  const [fromBps, toBps] = [rate.at('target_bps', from), rate.at('target_bps', to)];
  const text = changeText(shape, reason, fromBps, toBps, toUs - fromUs);
  return { shape, kind: reason.kind, fromUs, toUs, fromBps, toBps, text, evidence: reason.evidence };
}

/**
 * The change to show at a time: the change in progress or, if there is none, the latest one. Exactly at the end
 * of a change, this is the ending change and not the next one. Undefined until the first change has begun.
 */
export const changeAt = (changes: readonly TargetChange[], timeUs: number): TargetChange | undefined =>
  changes.findLast(({ fromUs }) => fromUs < timeUs);

/**
 * A time at which `changeAt` returns this change. For a fall, this is the time of the row that explains the fall, if
 * that row lies within the fall; otherwise the end of the fall. For any other change, it is the time just after its
 * beginning.
 */
export function momentOf({ shape, fromUs, toUs, evidence }: TargetChange): number {
  if (shape !== 'fall') return fromUs + 1;
  const causedUs = evidence['time_us'] ?? NaN;
  return causedUs > fromUs && causedUs < toUs ? causedUs : toUs;
}
