/** The link's settings in the forms that the shaper and the in-page bottleneck take. */
import type { LinkOptions } from '../../core/index.js';
import type { LinkConfig, PartialLinkConfig } from '../../scenario/link_config.js';
import { forwardLink, parseSchedule } from '../../scenario/link_config.js';
import type { AppState } from '../state.js';

export type LinkSettings = Pick<
  AppState,
  'capacity' | 'queue' | 'rtt_ms' | 'loss' | 'burst_loss' | 'jitter_ms' | 'outage' | 'cross_traffic' | 'seed'
>;

export function linkSettings(state: AppState): LinkSettings {
  const { capacity, queue, rtt_ms, loss, burst_loss, jitter_ms, outage, cross_traffic, seed } = state;
  return { capacity, queue, rtt_ms, loss, burst_loss, jitter_ms, outage, cross_traffic, seed };
}

/** For the local server. */
export function toLinkConfig({ loss, burst_loss, ...same }: LinkSettings): LinkConfig {
  return { ...same, loss_ratio: loss, burst_loss_packets: burst_loss, bottleneck: 'serial' };
}

/** What differs between two configurations; null when nothing does. */
export function changedConfig(before: LinkConfig, after: LinkConfig): PartialLinkConfig | null {
  const entries = Object.entries(after).filter(
    ([key, value]) => before[key as keyof typeof before] !== value,
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/**
 * For the in-page bottleneck. It shapes one direction only, the return path being the page's own
 * memory: so all of the RTT is put on that direction. Changes of the capacity are `runSchedule`'s.
 */
export function toLinkOptions(settings: LinkSettings): LinkOptions {
  const { schedule: _, ...options } = forwardLink(toLinkConfig(settings));
  const rttUs = settings.rtt_ms * 1000;
  return { ...options, oneWayDelayUs: rttUs, crossRttUs: rttUs };
}

/** Runs a capacity schedule by the page's clock. Returns the function that ends it. */
export function runSchedule(capacity: string, set: (capacityBps: number) => void): () => void {
  const timers = parseSchedule(capacity)
    .filter(({ atUs }) => atUs > 0)
    .map(({ atUs, capacityBps }) => setTimeout(() => set(capacityBps), atUs / 1000));
  return () => timers.forEach(clearTimeout);
}
