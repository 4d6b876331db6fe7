/**
 * The call's metrics as JSON. Names end with their unit. Ratios are from 0 to 1. Times are relative to
 * `origin_epoch_ms`. Unknown values are null. src/judge/call_metrics.ts defines the metrics; ./measure.ts defines the
 * time to 90 %.
 */
import { machineReport } from '../machine/index.js';
import { allLinks, type CallMetrics, type LayerMetrics } from '../judge/index.js';
import { incidentRow } from '../judge/incidents/incident_row.js';
import { machineIn } from '../judge/machine.js';
import { version } from '../html/version.js';
import { durationUs } from './extent.js';
import { holds, noticesOf, type EvidenceInput } from './input.js';
import { frameSource } from './trace.js';

const rounded = (value: number | null, places: number): number | null =>
  value === null ? null : Number(value.toFixed(places));

const layerRow = (layer: LayerMetrics): Record<string, unknown> => ({
  page: layer.page,
  ssrc: layer.ssrc,
  rid: layer.rid,
  scalability_mode: layer.scalabilityMode,
  frame_width: layer.frameWidth,
  frame_height: layer.frameHeight,
  frames_per_s: rounded(layer.framesPerSecond, 2),
  sent_bps: rounded(layer.sentBps, 0),
  target_bps: rounded(layer.targetBps, 0),
  limited_by: layer.limitedBy,
  active_ratio: rounded(layer.activeShare, 3),
});

/** Turns the metrics of a call or of a connection into the fields of the JSON file. */
export function metricsRow(metrics: CallMetrics): Record<string, unknown> {
  return {
    from_us: Math.round(metrics.window.fromUs),
    to_us: Math.round(metrics.window.toUs),
    rate_source: metrics.source,
    sent_bps: rounded(metrics.sentBps, 0),
    received_bps: rounded(metrics.receivedBps, 0),
    capacity_mean_bps: rounded(metrics.capacityBps, 0),
    utilisation: rounded(metrics.utilisation, 4),
    path_utilisation: rounded(metrics.pathUtilisation, 4),
    queue_delay_p50_ms: rounded(metrics.queueDelayP50Ms, 2),
    queue_delay_p95_ms: rounded(metrics.queueDelayP95Ms, 2),
    queue_delay_p99_ms: rounded(metrics.queueDelayP99Ms, 2),
    queue_delay_max_ms: rounded(metrics.queueDelayMaxMs, 2),
    queue_delay_estimated: metrics.queueDelayEstimated,
    loss_ratio: rounded(metrics.lossRatio, 5),
    freezes: metrics.freezes,
    longest_freeze_ms: rounded(metrics.longestFreezeMs, 0),
    frozen_ms: rounded(metrics.frozenMs, 0),
    frames_per_s: rounded(metrics.framesPerSecond, 2),
    encoder_target_bps: rounded(metrics.encoderTargetBps, 0),
    available_outgoing_bps: rounded(metrics.availableOutgoingBps, 0),
    rtt_ms: rounded(metrics.rttMs, 1),
    outside_link_ratio: rounded(metrics.outsideRatio, 5),
    layers: metrics.layers.map(layerRow),
  };
}

/** The content of the file. */
export function metricsJson(input: EvidenceInput): Record<string, unknown> {
  const { record, metrics, judged, title, outcome, created } = input;
  const { link } = record;
  return {
    ccscope_metrics: 1,
    ccscope: version(),
    title,
    outcome,
    created: created.toISOString(),
    origin_epoch_ms: record.originEpochMs,
    duration_us: Math.round(durationUs(record)),
    backend: link?.backend ?? null,
    frame_source: frameSource(record),
    link_changes: allLinks(record).flatMap(({ page, changes }) =>
      changes.map(({ timeUs, text }) => ({
        time_us: Math.round(timeUs),
        set: text,
        ...(page !== null && { page }),
      })),
    ),
    shaper_lateness_ms: link?.latenessMs ?? null,
    machine: machineReport(
      machineIn(record, metrics.call?.window ?? { fromUs: 0, toUs: durationUs(record) }),
    ),
    call: metrics.call === null ? null : metricsRow(metrics.call),
    time_to_90pct_s: rounded(metrics.timeTo90S, 2),
    connections: metrics.connections.map(({ id, name, metrics: own }) => ({ id, name, ...metricsRow(own) })),
    expectations: judged.map((one) => {
      const { expected, received, cause, window } = one.judgement;
      const times = { from_us: Math.round(window.fromUs), to_us: Math.round(window.toUs) };
      const said = { matcher: one.matcher, is_not: one.isNot, pass: holds(one) };
      return { ...said, expected, received, cause, ...times };
    }),
    incidents: metrics.incidents.map(incidentRow),
    notices: noticesOf(input),
  };
}
