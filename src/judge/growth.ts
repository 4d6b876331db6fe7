/** How much the counters of getStats grew over a window. */
import type { Window } from '../calls/metrics.js';
import type { EndpointRecord, InboundStats, OutboundStats, StatsSample } from '../calls/record/record.js';
import { checkKept } from './view.js';

const sumOfFinite = (values: readonly number[]): number =>
  values.filter(Number.isFinite).reduce((total, value) => total + value, 0);

/** The index of the last sample at or before a time; -1 if there is none. */
const indexAt = ({ samples }: EndpointRecord, timeUs: number): number =>
  samples.findLastIndex((sample) => sample.timeUs <= timeUs);

/** The indices of the last samples at or before a window's start and its end; -1 if there are none. */
function looks(endpoint: EndpointRecord, window: Window): { before: number; after: number } {
  checkKept(endpoint, window);
  return { before: indexAt(endpoint, window.fromUs), after: indexAt(endpoint, window.toUs) };
}

/** What is known of a stream's growth while its samples are read from the last to the first. */
interface Growth {
  /** The growth that is known so far. */
  grown: number;
  /** The counter at the end of the part of the samples that is being read. */
  end: number;
  /** The counter in the sample that was read last, and the index of this sample. */
  value: number;
  index: number;
  isComplete: boolean;
}

/**
 * The growth of a cumulative count over an endpoint's streams. A stream leaves getStats when its sender leaves or
 * stops, and may come back later. So each stream counts from the last sample before the window that contains it to the
 * last sample of the window that contains it. When a stream comes back, its counter may have started again from 0.
 */
function growth<T extends { ssrc: number }>(
  endpoint: EndpointRecord,
  window: Window,
  streams: (sample: StatsSample) => readonly T[],
  count: (stream: T) => number,
): number {
  const { before, after } = looks(endpoint, window);
  const found = new Map<number, Growth>();
  let incomplete = 0;
  for (let index = after; index > before || (index >= 0 && incomplete > 0); index--) {
    const sample = endpoint.samples[index];
    for (const stream of sample === undefined ? [] : streams(sample)) {
      const value = count(stream);
      const known = found.get(stream.ssrc);
      if (known === undefined && index > before) {
        found.set(stream.ssrc, { grown: 0, end: value, value, index, isComplete: false });
        incomplete += 1;
      }
      if (known === undefined || known.isComplete) continue;
      const wasAway = known.index > index + 1;
      if (wasAway && value > known.value) {
        known.grown += known.end;
        known.end = value;
      }
      Object.assign(known, { value, index });
      if (index > before) continue;
      known.grown += known.end - value;
      known.isComplete = true;
      incomplete -= 1;
    }
  }
  return sumOfFinite([...found.values()].map(({ grown, end, isComplete }) => grown + (isComplete ? 0 : end)));
}

/** The growth of a count over the received streams. Throws DroppedRecordError, like the functions below. */
export const inboundGrowth = (
  endpoint: EndpointRecord,
  window: Window,
  count: (stream: InboundStats) => number,
): number => growth(endpoint, window, ({ inbound }) => inbound, count);

export const outboundGrowth = (
  endpoint: EndpointRecord,
  window: Window,
  count: (stream: OutboundStats) => number,
): number => growth(endpoint, window, ({ outbound }) => outbound, count);

/** The growth of a count of the whole connection; 0 if unknown. */
export function sampleGrowth(
  endpoint: EndpointRecord,
  window: Window,
  count: (sample: StatsSample) => number,
): number {
  const { before, after } = looks(endpoint, window);
  const at = (index: number): number => {
    const sample = endpoint.samples[index];
    return sample === undefined ? NaN : count(sample);
  };
  const then = at(before);
  return sumOfFinite([at(after) - (Number.isFinite(then) ? then : 0)]);
}
