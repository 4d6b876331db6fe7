/** The link's settings in the forms that the shaper and the in-page bottleneck accept. */
import type { LinkOptions } from '../../core/index.js';
import { parseSchedule } from '../../link/capacity_text.js';
import {
  forwardChange,
  forwardLink,
  type LinkConfig,
  type PartialLinkConfig,
} from '../../link/link_config.js';

/** The settings that differ between two configurations, with their values in `after`; null if none differ. */
export function changedConfig(before: LinkConfig, after: LinkConfig): PartialLinkConfig | null {
  const entries = Object.entries(after).filter(
    ([key, value]) => before[key as keyof typeof before] !== value,
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** The bottleneck in the page shapes only one direction, so this direction gets the whole RTT as its delay. */
function delaysOf(rttMs: number): Pick<LinkOptions, 'oneWayDelayUs' | 'crossRttUs'> {
  return { oneWayDelayUs: rttMs * 1000, crossRttUs: rttMs * 1000 };
}

/**
 * Options for the bottleneck in the page. The capacity schedule is left out: `runSchedule` applies the schedule.
 */
export function toLinkOptions(link: LinkConfig): LinkOptions {
  const { schedule: _, ...options } = forwardLink(link);
  return { ...options, ...delaysOf(link.rtt_ms) };
}

/**
 * A change of settings, in the form that the bottleneck in the page accepts. Contains only the settings that have
 * changed: to set its queue or its outages again would make them start again.
 */
export function toLinkChange(change: PartialLinkConfig): Partial<LinkOptions> {
  const { schedule: _, seed: __, ...options } = forwardChange(change);
  return { ...options, ...(change.rtt_ms !== undefined && delaysOf(change.rtt_ms)) };
}

/**
 * Applies each step of a capacity schedule at its time, by the page's clock. Returns a function that stops the
 * schedule.
 */
export function runSchedule(capacity: string, set: (capacityBps: number) => void): () => void {
  const timers = parseSchedule(capacity)
    .filter(({ atUs }) => atUs > 0)
    .map(({ atUs, capacityBps }) => setTimeout(() => set(capacityBps), atUs / 1000));
  return () => timers.forEach(clearTimeout);
}
