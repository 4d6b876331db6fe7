import type { StreamState } from '../watch/index.js';

/** The total rates of all streams in each direction. */
export interface TotalRates {
  sentBps: number;
  receivedBps: number;
}

export function totalRates(streams: readonly StreamState[]): TotalRates {
  const total = (direction: StreamState['direction']): number =>
    streams
      .filter((each) => each.direction === direction && each.rateBps > 0)
      .reduce((sum, { rateBps }) => sum + rateBps, 0);
  return { sentBps: total('send'), receivedBps: total('receive') };
}
