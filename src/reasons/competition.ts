/** The flows that share the bottleneck with a flow, and their received rates. */
import { COMPETITION } from '../judge/competition.js';
import { rateText } from '../judge/text.js';
import { recordedFlows, type TraceData, type TraceHeader } from '../trace/index.js';
import type { Reason, ReasonKind } from './change.js';
import { Rows } from './rows.js';

/** The shortest period over which competing flows are measured. A single step of the target is much shorter. */
const LEAST_US = 1e6;
/** Reasons for a fall that do not depend on the traffic of other flows. */
const OWN: ReadonlySet<ReasonKind> = new Set<ReasonKind>([
  'setting',
  'restart',
  'cap',
  'application-limited',
  'exploration',
]);

export interface CompetitionQuery {
  /** The flow that the other flows compete with. Null in a trace with a single flow. */
  flow: number | null;
  /** The number of the bottleneck; null if the trace has only one. */
  link: number | null;
  /** The trace's header, which lists the flows. */
  header: Partial<TraceHeader>;
}

/** What the competing flows took of the bottleneck during a period. */
export interface Taken {
  /** The names of the flows that received data. */
  flows: readonly string[];
  /** Their total received rate, and the capacity; both averaged over the period. */
  receivedBps: number;
  capacityBps: number;
}

export class Competition {
  readonly #names: ReadonlyMap<number, string>;
  readonly #received: Rows;
  readonly #queue: Rows;

  constructor(trace: TraceData, { flow, link, header }: CompetitionQuery) {
    const flows = recordedFlows(header);
    const direction = flows.find((each) => each.flow === flow)?.direction;
    const others = flows.filter(
      (each) =>
        each.flow !== flow && (each.kind === 'tcp' || each.kind === 'media') && each.direction === direction,
    );
    this.#names = new Map(others.map(({ flow: number, name = `flow ${number}` }) => [number, name]));
    this.#received = new Rows(trace, 'throughput', ['flow', 'received_bps'], undefined);
    const where = link === null ? undefined : { column: 'link', value: link };
    this.#queue = new Rows(trace, 'queue', ['capacity_bps'], where);
  }

  /**
   * Adds to the reason for a fall how much of the capacity the competing flows took during a period. Returns the
   * reason unchanged if they took less than the fraction COMPETITION, or if other flows cannot be the cause.
   */
  addTo(reason: Reason, fromUs: number, toUs: number): Reason {
    if (OWN.has(reason.kind)) return reason;
    const taken = this.taken(Math.min(fromUs, toUs - LEAST_US), toUs);
    if (taken === null) return reason;
    const { flows, receivedBps, capacityBps } = taken;
    const [only] = flows;
    const who =
      flows.length === 1 && only !== undefined ? `${only} takes` : `${flows.length} other flows take`;
    const detail = [
      reason.detail,
      `while ${who} ${rateText(receivedBps)} of ${rateText(capacityBps)} on average`,
    ]
      .filter((text) => text !== '')
      .join(' ');
    return { ...reason, detail, evidence: { ...reason.evidence, other_flows_received_bps: receivedBps } };
  }

  /**
   * What the competing flows took during a period. Null if they took less than the fraction COMPETITION of the
   * capacity.
   */
  taken(fromUs: number, toUs: number): Taken | null {
    if (this.#names.size === 0) return null;
    const capacityBps = this.#queue.mean('capacity_bps', ...this.#queue.between(fromUs, toUs));
    const { receivedBps, flows } = this.#rateOf(fromUs, toUs);
    return receivedBps >= COMPETITION * capacityBps ? { flows, receivedBps, capacityBps } : null;
  }

  /** The total received rate of the competing flows, and the names of those that received data. */
  #rateOf(fromUs: number, toUs: number): Omit<Taken, 'capacityBps'> {
    const [first, end] = this.#received.between(fromUs, toUs);
    const [numbers, rates] = [this.#received.column('flow'), this.#received.column('received_bps')];
    const active = new Set<string>();
    let [sumBps, intervals] = [0, 0];
    for (let row = first; row < end; row++) {
      if (row === first || this.#received.timeUs[row] !== this.#received.timeUs[row - 1]) intervals++;
      const name = this.#names.get(numbers[row] ?? NaN);
      const bps = rates[row] ?? NaN;
      if (name === undefined || !(bps > 0)) continue;
      sumBps += bps;
      active.add(name);
    }
    return { receivedBps: sumBps / Math.max(1, intervals), flows: [...active] };
  }
}
