/**
 * Finds the likely cause of a failed judgement: the first explanation that the record supports for the judged paths.
 * If a server sends the media of these paths, the paths from the sending pages to the server are examined as well. If
 * no explanation is found, the log of incidents supplies the cause: that of the latest matching incident that overlaps
 * the judged window.
 */
import type { Window } from '../calls/metrics.js';
import { endpointName } from '../calls/record/names.js';
import type { CallRecord } from '../calls/record/record.js';
import type { Cause, CauseKind, Symptom } from './cause_kinds.js';
import { explain, machineLate } from './cause_rules.js';
import { gatherFacts, type Facts } from './facts.js';
import { incidentsOf, type IncidentKind } from './incidents/index.js';
import { msText, percentText, rateText, secondsText } from './text.js';
import { pathsOf, type Path } from './view.js';

/**
 * Causes that may lie with a far side, such as a server. The true cause may then be on the path from another
 * page to that server.
 */
const FAR_SIDES: ReadonlySet<CauseKind> = new Set<CauseKind>(['far-side-limited', 'no-media', 'ramping-up']);

const unknown = ({ metrics }: Facts): Cause => ({
  kind: 'unknown',
  evidence:
    `No common cause is visible: sent ${rateText(metrics.sentBps)}, estimate ${rateText(metrics.availableOutgoingBps)}, ` +
    `capacity ${rateText(metrics.capacityBps)}, queuing delay p95 ${msText(metrics.queueDelayP95Ms)}, loss ${percentText(metrics.lossRatio)}.`,
  fix: 'See the chart in the evidence.',
});

/**
 * If a page that sends to a server has one of these problems, the pages that receive its media from the server
 * are affected, too.
 */
const UPSTREAM: ReadonlySet<CauseKind> = new Set<CauseKind>([
  'application-limited',
  'capacity',
  'cap',
  'cpu-limited',
  'cross-traffic',
  'loss',
  'no-media',
  'outage',
  'overuse',
  'page-ended',
]);

/**
 * Why a far side that is not under test, such as a server, does not send more. A server probably forwards the media
 * of pages under test. So the cause may lie on the paths from those pages to the server. Null if nothing is wrong on
 * these paths.
 */
function upstreamCause(
  record: CallRecord,
  paths: readonly Path[],
  window: Window,
  symptom: Symptom,
): Cause | null {
  if (symptom.kind !== 'rate-low' && symptom.kind !== 'frozen') return null;
  if (paths.some(({ sender }) => sender !== null)) return null;
  const senders = pathsOf(record, { direction: 'forward' }).filter(
    ({ sender, receiver }) => receiver === null && (sender?.samples.at(-1)?.outbound.length ?? 0) > 0,
  );
  for (const path of senders) {
    const cause = explain(gatherFacts(record, [path], window), symptom);
    if (cause === null || !UPSTREAM.has(cause.kind) || path.sender === null) continue;
    const name = endpointName(record, path.sender);
    return { ...cause, evidence: `On the way from ${name} to the server: ${cause.evidence}` };
  }
  return null;
}

const CHANGES: Readonly<Partial<Record<Symptom['kind'], IncidentKind>>> = {
  'rate-low': 'rate-fall',
  'delay-high': 'delay-rise',
  frozen: 'freeze',
};

/**
 * The cause of the latest incident that is on the judged paths, matches the symptom and overlaps the window.
 * Incidents with an unknown cause are skipped.
 */
function changeCause(
  record: CallRecord,
  paths: readonly Path[],
  { fromUs, toUs }: Window,
  symptom: Symptom,
): Cause | null {
  const ids = new Set(paths.flatMap(({ sender, receiver }) => [sender?.id, receiver?.id]));
  const change = incidentsOf(record).findLast(
    (incident) =>
      incident.kind === CHANGES[symptom.kind] &&
      ids.has(incident.stream.endpoint) &&
      incident.fromUs < toUs &&
      (incident.toUs ?? Infinity) > fromUs &&
      incident.cause.kind !== 'unknown',
  );
  if (change === undefined) return null;
  const evidence = `It began at ${secondsText(change.fromUs)}. ${change.cause.evidence}`;
  return { ...change.cause, evidence };
}

/** Why a call failed a judgement over a window. */
export function likelyCause(
  record: CallRecord,
  paths: readonly Path[],
  window: Window,
  symptom: Symptom,
): Cause {
  const facts = gatherFacts(record, paths, window);
  const cause = explain(facts, symptom);
  if (cause !== null && !FAR_SIDES.has(cause.kind)) return cause;
  return (
    upstreamCause(record, paths, window, symptom) ??
    cause ??
    machineLate(facts, symptom) ??
    changeCause(record, paths, window, symptom) ??
    unknown(facts)
  );
}
