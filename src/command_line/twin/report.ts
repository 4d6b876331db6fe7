/** The report of a simulated call. Its numbers are defined as in the report of a real call. */
import {
  DROP_REASONS,
  tableSpec,
  type TableName,
  type TraceBatch,
  type WindowMetrics,
} from '../../core/index.js';
import { machineReport, MachineWatch } from '../../machine/index.js';
import { parseSchedule } from '../../link/capacity_text.js';
import { targetReport } from '../../calls/targets.js';
import type { CallPlan, FaultReport, RunReport } from '../call/types.js';
import { linkMetrics, utilisation } from '../../calls/metrics.js';
import type { PacketRecord } from '../../link/packet_log.js';

/** The results of a simulation. */
export interface Simulated {
  /** The metrics of the whole run, followed by the metrics of the windows that `twinOptions` requested. */
  windows: readonly WindowMetrics[];
  batches: readonly TraceBatch[];
  faults: readonly FaultReport[];
}

/** A packet of a flow at the bottleneck of the forward path. */
type FlowPacket = PacketRecord & { flow: number };

/** Returns a function that returns a column of the table by its name, over all batches. */
function columnsOf(batches: readonly TraceBatch[], table: TableName): (name: string) => number[] {
  const own = batches.filter((batch) => batch.table === table);
  const { columns } = tableSpec(table);
  return (name) => {
    const index = columns.findIndex((column) => column.name === name);
    return own.flatMap((batch) => [...(batch.columns[index] ?? [])]);
  };
}

/** The packets of the forward path, in the order in which they left the bottleneck or were dropped. */
function packetsOf(batches: readonly TraceBatch[]): FlowPacket[] {
  const column = columnsOf(batches, 'packet');
  const [link, flow, depart, offered, size, delay, dropped] = [
    ...['link', 'flow', 'time_us', 'offered_us', 'size_bytes', 'queue_delay_us', 'dropped'],
  ].map(column);
  return (link ?? [])
    .flatMap((direction, i) => (direction === 0 ? [i] : []))
    .map((i) => ({
      flow: flow?.[i] ?? NaN,
      offeredUs: offered?.[i] ?? NaN,
      sizeBytes: size?.[i] ?? NaN,
      queueDelayUs: delay?.[i] ?? NaN,
      departUs: depart?.[i] ?? NaN,
      dropped: DROP_REASONS[dropped?.[i] ?? 0] ?? null,
    }))
    .sort((a, b) => a.departUs - b.departUs);
}

/** The target rates of flow 0's controller, with their times. */
function targetRows(batches: readonly TraceBatch[]): { timeUs: number[]; targetBps: number[] } {
  const column = columnsOf(batches, 'rate');
  const own = column('flow').flatMap((flow, i) => (flow === 0 ? [i] : []));
  const [timeUs, targetBps] = [column('time_us'), column('target_bps')];
  return { timeUs: own.map((i) => timeUs[i] ?? NaN), targetBps: own.map((i) => targetBps[i] ?? NaN) };
}

/** How often the overuse detector entered the state overuse. Null if the controller has no overuse detector. */
function overuses(batches: readonly TraceBatch[]): number | null {
  const spec = tableSpec('group').columns.find(({ name }) => name === 'signal');
  const overuse = spec?.values?.indexOf('overuse') ?? NaN;
  const signals = columnsOf(batches, 'group')('signal');
  if (signals.length === 0) return null;
  return signals.filter((signal, i) => signal === overuse && signals[i - 1] !== overuse).length;
}

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

export function twinReport(plan: CallPlan, { windows, batches, faults }: Simulated): RunReport {
  const run = { fromUs: 0, toUs: plan.durationMs * 1e3 };
  const steps = parseSchedule(plan.link.capacity);
  const lastTwoThirds = { fromUs: run.toUs / 3, toUs: run.toUs };
  const packets = packetsOf(batches);
  const [, call, measured] = windows.map(({ flows }) => flows[0]);
  const { width, height, fps } = plan.source;
  const seconds = (lastTwoThirds.toUs - lastTwoThirds.fromUs) / 1e6;
  return {
    ...linkMetrics(
      packets.filter(({ flow }) => flow === 0),
      steps,
      run,
    ),
    ...targetReport(targetRows(batches), steps, run),
    mode: plan.mode,
    cross_utilisation: utilisation(
      packets.filter(({ flow }) => flow !== 0),
      steps,
      lastTwoThirds,
    ),
    overuse_count: overuses(batches),
    fps: finite((measured?.frames ?? NaN) / seconds),
    freeze_count: finite(call?.freezes),
    longest_freeze_s: finite((call?.longestFreezeUs ?? NaN) / 1e6),
    shaper_lateness_ms: { p50: null, p95: null, p99: null },
    sent: { codec: plan.codec.toUpperCase(), width, height, fps },
    received: null,
    machine: machineReport(new MachineWatch().state),
    shadows: [],
    controller_faults: [...faults],
    notices: [],
  };
}
