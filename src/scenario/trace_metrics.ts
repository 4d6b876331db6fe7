/** Metrics that come from trace rows. */
import type { TraceBatch } from '../core/index.js';
import { tableSpec, type TableName } from '../core/schema.js';

/** Trace tables that a trace metric reads. */
export const TRACE_METRIC_TABLES: readonly TableName[] = ['arrival', 'group'];

/** The value of a trace metric over some flows; NaN without rows, or for another name. */
export function traceMetric(
  name: string,
  batches: readonly TraceBatch[],
  flows: ReadonlySet<number>,
): number {
  if (name !== 'delay_gradient_max') return NaN;
  return Math.max(...[...flows].map((flow) => largestGradient(batches, flow)));
}

/** Largest m over the time between the sending of two groups, until the first packet is missing. */
function largestGradient(batches: readonly TraceBatch[], flow: number): number {
  const endUs = firstGap(batches, flow);
  let largest = NaN;
  for (const [timeUs = NaN, mMs = NaN, deltaUs = NaN] of rows(batches, 'group', flow, [
    'time_us',
    'm_ms',
    'send_delta_us',
  ])) {
    if (timeUs >= endUs) break;
    const gradient = (mMs * 1e3) / deltaUs;
    if (Number.isFinite(gradient) && !(gradient <= largest)) largest = gradient;
  }
  return largest;
}

/** When the first packet behind a missing one arrived; Infinity if none is missing. */
function firstGap(batches: readonly TraceBatch[], flow: number): number {
  let last: number | undefined;
  for (const [seq = NaN, timeUs = NaN] of rows(batches, 'arrival', flow, ['seq', 'arrival_time_us'])) {
    if (last !== undefined && seq !== last + 1) return timeUs;
    last = seq;
  }
  return Infinity;
}

/** The values of some columns, row by row, of one flow. */
function* rows(
  batches: readonly TraceBatch[],
  table: TableName,
  flow: number,
  names: readonly string[],
): Generator<readonly (number | undefined)[], void> {
  const specs = tableSpec(table).columns;
  const at = (name: string): number => specs.findIndex((column) => column.name === name);
  const flowAt = at('flow');
  const wanted = names.map(at);
  for (const batch of batches) {
    if (batch.table !== table) continue;
    for (let row = 0; row < batch.rows; row++) {
      if (batch.columns[flowAt]?.[row] === flow) yield wanted.map((column) => batch.columns[column]?.[row]);
    }
  }
}
