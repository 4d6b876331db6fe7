/** What the overuse detector of the controller that runs beside a call (a shadow) said of it. */
import { tableSpec } from '../core/schema.js';
import type { Window } from '../calls/metrics.js';
import type { CallRecord, EndpointRecord } from '../calls/record/record.js';

export interface DetectorFacts {
  groups: number;
  /** Share of the groups of packets at which it signalled overuse. */
  overuseShare: number;
  /** Largest threshold. */
  gammaMs: number;
}

const { columns: COLUMNS } = tableSpec('group');
const column = (name: string): number => COLUMNS.findIndex((each) => each.name === name);
const TIME = column('time_us');
const SIGNAL = column('signal');
const GAMMA = column('gamma_ms');
const OVERUSE = COLUMNS[SIGNAL]?.values?.indexOf('overuse');

/** Over the streams that some endpoints received in a window; null where none was shadowed. */
export function detectorFacts(
  { shadows }: CallRecord,
  receivers: readonly EndpointRecord[],
  { fromUs, toUs }: Window,
): DetectorFacts | null {
  const ids = new Set(receivers.map(({ id }) => id));
  let [groups, overuses, gammaMs] = [0, 0, 0];
  for (const { endpoint, batches } of shadows) {
    if (!ids.has(endpoint)) continue;
    for (const { table, rows, columns } of batches) {
      if (table !== 'group') continue;
      for (let row = 0; row < rows; row++) {
        const timeUs = columns[TIME]?.[row] ?? NaN;
        if (!(timeUs > fromUs && timeUs <= toUs)) continue;
        groups++;
        if (columns[SIGNAL]?.[row] === OVERUSE) overuses++;
        gammaMs = Math.max(gammaMs, columns[GAMMA]?.[row] ?? 0);
      }
    }
  }
  return groups === 0 ? null : { groups, overuseShare: overuses / groups, gammaMs };
}
