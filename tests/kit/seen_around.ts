/**
 * Describes the data that the incident log had about a stream shortly before and after a provocation. This
 * helps to find out why the log named the wrong cause.
 */
import type { CallRecord } from '../../src/calls/record/record.js';
import { rttMs, targetBps } from '../../src/judge/incidents/evidence.js';
import { lookAt, streamsOf, type Look } from '../../src/judge/incidents/stream_looks.js';

/** The page that sends, or the one that receives. */
export type Side = 'sender' | 'receiver';

const BEFORE_US = 8e6;
const AFTER_US = 12e6;

function lookText(look: Look, zeroUs: number): string {
  const { timeUs, rateBps, packets, lost, frames, decoded, codecMs, sample, sent } = look;
  const kbps = (bps: number): string => (bps / 1000).toFixed(0);
  return [
    `${((timeUs - zeroUs) / 1e6).toFixed(1)} s`,
    `${kbps(rateBps)} kbps`,
    `target ${kbps(targetBps(look))}`,
    `available ${kbps(sample.availableOutgoingBps)}`,
    `rtt ${rttMs(look).toFixed(0)} ms`,
    `lost ${lost} of ${packets}`,
    `frames ${frames} decoded ${decoded} in ${codecMs.toFixed(1)} ms`,
    sent.map(({ rid, active, frameHeight, qualityLimitationReason: reason }) =>
      [rid, active ? frameHeight : 'off', reason].join(' '),
    ),
  ].join(', ');
}

/** The samples of a video stream around `atUs`, in the page of one side: one line per sample. */
export function seenAround(record: CallRecord, page: number | undefined, side: Side, atUs: number): string[] {
  const direction = side === 'sender' ? 'send' : 'receive';
  return record.endpoints
    .filter((endpoint) => endpoint.page === page)
    .flatMap((endpoint) =>
      endpoint.samples.flatMap((sample, i) => {
        const before = endpoint.samples[i - 1];
        const isNear = sample.timeUs > atUs - BEFORE_US && sample.timeUs < atUs + AFTER_US;
        if (before === undefined || !isNear) return [];
        return streamsOf(endpoint, sample)
          .filter((stream) => stream.direction === direction)
          .map((stream) => `${stream.key}: ${lookText(lookAt(stream, before, sample), atUs)}`);
      }),
    );
}
