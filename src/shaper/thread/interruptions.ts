/**
 * Keeps the record of a link consistent when its thread is replaced: flows keep their numbers, counters
 * continue, and the interruption is recorded.
 */
import type { LinkRecord, PathRecord, RecordNotice } from '../../calls/record/record.js';
import type { QueueRow } from '../../link/server_protocol.js';
import { LOG_COLUMNS } from '../../link/packet_log.js';
import { DIRECTIONS, type Direction } from '../../core/direction.js';
import type { FromThread, PathBatch, PathOwner, ThreadTick } from './protocol.js';

type Flow = Extract<FromThread, { kind: 'flow' }>['flow'];
type Counted = Pick<QueueRow, 'drops' | 'delivered_bytes'>;

const NOTHING: Counted = { drops: 0, delivered_bytes: 0 };
const lastOf = (path: PathRecord): Record<Direction, Counted> => ({
  forward: path.forward?.rows.at(-1) ?? NOTHING,
  backward: path.backward?.rows.at(-1) ?? NOTHING,
});
const seconds = (us: number): string => `${(us / 1e6).toFixed(1)} s`;

const restarted = (why: string, { fromUs, toUs }: LinkRecord['interruptions'][number]): string =>
  `The shaper's thread ended and was started again (${why}). No packets ${toUs === null ? `have passed since ${seconds(fromUs)}` : `passed from ${seconds(fromUs)} to ${seconds(toUs)}`}.`;

/** Translates each thread's reports to the flow numbers and counters of the record. */
export class Interruptions {
  /** Maps the flow numbers of the running thread to those of the record. */
  #flows = new Map<number, number>();
  /** For each path, the record's counters when the previous thread ended. */
  readonly #counted = new Map<PathOwner, Record<Direction, Counted>>();
  #lateness: LinkRecord['latenessMs'] = null;
  #lasting: { notice: RecordNotice; why: string } | null = null;

  constructor(private readonly record: LinkRecord) {}

  /** To be called when the thread has ended. What the thread did after its last batch is unknown. */
  begin(why: string, nowUs: number): void {
    const { record } = this;
    for (const path of [record, ...record.own]) this.#counted.set(path.page, lastOf(path));
    this.#flows.clear();
    this.#lateness = record.latenessMs;
    if (this.#lasting !== null) return;
    const fromUs = record.forward?.rows.at(-1)?.time_us ?? nowUs;
    const interruption = { fromUs, toUs: null };
    record.interruptions.push(interruption);
    const notice: RecordNotice = {
      level: 'warning',
      code: 'shaper-restarted',
      message: restarted(why, interruption),
      fix: 'judge a window without this outage, or run the test again',
    };
    record.notices.push(notice);
    this.#lasting = { notice, why };
  }

  /**
   * To be called if no new thread will start. Removes the notice about the latest interruption, which did not end.
   * The caller adds a notice about the end of the link instead.
   */
  giveUp(): void {
    const { notices } = this.record;
    if (this.#lasting !== null) notices.splice(notices.indexOf(this.#lasting.notice), 1);
    this.#lasting = null;
  }

  flow({ flow, offererUfrag, answererUfrag }: Flow): void {
    const { flows } = this.record;
    const isSame = (one: Flow): boolean =>
      one.offererUfrag === offererUfrag && one.answererUfrag === answererUfrag;
    let number = flows.find(isSame)?.flow;
    if (number === undefined) {
      number = flows.reduce((most, one) => Math.max(most, one.flow), 0) + 1;
      flows.push({ flow: number, offererUfrag, answererUfrag });
    }
    this.#flows.set(flow, number);
  }

  /** Converts the flow numbers and counters of a batch to those of the record. */
  batch(batch: PathBatch): PathBatch {
    const counted = this.#counted.get(batch.owner);
    for (const direction of DIRECTIONS) {
      const { packets, row } = batch[direction];
      const { drops, delivered_bytes } = counted?.[direction] ?? NOTHING;
      row.drops += drops;
      row.delivered_bytes += delivered_bytes;
      const rows = packets.length / LOG_COLUMNS;
      const flows = packets.subarray((LOG_COLUMNS - 1) * rows);
      flows.forEach((flow, i) => (flows[i] = this.#flows.get(flow) ?? flow));
    }
    this.#endWith(batch);
    return batch;
  }

  #endWith(batch: PathBatch): void {
    const interruption = this.record.interruptions.at(-1);
    if (this.#lasting === null || interruption === undefined) return;
    if (batch.startUs === null) return;
    interruption.toUs = batch.startUs;
    this.#lasting.notice.message = restarted(this.#lasting.why, interruption);
    this.#lasting = null;
  }

  /** The lateness of sent packets over all threads. Each percentile is the highest that any thread reported. */
  latenessMs({
    p50_ms: p50,
    p95_ms: p95,
    p99_ms: p99,
    packets,
  }: ThreadTick['lateness']): LinkRecord['latenessMs'] {
    const before = this.#lateness;
    if (packets === 0 || before === null) return packets === 0 ? before : { p50, p95, p99, packets };
    return {
      p50: Math.max(before.p50, p50),
      p95: Math.max(before.p95, p95),
      p99: Math.max(before.p99, p99),
      packets: before.packets + packets,
    };
  }
}
