/** The metrics of a whole call, from the time when it was connected. */
import {
  callEndUs,
  callMetrics,
  carrying,
  keptFromUs,
  layersIn,
  linkOf,
  pathsOf,
  type CallMetrics,
  type LayerMetrics,
  type Path,
} from '../judge/index.js';
import { connectionEnd, incidentsOf, toldIncidents, type ToldIncident } from '../judge/incidents/index.js';
import { timeTo90, type Window } from '../calls/metrics.js';
import { endpointName } from '../calls/record/names.js';
import type { CallRecord, PacketColumns } from '../calls/record/record.js';
import type { PacketRecord } from '../link/packet_log.js';
import { connectionName, durationUs } from './extent.js';

export interface EvidenceMetrics {
  /** Null if nothing was connected. */
  call: CallMetrics | null;
  /** `layers` contains the video streams that the two sides send. */
  connections: { id: number; name: string; metrics: CallMetrics; layers: LayerMetrics[] }[];
  /**
   * The time from the start of the connected call until the rate over the trailing 2 s reached 90 % of the first
   * capacity. Null if the capacity changed first, if the rate never reached this value, or if there is no complete
   * record of packets.
   */
  timeTo90S: number | null;
  /** What went wrong during the call, and why, in time order. */
  incidents: readonly ToldIncident[];
}

/**
 * The time when the call was connected: the earliest time at which all ends of one path were connected. Ends that are
 * not under test are ignored. Null if no path was connected.
 */
function connectedUs(paths: readonly Path[]): number | null {
  const times = paths.flatMap(({ sender, receiver }) => {
    const sides = [sender, receiver].filter((side) => side !== null);
    const connected = sides.map(({ states }) => states.find(({ state }) => state === 'connected')?.timeUs);
    return connected.length === 0 || connected.includes(undefined)
      ? []
      : [Math.max(...connected.map(Number))];
  });
  return times.length === 0 ? null : Math.min(...times);
}

function endName(record: CallRecord, id: number): string {
  const endpoint = record.endpoints[id];
  return endpoint === undefined ? connectionEnd(id) : endpointName(record, endpoint);
}

function passed({ rows, ...columns }: PacketColumns, { fromUs, toUs }: Window): PacketRecord[] {
  const records: PacketRecord[] = [];
  for (let i = 0; i < rows; i++) {
    const departUs = columns.departUs[i] ?? 0;
    if (columns.reason[i] !== 0 || departUs <= fromUs || departUs > toUs) continue;
    records.push({
      offeredUs: columns.offeredUs[i] ?? 0,
      sizeBytes: columns.sizeBytes[i] ?? 0,
      queueDelayUs: columns.queueDelayUs[i] ?? 0,
      departUs,
      dropped: null,
    });
  }
  return records;
}

function convergence(record: CallRecord, paths: readonly Path[], { fromUs, toUs }: Window): number | null {
  const [first] = carrying(paths, { fromUs, toUs });
  const link = first === undefined ? record.link : linkOf(record, first.connection);
  const direction = link?.[first?.direction ?? 'forward'];
  const begin = direction?.capacity.findLast(({ timeUs }) => timeUs <= fromUs) ?? direction?.capacity[0];
  if (!direction || !begin) return null;
  const change = direction.capacity.find(({ timeUs }) => timeUs > fromUs);
  const window = { fromUs, toUs: Math.min(toUs, change?.timeUs ?? Infinity) };
  return timeTo90(passed(direction.packets, window), begin.capacityBps, window);
}

/**
 * Measures a call, from the time when it was connected to its end, or to the end of the record if the call has not
 * ended. If the record no longer contains the beginning of
 * a long call, the measurement starts later, where the kept data begin.
 */
export function measure(record: CallRecord): EvidenceMetrics {
  const paths = pathsOf(record, {});
  const fromUs = connectedUs(paths);
  if (fromUs === null) return { call: null, connections: [], timeTo90S: null, incidents: [] };
  const beginUs = Math.max(fromUs, keptFromUs(record, paths));
  const endUs = callEndUs(record, paths) ?? durationUs(record);
  const window = { fromUs: beginUs, toUs: Math.max(beginUs + 1, endUs) };
  return {
    call: callMetrics(record, {}, window),
    connections: paths.map(({ connection, sender, receiver }) => ({
      id: connection.id,
      name: connectionName(record, connection),
      metrics: callMetrics(record, { connections: [connection.id] }, window),
      layers: layersIn(
        [sender, receiver].filter((side) => side !== null),
        window,
      ),
    })),
    // The time to 90 % is unknown if the record no longer contains the beginning of the call.
    timeTo90S: beginUs > fromUs ? null : convergence(record, paths, window),
    incidents: toldIncidents(record, incidentsOf(record), (id) => endName(record, id)),
  };
}
