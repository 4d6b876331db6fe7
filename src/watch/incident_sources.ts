import type { TraceHeader } from '../trace/index.js';

/** Whether incidents can be read from a recording with this header; see recorded_incidents.ts. */
export const hasIncidents = ({ source }: Partial<TraceHeader>): boolean =>
  source === 'inject' || source === 'test';
