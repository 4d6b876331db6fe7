/** Marks verdicts on windows in which the shaper's thread was down. */
import { secondsText, type Judgement } from '../judge/index.js';
import type { LinkRecord } from '../calls/record/record.js';

/** Adds the link's interruptions within the judged window to the text `received` of a judgement. */
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
