import type { TraceHeader } from '../trace/index.js';

/** Why a recording of this source cannot be compared with a simulation, and what to do; null if it can. */
export function sourceProblem({ source }: Partial<TraceHeader>): { message: string; fix: string } | null {
  if (source === 'call') return null;
  const message =
    source === 'simulator'
      ? 'the recording is itself a simulation'
      : 'the recording is not of a call on ccscope’s own page, so its link is unknown';
  return { message, fix: 'record a call on this page, or by `ccscope call --trace FILE` without --url' };
}
