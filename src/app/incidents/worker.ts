/** The worker that finds the incidents of an opened recording. */
import { expose } from 'comlink';

import { chunksOf } from '../../trace/blob_chunks.js';
import { incidentsOfTrace, type RecordedIncidents } from '../../watch/recorded_incidents.js';

const service = {
  find: (recording: Blob): Promise<RecordedIncidents> => incidentsOfTrace(chunksOf(recording)),
};
export type IncidentService = typeof service;

expose(service);
