/** Usual networks and their numbers. */
import type { DirectionSettings } from './settings.js';

export interface Network {
  /** Upload of the side that offered. */
  forward: DirectionSettings;
  /** Its download. */
  back: DirectionSettings;
  /** Milliseconds. */
  rtt: number;
  /** Where the numbers come from. */
  source: string;
}

export const NETWORKS = {
  '4g': {
    forward: { capacity: 9e6, queue: 'droptail:300ms', loss: 0, jitter: 0, bottleneck: 'serial' },
    back: { capacity: 9e6, queue: 'droptail:300ms', loss: 0, jitter: 0, bottleneck: 'serial' },
    rtt: 170,
    source: 'WebPageTest, connectivity profile 4G',
  },
} as const satisfies Record<string, Network>;

export type NetworkName = keyof typeof NETWORKS;
export const NETWORK_NAMES = Object.keys(NETWORKS) as NetworkName[];
