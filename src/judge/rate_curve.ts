/**
 * Bytes over time. The source is the link's record of every packet, in which sizes include IPv4 and UDP
 * headers. Without this record, the source is getStats, twice a second and without these headers.
 */
import type { Window } from '../calls/metrics.js';
import type { CallRecord, EndpointRecord, StatsSample } from '../calls/record/record.js';
import {
  checkKept,
  departedBytes,
  linkOf,
  linkSides,
  offeredBytes,
  type LinkSide,
  type Path,
} from './view.js';

/**
 * The trailing window over which a momentary rate is averaged. ../calls/metrics.ts uses the same window for the
 * time to 90 %.
 */
export const TRAILING_US = 2e6;

export interface RateCurve {
  source: 'packets' | 'getStats';
  /** The time up to which the curve is available. */
  knownUntilUs: number;
  /** The mean rate over a window, in bit/s; NaN if unknown. */
  rateBps(window: Window): number;
}

export interface Points {
  timesUs: number[];
  /** The bytes counted up to the time with the same index in `timesUs`. */
  bytes: number[];
}

/** Index of the last time that is not after `timeUs`; -1 if all times are after it. */
function lastAt(timesUs: readonly number[], timeUs: number): number {
  let low = 0;
  let high = timesUs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesUs[middle] ?? Infinity) <= timeUs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The bytes counted up to `timeUs`, interpolated linearly between two points. Before the first point and after the last
 * one, it is the value of that point.
 */
export function lineAt({ timesUs, bytes }: Points, timeUs: number): number {
  const at = lastAt(timesUs, timeUs);
  const [t0, b0] = [timesUs[at], bytes[at]];
  const [t1, b1] = [timesUs[at + 1], bytes[at + 1]];
  if (t0 === undefined || b0 === undefined) return b1 ?? 0;
  if (t1 === undefined || b1 === undefined) return b0;
  return b0 + ((b1 - b0) * (timeUs - t0)) / (t1 - t0);
}

const mean = (bytes: number, { fromUs, toUs }: Window): number => (bytes * 8e6) / (toUs - fromUs);

/** A curve that sums the sizes of the link's packets. */
function packetCurve(
  sides: readonly LinkSide[],
  bytesIn: (side: LinkSide, window: Window) => number,
): RateCurve {
  return {
    source: 'packets',
    knownUntilUs: Infinity,
    rateBps: (window) =>
      mean(
        sides.reduce((bytes, side) => bytes + bytesIn(side, window), 0),
        window,
      ),
  };
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

/**
 * The bytes that all candidate pairs received; if the browser does not report those, the bytes that the RTP
 * streams received.
 */
function receivedBytes({ bytesReceived, inbound }: StatsSample): number {
  if (Number.isFinite(bytesReceived)) return bytesReceived;
  return inbound.reduce((sum, rtp) => sum + finite(rtp.bytesReceived) + finite(rtp.headerBytesReceived), 0);
}

function sentBytes({ bytesSent, outbound }: StatsSample): number {
  if (Number.isFinite(bytesSent)) return bytesSent;
  return outbound.reduce((sum, rtp) => sum + finite(rtp.bytesSent) + finite(rtp.headerBytesSent), 0);
}

/**
 * Adds up the growth of a count. Falls of the count are ignored: they come from the removal of a candidate pair or a
 * stream.
 */
export function samplePoints(
  samples: readonly StatsSample[],
  count: (sample: StatsSample) => number,
): Points {
  const counts = samples.map(count);
  let sum = 0;
  const bytes = counts.map((now, i) => (sum += Math.max(0, now - (counts[i - 1] ?? now))));
  return { timesUs: samples.map(({ timeUs }) => timeUs), bytes };
}

/** The sum of the byte counts of the given endpoints. Between two samples, a count is interpolated linearly. */
function statsCurve(
  record: CallRecord,
  of: readonly { endpoint: EndpointRecord; count: (sample: StatsSample) => number }[],
): RateCurve {
  const lines = of.map(({ endpoint, count }) => ({
    ...samplePoints(endpoint.samples, count),
    // A connection that was closed, or whose page has ended, gives no more samples.
    open:
      endpoint.states.at(-1)?.state !== 'closed' &&
      !record.pages.some(({ id, ended }) => id === endpoint.page && ended !== null),
  }));
  const ends = lines.filter(({ open }) => open).map(({ timesUs }) => timesUs.at(-1) ?? -Infinity);
  const knownUntilUs = lines.length === 0 ? -Infinity : Math.min(Infinity, ...ends);
  return {
    source: 'getStats',
    knownUntilUs,
    rateBps: (window) => {
      for (const { endpoint } of of) checkKept(endpoint, window);
      if (window.toUs > knownUntilUs) return NaN;
      const bytes = lines.map((line) => lineAt(line, window.toUs) - lineAt(line, window.fromUs));
      return mean(
        bytes.reduce((sum, value) => sum + value, 0),
        window,
      );
    },
  };
}

/** Whether the record has the link's packets for all of these paths. */
const atTheLink = (record: CallRecord, paths: readonly Path[]): boolean =>
  paths.length > 0 &&
  paths.every(
    ({ connection, direction }) =>
      connection.flows.length > 0 && linkOf(record, connection)?.[direction] != null,
  );

/**
 * The traffic that got through: the bytes that left the bottleneck. Without the link's record of packets, the
 * receivers' byte counts are used. For a receiver that is not under test, its sender's byte count is used.
 */
export function receivedCurve(record: CallRecord, paths: readonly Path[]): RateCurve {
  if (atTheLink(record, paths)) return packetCurve(linkSides(record, paths), departedBytes);
  return statsCurve(
    record,
    paths.flatMap(({ sender, receiver }) => {
      if (receiver) return [{ endpoint: receiver, count: receivedBytes }];
      return sender ? [{ endpoint: sender, count: sentBytes }] : [];
    }),
  );
}

/**
 * The traffic that was sent: the bytes that reached the link. Without the link's record of packets, the senders' byte
 * counts are used.
 */
export function sentCurve(record: CallRecord, paths: readonly Path[]): RateCurve {
  if (atTheLink(record, paths)) return packetCurve(linkSides(record, paths), offeredBytes);
  return statsCurve(
    record,
    paths.flatMap(({ sender }) => (sender ? [{ endpoint: sender, count: sentBytes }] : [])),
  );
}
