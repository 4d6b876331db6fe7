/** Metrics that come from trace rows. */
import { tableSpec, type TableName } from '../core/schema.js';
import type { TraceBatch } from '../core/recorder.js';

/** The value of a trace metric over some flows; NaN without rows, or for another name. */
export function traceMetric(
  name: string,
  batches: readonly TraceBatch[],
  flows: ReadonlySet<number>,
): number {
  return name === 'delay_gradient_max' ? largestGradient(batches, flows) : NaN;
}

/** Largest m over the time between two groups' sending: ms of delay per ms. */
function largestGradient(batches: readonly TraceBatch[], flows: ReadonlySet<number>): number {
  let largest = NaN;
  for (const batch of batches) {
    if (batch.table !== 'group') continue;
    const [flow, m, delta] = columns(batch, 'group', ['flow', 'm_ms', 'send_delta_us']);
    for (let row = 0; row < batch.rows; row++) {
      if (!flows.has(flow?.[row] ?? NaN)) continue;
      const gradient = ((m?.[row] ?? NaN) * 1e3) / (delta?.[row] ?? NaN);
      if (Number.isFinite(gradient) && !(gradient <= largest)) largest = gradient;
    }
  }
  return largest;
}

function columns(
  batch: TraceBatch,
  table: TableName,
  names: readonly string[],
): (Float64Array | undefined)[] {
  const specs = tableSpec(table).columns;
  return names.map((name) => batch.columns[specs.findIndex((column) => column.name === name)]);
}
