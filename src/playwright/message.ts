/** The message of a failed matcher. */
import {
  linkOf,
  msText,
  pathsOf,
  rateText,
  secondsText,
  type CauseKind,
  type Judgement,
} from '../judge/index.js';
import { queueDelays } from '../judge/delay.js';
import { receivedCurve, sentCurve } from '../judge/rate_curve.js';
import { sparkline } from '../text/terminal.js';
import type { ObservedCall } from './call.js';
import type { Verdict } from './wait.js';

const COLUMNS = 48;
/** The charts show at most the last SHOWN_US of the call. */
const SHOWN_US = 24e6;

const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => (value > most ? value : most), 0);

/** Bar charts in text: sent rate, received rate and queuing delay over the last seconds. */
export function picture({ record, view }: ObservedCall, untilUs: number): string[] {
  const fromUs = Math.max(0, untilUs - SHOWN_US);
  const stepUs = (untilUs - fromUs) / COLUMNS;
  if (!(stepUs > 0)) return [];
  const slices = Array.from({ length: COLUMNS }, (_, i) => ({
    fromUs: fromUs + i * stepUs,
    toUs: fromUs + (i + 1) * stepUs,
  }));
  const paths = pathsOf(record, view);
  const [received, sent] = [receivedCurve(record, paths), sentCurve(record, paths)];
  const receivedBps = slices.map((slice) => received.rateBps(slice));
  const sentBps = slices.map((slice) => sent.rateBps(slice));
  const { points, estimated } = queueDelays(record, paths, { fromUs, toUs: untilUs });
  const delaysMs = slices.map((slice) =>
    largest(
      points
        .filter(({ timeUs }) => timeUs > slice.fromUs && timeUs <= slice.toUs)
        .map(({ delayUs }) => delayUs / 1e3),
    ),
  );
  const topBps = largest([...receivedBps, ...sentBps]);
  const [first] = paths;
  const link = first === undefined ? record.link : linkOf(record, first.connection);
  const capacities = (link?.[first?.direction ?? 'forward']?.capacity ?? [])
    .filter(({ timeUs }) => timeUs <= untilUs)
    .slice(-3)
    .map(({ timeUs, capacityBps }) => `${rateText(capacityBps)} from ${secondsText(timeUs)}`);
  return [
    `${secondsText(fromUs)} to ${secondsText(untilUs)}, full bar ${rateText(topBps)} and ${msText(largest(delaysMs))}:`,
    `  sent      ${sparkline(sentBps, topBps)}`,
    `  received  ${sparkline(receivedBps, topBps)}`,
    `  queuing   ${sparkline(delaysMs, largest(delaysMs))}${estimated ? ' (estimated)' : ''}`,
    ...(capacities.length > 0 ? [`  capacity  ${capacities.join(', ')}`] : []),
  ];
}

const CUT: Readonly<Record<'timeout' | 'test-timeout', string>> = {
  timeout: 'The time to wait was over before the expectation was met: raise `timeout`.',
  'test-timeout':
    "The test's own timeout came before the expectation was met: raise it with test.setTimeout().",
};

/** Causes that do not go away if the matcher waits longer. */
const LASTING: ReadonlySet<CauseKind> = new Set(['page-ended', 'not-routed', 'no-media', 'cap', 'capacity']);

function cutText({ judgement: { cause }, cut }: Verdict): string[] {
  return cut === null || (cause !== null && LASTING.has(cause.kind)) ? [] : [CUT[cut]];
}

/**
 * The cause of a failure, and its fix. Empty if an expectation with `.not` has a verdict: then the condition
 * holds, and there is no cause to explain.
 */
function explanation({ cause, settled }: Judgement, isNot: boolean): string[] {
  if ((isNot && settled) || !cause) return [];
  return [`Cause:    ${cause.kind}: ${cause.evidence}`, `To do:    ${cause.fix}`];
}

/** The text of a failed expectation below its first line. */
export function failureText(call: ObservedCall, verdict: Verdict, isNot: boolean): string {
  const { judgement } = verdict;
  const lines = [
    `Expected: ${isNot ? 'not ' : ''}${judgement.expected}`,
    `Received: ${judgement.received}`,
    ...explanation(judgement, isNot),
    ...cutText(verdict),
  ];
  const shown = picture(call, Math.max(judgement.window.toUs, 1));
  return [...lines, ...(shown.length > 0 ? ['', ...shown] : [])].join('\n');
}
