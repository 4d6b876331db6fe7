/** Writes the trace of a simulation to a file in trace format v1. */
import { tableSpec, type TraceBatch } from '../../core/index.js';
import type { SimulationHeader } from '../../scenario/index.js';
import { formatHeader, RowFormatter, TRACE_VERSION } from '../../trace/index.js';
import type { FaultReport } from '../controllers/controllers.js';
import { createFile } from '../io.js';

/**
 * Writes a header line, the recorded rows, and an event for each fault. Throws UsageError if the file cannot be
 * created.
 */
export function writeTrace(
  path: string,
  about: SimulationHeader,
  batches: readonly TraceBatch[],
  faults: readonly FaultReport[] = [],
): void {
  const header = formatHeader({ ccscope_trace: TRACE_VERSION, ...about });
  const file = createFile(path);
  try {
    file.write(`${header}\n`);
    for (const batch of batches) {
      const formatter = new RowFormatter(tableSpec(batch.table));
      const lines = Array.from({ length: batch.rows }, (_, row) => `${formatter.line(batch.columns, row)}\n`);
      file.write(lines.join(''));
    }
    for (const { time_us = 0, ...detail } of faults)
      file.write(`${JSON.stringify({ type: 'event', time_us, name: 'controller_fault', detail })}\n`);
  } finally {
    file.close();
  }
}
