/** Prepares incidents for reports: names their streams, and groups the incidents that belong to one event. */
import { connectionOf } from '../../calls/record/connections.js';
import type { CallRecord } from '../../calls/record/record.js';
import { secondsText } from '../text.js';
import type { Incident, StreamId } from './incident.js';
import { incidentText } from './incident_text.js';
import { streamsOf } from './stream_looks.js';

export interface ToldIncident extends Incident {
  /**
   * For example `page 1 sends video`, or `connection 2 receives video, mid 0` if the connection receives several
   * videos.
   */
  who: string;
  /** The connection's id in the record, which is the same for both ends; null if unknown. */
  connection: number | null;
}

/**
 * The name of an end of a connection, for reports in which pages have no numbers, as in the overlay. Ids count from
 * 0, names from 1.
 */
export const connectionEnd = (endpoint: number): string => `connection ${endpoint + 1}`;

export const streamName = (end: string, direction: StreamId['direction'], mid = ''): string =>
  `${end} ${direction === 'send' ? 'sends' : 'receives'} video${mid === '' ? '' : `, mid ${mid}`}`;

/** The mid of a stream; '' if it is unknown, or if the endpoint has only one video stream in this direction. */
function midOf({ endpoints }: CallRecord, { endpoint, direction, key }: StreamId): string {
  const end = endpoints[endpoint];
  const latest = end?.samples.findLast((sample) =>
    streamsOf(end, sample).some((each) => each.direction === direction && each.key === key),
  );
  if (end === undefined || latest === undefined) return '';
  if (streamsOf(end, latest).filter((each) => each.direction === direction).length < 2) return '';
  const mid =
    direction === 'send' ? key : (latest.inbound.find(({ ssrc }) => String(ssrc) === key)?.mid ?? '');
  // A recording contains aliases such as `mid 1` instead of mids (src/watch/aliases.ts).
  return mid.replace(/^mid /, '');
}

/** Names the streams of incidents, and sorts the incidents by time. `endName` names an end by its endpoint's id. */
export function toldIncidents(
  record: CallRecord,
  incidents: readonly Incident[],
  endName: (endpoint: number) => string,
): ToldIncident[] {
  const told = incidents.map((incident) => {
    const { endpoint, direction } = incident.stream;
    return {
      ...incident,
      who: streamName(endName(endpoint), direction, midOf(record, incident.stream)),
      connection: connectionOf(record, endpoint)?.id ?? null,
    };
  });
  return told.sort((a, b) => a.fromUs - b.fromUs);
}

/** An event: its first incident, and its other incidents on the same connection. */
export interface IncidentGroup {
  first: ToldIncident;
  also: ToldIncident[];
}

/** Incidents of one cause that begin within this time after the first one belong to the same event. */
const TOGETHER_US = 3e6;

/** Groups incidents that are on one connection, have one cause, and begin together. `told` is in time order. */
export function groupsOf(told: readonly ToldIncident[]): IncidentGroup[] {
  const groups: IncidentGroup[] = [];
  for (const one of told) {
    const its = groups.findLast(
      ({ first }) =>
        first.cause.kind === one.cause.kind &&
        first.connection === one.connection &&
        one.fromUs - first.fromUs <= TOGETHER_US,
    );
    if (its === undefined) groups.push({ first: one, also: [] });
    else its.also.push(one);
  }
  return groups;
}

/**
 * The size of an incident, for comparisons: the lost fraction of a rate, the growth of a delay in seconds, or the
 * length of a freeze in seconds.
 */
function sizeOf({ kind, before, after }: Incident): number {
  return kind === 'rate-fall' ? 1 - after / before : (after - before) / 1e3;
}

/** The largest groups, at most `count`, in time order. */
export function largestGroups(groups: readonly IncidentGroup[], count: number): IncidentGroup[] {
  const size = ({ first, also }: IncidentGroup): number => Math.max(...[first, ...also].map(sizeOf));
  const largest = [...groups].sort((a, b) => size(b) - size(a)).slice(0, count);
  return groups.filter((group) => largest.includes(group));
}

/**
 * The other incidents of an event, for example `page 2 receives video: picture froze for 600 ms (8.3 s)`; '' if there
 * are none.
 */
export const alsoText = ({ also }: IncidentGroup): string =>
  also.map((one) => `${one.who}: ${incidentText(one)} (${secondsText(one.fromUs)})`).join('; ');

/** A group as lines of a report. */
export function groupLines(group: IncidentGroup): string[] {
  const { first } = group;
  const also = alsoText(group);
  return [
    `${(first.fromUs / 1e6).toFixed(1)} s  ${first.who}: ${incidentText(first)}`,
    `    ${first.cause.kind}: ${first.cause.evidence}`,
    `    To do: ${first.cause.fix}`,
    ...(also === '' ? [] : [`    Also: ${also}`]),
  ];
}
