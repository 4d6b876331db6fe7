/**
 * The bytes of video, audio and data channels on a path of a call, as counted at its ends. Connectivity checks
 * and RTCP do not count, since idle connections carry them, too.
 */
import type { Window } from '../calls/metrics.js';
import { inboundGrowth, outboundGrowth, sampleGrowth } from './growth.js';
import { rateText } from './text.js';
import type { Path } from './view.js';

export type MediaKind = 'video' | 'audio' | 'data';

/** Payload bytes of each kind. */
export type MediaBytes = Readonly<Record<MediaKind, number>>;

const KINDS = ['video', 'audio'] as const;

/** The larger of the sender's count and the receiver's count. The count of a side that is not under test is 0. */
export function mediaIn({ sender, receiver }: Path, window: Window): MediaBytes {
  const rtp = KINDS.map((kind) => {
    const sent =
      sender === null
        ? 0
        : outboundGrowth(sender, window, (stream) => (stream.kind === kind ? stream.bytesSent : NaN));
    const received =
      receiver === null
        ? 0
        : inboundGrowth(receiver, window, (stream) => (stream.kind === kind ? stream.bytesReceived : NaN));
    return Math.max(sent, received);
  });
  const data = Math.max(
    sender === null ? 0 : sampleGrowth(sender, window, ({ dataBytesSent }) => dataBytesSent),
    receiver === null ? 0 : sampleGrowth(receiver, window, ({ dataBytesReceived }) => dataBytesReceived),
  );
  const [video = 0, audio = 0] = rtp;
  return { video, audio, data };
}

/**
 * The paths that carried media or data; all paths if none carried any. Idle directions of a connection are left
 * out of the metrics.
 */
export function carrying(paths: readonly Path[], window: Window): readonly Path[] {
  const found = paths.filter((path) => {
    const { video, audio, data } = mediaIn(path, window);
    return video + audio + data > 0;
  });
  return found.length > 0 ? found : paths;
}

/**
 * Whether any of the receivers has ever got video. Without video there are no freezes either, which says nothing of how
 * well the call went.
 */
export const isVideoReceived = (paths: readonly Path[]): boolean =>
  paths.some(({ receiver }) =>
    receiver?.samples.some(({ inbound }) =>
      inbound.some(({ kind, bytesReceived }) => kind === 'video' && bytesReceived !== 0),
    ),
  );

/** Describes what is missing for a judgement; null if nothing is missing. */
export function missingMedia(
  paths: readonly Path[],
  window: Window,
  needs: 'video' | 'any',
  passedBps: number | null,
): string | null {
  const all = paths.map((path) => mediaIn(path, window));
  const sum = (kind: MediaKind): number => all.reduce((bytes, media) => bytes + media[kind], 0);
  const other = sum('audio') + sum('data');
  if (sum('video') > 0 || (needs === 'any' && other > 0)) return null;
  if (needs === 'video' && other > 0) return 'no video was received, only other media';
  const rest = passedBps === null ? '' : `, only ${rateText(passedBps)} of connectivity checks and RTCP`;
  return `neither media nor data passed${rest}`;
}
