/** Waits for a verdict on a call by judging repeatedly, like Playwright's own matchers. */
import type { Asked, Judgement } from '../judge/index.js';
import type { ObservedCall } from './call.js';
import { testDeadlineMs } from './test_time.js';

/** The time between two judgements. */
const INTERVAL_MS = 250;
/** Additional time for data that arrive late, since getStats is read only twice a second. */
const GRACE_MS = 2_000;
/** How long to wait for a call to connect, unless `timeout` is given. */
const CONNECT_MS = 15_000;

export interface WaitOptions {
  isNot: boolean;
  /** How long to wait in total; undefined: as long as the judgement needs. */
  timeoutMs: number | undefined;
  /** How long to keep judging after the first possible verdict, since a verdict may still change. */
  retryMs: number;
}

export interface Verdict {
  judgement: Judgement;
  /**
   * The timeout that ended the waiting; null if the expectation was met, or the verdict became final, before
   * that.
   */
  cut: 'timeout' | 'test-timeout' | null;
}

function deadlineMs(
  { dueUs, settled }: Judgement,
  askedMs: number,
  originMs: number,
  options: WaitOptions,
): number {
  if (options.timeoutMs !== undefined) return askedMs + options.timeoutMs;
  if (dueUs === null) return askedMs + CONNECT_MS;
  const graceMs = settled ? 0 : GRACE_MS;
  return Math.max(askedMs, originMs + dueUs / 1e3) + options.retryMs + graceMs;
}

/** Judges repeatedly until the verdict is final, the expectation is met, or the time has run out. */
export async function waitForVerdict(
  call: ObservedCall,
  judge: (asked: Asked) => Judgement,
  options: WaitOptions,
): Promise<Verdict> {
  const askedMs = Date.now();
  const { record, view, nowUs: askedUs } = call;
  const done = ({ pass, final, settled }: Judgement): boolean => final || (settled && pass !== options.isNot);
  for (;;) {
    const beginMs = Date.now();
    const judgement = judge({ record, view, askedUs, nowUs: call.nowUs });
    const untilMs = deadlineMs(judgement, askedMs, record.originEpochMs, options);
    const testMs = testDeadlineMs();
    const isLate = beginMs >= Math.min(untilMs, testMs);
    if (isLate || done(judgement)) {
      // The data so far may be incomplete. Therefore the record is completed and judged again.
      const nowUs = call.nowUs;
      await call.settle();
      const settled = judge({ record, view, askedUs, nowUs });
      if (done(settled)) return { judgement: settled, cut: null };
      if (isLate) return { judgement: settled, cut: beginMs >= testMs ? 'test-timeout' : 'timeout' };
    }
    await call.nextUpdate(INTERVAL_MS);
    const leftMs = beginMs + INTERVAL_MS - Date.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  }
}
