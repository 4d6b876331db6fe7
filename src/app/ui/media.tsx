/**
 * The browser's counters of the call's video, read once a second and shown beside the video and under the
 * charts.
 */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { MediaStats } from '../../rtc/index.js';
import { FRAME_RATE_S, receivedFps, withReading, type DecodedFrames } from '../session/frame_rate.js';
import type { Session } from '../session/session.js';

const MEDIA_INTERVAL_MS = 1000;

/** The latest reading and the one before it. */
export interface Media {
  now: MediaStats;
  before: MediaStats | null;
  /** The decoded frames of the last readings of the same call, the oldest first. */
  decoded: readonly DecodedFrames[];
}

export function useMedia(session: Session): ReadonlySignal<Media | null> {
  const media = useSignal<Media | null>(null);
  useEffect(() => {
    const ask = (): void => {
      if (!session.running) return;
      session.media().then(
        (now) => {
          const { now: before = null, decoded = [] } = media.value ?? {};
          const reading = { timeMs: performance.now(), framesDecoded: now?.framesDecoded ?? NaN };
          media.value = now && { now, before, decoded: withReading(decoded, reading) };
        },
        () => undefined,
      );
    };
    const timer = setInterval(ask, MEDIA_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return media;
}

interface MediaProps {
  media: ReadonlySignal<Media | null>;
}

/** Frames per second of the received video, and how often the video froze. */
export function Picture({ media }: MediaProps) {
  const { now, decoded = [] } = media.value ?? {};
  const fps = receivedFps(decoded);
  if (!now || !(now.width > 0) || Number.isNaN(fps)) return null;
  const title = `${now.width}×${now.height}, frozen ${now.freezeCount} times for ${now.totalFreezesDurationS.toFixed(1)} s in all; frames per second over the last ${FRAME_RATE_S} s`;
  return <span title={title}>{fps.toFixed(0)} fps</span>;
}

/** The mean quantiser of the frames between two readings; NaN if it is unknown, or if the counters restarted. */
export function meanQp({ now, before }: Media): number {
  const frames = (now.encoder?.framesEncoded ?? NaN) - (before?.encoder?.framesEncoded ?? NaN);
  const sum = (now.encoder?.qpSum ?? NaN) - (before?.encoder?.qpSum ?? NaN);
  return frames > 0 && sum >= 0 ? sum / frames : NaN;
}

type Fact = readonly [name: string, value: string, title: string];

/**
 * The facts with known values. Some values are missing in some browsers, and in a page that is only one end of a
 * call.
 */
function factsOf(media: Media): readonly Fact[] {
  const { encoder, freezeCount, totalFreezesDurationS } = media.now;
  const known = (number: number | undefined): number is number => number !== undefined && number >= 0;
  const facts: Fact[] = [];
  if (encoder && encoder.width > 0) {
    const fps = known(encoder.fps) ? `, ${encoder.fps.toFixed(0)} fps` : '';
    facts.push(['Encoded', `${encoder.width}×${encoder.height}${fps}`, 'Size and rate of the sent frames']);
  }
  const qp = meanQp(media);
  if (known(qp)) facts.push(['QP', qp.toFixed(0), 'Mean quantiser of the last second: the lower, the finer']);
  if (known(encoder?.nacks))
    facts.push(['NACK', String(encoder.nacks), 'Requests to send packets again, since the call began']);
  if (known(encoder?.plis))
    facts.push(['PLI', String(encoder.plis), 'Requests for a key frame, since the call began']);
  if (known(freezeCount)) {
    const time = known(totalFreezesDurationS) ? `, ${totalFreezesDurationS.toFixed(1)} s` : '';
    facts.push(['Freezes', `${freezeCount}${time}`, 'Of the received picture, since the call began']);
  }
  if (encoder?.limitedBy != null)
    facts.push(['Quality limited by', encoder.limitedBy, 'What keeps the encoder below what it is given']);
  return facts;
}

/** The quality of the video. The line is present even when it is empty, so that the layout does not shift. */
export function EncoderFacts({ media }: MediaProps) {
  const facts = media.value === null ? [] : factsOf(media.value);
  return (
    <dl class="provenance encoder" aria-label="Encoder">
      {facts.map(([name, value, title]) => (
        <div key={name} title={title}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
