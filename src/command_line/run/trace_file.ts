/** Writes the trace of a simulation to a file in trace format v1. */
import { closeSync, openSync, writeSync } from 'node:fs';

import { tableSpec, type TraceBatch } from '../../core/index.js';
import type { SimulationHeader } from '../../scenario/index.js';
import { formatHeader, RowFormatter, TRACE_VERSION } from '../../trace/index.js';
import type { FaultReport } from '../controllers/controllers.js';
import { systemCode, UsageError } from '../../text/errors.js';

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
  const file = open(path);
  try {
    writeSync(file, `${header}\n`);
    for (const batch of batches) {
      const formatter = new RowFormatter(tableSpec(batch.table));
      const lines = Array.from({ length: batch.rows }, (_, row) => `${formatter.line(batch.columns, row)}\n`);
      writeSync(file, lines.join(''));
    }
    for (const { time_us = 0, ...detail } of faults)
      writeSync(file, `${JSON.stringify({ type: 'event', time_us, name: 'controller_fault', detail })}\n`);
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new UsageError(`${path}: cannot be written (${systemCode(error) ?? 'unknown error'})`);
  }
}
