/**
 * The report of `ccscope call --url`, in the same form as for other calls. If media flow in both directions, the
 * report covers the direction in which the first connection carried more.
 */
import { machineReport } from '../../machine/index.js';
import { tableSpec, type TableName } from '../../core/index.js';
import type { CapacityStep } from '../../core/link.js';
import { FailedRun } from '../../text/errors.js';
import { finiteOrNull, jainIndex, pathMetrics } from '../../judge/call_metrics.js';
import { freezesIn } from '../../calls/record/freezes.js';
import { machineIn } from '../../judge/machine.js';
import { isVideoReceived } from '../../judge/media.js';
import { receivedCurve } from '../../judge/rate_curve.js';
import { incidentRow } from '../../judge/incidents/incident_row.js';
import type { EvidenceInput } from '../../evidence/index.js';
import { keptFromUs, linkSides, packetsIn, pathsOf, sidesOf, type Path } from '../../judge/view.js';
import { linkMetrics, stepsSince, type Window } from '../../calls/metrics.js';
import type { CallRecord, EndpointRecord, RecordNotice, ShadowRecord } from '../../calls/record/record.js';
import { SHADOW } from '../../calls/record/shadow_flow.js';
import { targetReport, type TargetRows } from '../../calls/targets.js';
import type { RunReport, ShadowReport, SharesReport } from './types.js';

/** The browsers' own bandwidth estimates. */
function estimates(senders: readonly EndpointRecord[]): TargetRows {
  const samples = senders
    .flatMap((endpoint) => endpoint.samples)
    .filter(({ availableOutgoingBps }) => Number.isFinite(availableOutgoingBps))
    .sort((a, b) => a.timeUs - b.timeUs);
  return {
    timeUs: samples.map(({ timeUs }) => timeUs),
    targetBps: samples.map(({ availableOutgoingBps }) => availableOutgoingBps),
  };
}

/** The values of one column in the rows of a shadow: a GCC that watches the call but does not control it. */
function column({ batches }: ShadowRecord, table: TableName, name: string): number[] {
  const index = tableSpec(table).columns.findIndex((each) => each.name === name);
  return batches
    .filter((batch) => batch.table === table)
    .flatMap(({ columns }) => Array.from(columns[index] ?? []));
}

/** How often the overuse detector of a shadow entered the state overuse. Null if it has judged no group. */
function overuses(shadow: ShadowRecord): number | null {
  const overuse = tableSpec('group')
    .columns.find(({ name }) => name === 'signal')
    ?.values?.indexOf('overuse');
  const signals = column(shadow, 'group', 'signal');
  if (signals.length === 0) return null;
  return signals.filter((signal, i) => signal === overuse && signals[i - 1] !== overuse).length;
}

/** The report on a shadow: the target rates that the shadow would have requested. Empty if there is no shadow. */
function shadowReport(
  shadow: ShadowRecord | undefined,
  steps: readonly CapacityStep[],
  run: Window,
): ShadowReport[] {
  if (shadow === undefined) return [];
  const rows = { timeUs: column(shadow, 'rate', 'time_us'), targetBps: column(shadow, 'rate', 'target_bps') };
  return [{ name: 'GCC', ...SHADOW, parameters: {}, ...targetReport(rows, steps, run) }];
}

/**
 * Whether the receiver receives media streams. If the receiver is not observed (null): whether the sender
 * sends media streams.
 */
const hasMedia = ({ sender, receiver }: Path): boolean =>
  ((receiver ? receiver.samples.at(-1)?.inbound : sender?.samples.at(-1)?.outbound)?.length ?? 0) > 0;

/** How the connections shared the link. Empty if fewer than two connections carried media. */
function sharesOf(record: CallRecord, paths: readonly Path[], window: Window): { shares?: SharesReport } {
  const received = paths.filter(hasMedia).map((path) => receivedCurve(record, [path]).rateBps(window));
  if (received.length < 2) return {};
  return { shares: { received_bps: received.map(finiteOrNull), jain: finiteOrNull(jainIndex(received)) } };
}

const noticesOf = (record: CallRecord): RecordNotice[] => [
  ...record.notices,
  ...(record.link?.notices ?? []),
  ...record.endpoints.flatMap(({ notices }) => notices),
];

