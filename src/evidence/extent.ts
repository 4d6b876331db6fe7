/** The length of a record, and the names of its connections. */
import { allLinks } from '../judge/index.js';
import { endpointName } from '../calls/record/names.js';
import type { CallRecord, ConnectionRecord } from '../calls/record/record.js';

/** The time of the last event in the record; at least one second. */
export function durationUs(record: CallRecord): number {
  const { endpoints, pages } = record;
  const directions = allLinks(record)
    .flatMap(({ forward, backward }) => [forward, backward])
    .filter((direction) => direction !== null);
  const times = [
    ...directions.map(({ rows }) => rows.at(-1)?.time_us ?? 0),
    ...directions.map(({ packets }) => packets.departUs[packets.rows - 1] ?? 0),
    ...endpoints.map(({ samples }) => samples.at(-1)?.timeUs ?? 0),
    ...endpoints.map(({ states }) => states.at(-1)?.timeUs ?? 0),
    ...pages.map(({ ended }) => ended?.timeUs ?? 0),
    ...allLinks(record).flatMap(({ changes }) => changes.map(({ timeUs }) => timeUs)),
  ];
  return Math.max(1e6, ...times.filter(Number.isFinite));
}

/** The name of a connection: `page 1 → page 2`. A side that is not under test is called `far side`. */
export function connectionName(record: CallRecord, { offerer, answerer }: ConnectionRecord): string {
  const name = (id: number | null): string => {
    const endpoint = record.endpoints.find((one) => one.id === id);
    return endpoint === undefined ? 'far side' : endpointName(record, endpoint);
  };
  return `${name(offerer)} → ${name(answerer)}`;
}
