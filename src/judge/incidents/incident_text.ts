/** An incident in words. */
import { msText, rateText } from '../text.js';
import type { Incident } from './incident.js';

/** For example `rate fell from 1 Mbps to 300 kbps`. */
export function incidentText({ kind, before, after }: Incident): string {
  if (kind === 'rate-fall') return `rate fell from ${rateText(before)} to ${rateText(after)}`;
  if (kind === 'delay-rise') return `round trip rose from ${msText(before)} to ${msText(after)}`;
  return `picture froze for ${msText(after)}`;
}