/**
 * A notice if several pages each make a call with themselves. Copies of a page that needs no second page do so unless
 * `--pages 1` is given. Null if any connection joins two pages, or a page and a server.
 */
function ownCallsNotice({ connections, endpoints }: CallRecord): string | null {
  const pageOf = (id: number | null): number | undefined =>
    endpoints.find((endpoint) => endpoint.id === id)?.page;
  const pages = new Set<number>();
  for (const { offerer, answerer } of connections) {
    const page = pageOf(offerer);
    if (page === undefined || page !== pageOf(answerer)) return null;
    pages.add(page);
  }
  if (pages.size < 2) return null;
  return `warning: Each of the ${pages.size} pages makes a call with itself, so these calls share the link. To do: to measure one call, give one --url, with --pages 1.`;
}

/**
 * The report of a run over the window `wanted`. If the record no longer contains the first data of this
 * window, the report starts at the earliest data that are left. Throws FailedRun if no packet went through
 * the link.
 */
export function pageReport(
  { record, metrics: { incidents } }: Pick<EvidenceInput, 'record' | 'metrics'>,
  wanted: Window,
  hasCrossTraffic: boolean,
): RunReport {
  const all = pathsOf(record, {});
  const paths = all.filter(({ direction }) => direction === all[0]?.direction);
  const [side] = linkSides(record, paths);
  const ownCalls = ownCallsNotice(record);
  const notices = [
    ...new Set(noticesOf(record).map(({ level, message, fix }) => `${level}: ${message} To do: ${fix}.`)),
    ...(ownCalls === null ? [] : [ownCalls]),
  ];
  if (side === undefined) throw new FailedRun(['the call does not pass the link', ...notices].join('\n'));
  const run = { fromUs: Math.max(wanted.fromUs, keptFromUs(record, paths)), toUs: wanted.toUs };
  const packets = packetsIn(side.direction, side.flows, run).filter(
    ({ offeredUs }) => offeredUs >= run.fromUs,
  );
  const steps = stepsSince(side.direction.capacity, run.fromUs);
  const lastTwoThirds = { fromUs: run.fromUs + (run.toUs - run.fromUs) / 3, toUs: run.toUs };
  const metrics = pathMetrics(record, paths, lastTwoThirds);
  const receivers = sidesOf(paths, 'receiver');
  const [shadow] = record.shadows
    .filter(({ endpoint }) => receivers.some(({ id }) => id === endpoint))
    .sort((a, b) => b.batches.length - a.batches.length);
  const freezes = isVideoReceived(paths) ? freezesIn(receivers, run) : null;
  const late = record.link?.latenessMs;
  const absolute = steps.map(({ atUs, capacityBps }) => ({ atUs: run.fromUs + atUs, capacityBps }));
  return {
    ...linkMetrics(packets, steps, run),
    ...targetReport(estimates(sidesOf(paths, 'sender')), absolute, run),
    mode: 'observe',
    // The cross traffic's utilisation is the path's utilisation minus the call's. The path's is computed from ten
    // queue rows a second, the call's from packets. So without cross traffic the difference would not be exactly 0.
    cross_utilisation: !hasCrossTraffic
      ? 0
      : metrics.pathUtilisation === null
        ? null
        : Math.max(0, metrics.pathUtilisation - (metrics.utilisation ?? 0)),
    overuse_count: shadow === undefined ? null : overuses(shadow),
    fps: metrics.framesPerSecond,
    freeze_count: freezes?.length ?? null,
    longest_freeze_s:
      freezes === null ? null : Math.max(0, ...freezes.map(({ fromUs, toUs }) => (toUs - fromUs) / 1e6)),
    shaper_lateness_ms: {
      p50: finiteOrNull(late?.p50),
      p95: finiteOrNull(late?.p95),
      p99: finiteOrNull(late?.p99),
    },
    ...sharesOf(record, paths, lastTwoThirds),
    sent: null,
    received: null,
    machine: machineReport(machineIn(record, run)),
    incidents: incidents.map(incidentRow),
    began_at_s: run.fromUs / 1e6,
    shadows: shadowReport(shadow, absolute, run),
    controller_faults: [],
    notices,
  };
}
