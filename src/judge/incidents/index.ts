/** Why a call got worse: the log of its incidents. */
export type { Incident, IncidentKind, StreamId } from './incident.js';
export { incidentsOf, IncidentLog } from './incident_log.js';
export { incidentText } from './incident_text.js';
export {
  alsoText,
  connectionEnd,
  groupLines,
  groupsOf,
  largestGroups,
  streamName,
  toldIncidents,
  type IncidentGroup,
  type ToldIncident,
} from './told.js';
