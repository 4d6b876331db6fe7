/** The verdict when the link itself was out of order while it was judged. */
import { secondsText, type Judgement } from '../judge/index.js';
import type { LinkRecord } from '../calls/record/record.js';

/** The judgement, which names the interruptions of the link in its window. */
export function withInterruptions(judgement: Judgement, link: LinkRecord | null): Judgement {
  const { window, received } = judgement;
  const inside = (link?.interruptions ?? []).filter(
    ({ fromUs, toUs }) => fromUs < window.toUs && (toUs ?? Infinity) > window.fromUs,
  );
  if (inside.length === 0) return judgement;
  const spans = inside.map(
    ({ fromUs, toUs }) => `from ${secondsText(fromUs)} ${toUs === null ? 'on' : `to ${secondsText(toUs)}`}`,
  );
  return {
    ...judgement,
    received: `${received}; the shaper's thread was down ${spans.join(' and ')}, and no packet passed`,
  };
}
