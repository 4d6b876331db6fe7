/**
 * Presets of common networks, as seen from the side that offered: forward is its upload, backward its download. If
 * the source of a preset does not specify a queue, the preset has a drop-tail queue of 300 ms, as in RFC 8867.
 */
import { LINK_FIELDS, LINK_KEYS } from './fields.js';
import type { DirectionSettings } from './direction_settings.js';

export interface Network {
  /** Upload of the side that offered. */
  forward: Required<DirectionSettings>;
  /** Download of the side that offered. */
  backward: Required<DirectionSettings>;
  /** Round-trip propagation delay, milliseconds. */
  rtt: number;
  /** Where the numbers come from. */
  source: string;
}

interface Numbers {
  upBps: number;
  downBps: number;
  rttMs: number;
  source: string;
  /** Other settings, which are the same in both directions. */
  both?: DirectionSettings;
}

/**
 * The default of every setting of a direction. A network sets all of them, so that it also replaces earlier settings
 * of the link.
 */
const PLAIN = Object.fromEntries(
  LINK_KEYS.filter((key) => LINK_FIELDS[key].scope === 'way').map((key) => [
    LINK_FIELDS[key].setting,
    LINK_FIELDS[key].usual,
  ]),
) as Required<DirectionSettings>;

function network({ upBps, downBps, rttMs, source, both }: Numbers): Network {
  const direction = (capacity: number) => ({ ...PLAIN, ...both, capacity }) as Required<DirectionSettings>;
  return { forward: direction(upBps), backward: direction(downBps), rtt: rttMs, source };
}

/** WebPageTest's connectivity profiles (settings/connectivity.ini). */
const webPageTest = (downBps: number, upBps: number, rttMs: number, profile: string): Network =>
  network({ upBps, downBps, rttMs, source: `WebPageTest, profile ${profile}` });

export const NETWORKS = {
  edge: webPageTest(240e3, 200e3, 840, 'Mobile Edge'),
  'slow-3g': webPageTest(400e3, 400e3, 400, '3G Slow'),
  '3g': webPageTest(1.6e6, 768e3, 300, '3G'),
  'slow-4g': network({
    downBps: 1.6e6,
    upBps: 750e3,
    rttMs: 150,
    source: 'Lighthouse, mobileSlow4G (the bottom 25 % of 4G connections)',
  }),
  '4g': webPageTest(9e6, 9e6, 170, '4G'),
  lte: webPageTest(12e6, 12e6, 70, 'LTE'),
  dsl: webPageTest(1.5e6, 384e3, 50, 'DSL'),
  cable: webPageTest(5e6, 1e6, 28, 'Cable'),
  fiber: webPageTest(20e6, 5e6, 4, 'FIOS'),
  rmcat: network({
    downBps: 1e6,
    upBps: 1e6,
    rttMs: 100,
    source: 'RFC 8867, section 5: 50 ms each way, drop-tail queue of 300 ms, jitter of at most 30 ms',
    both: { jitter: 10 },
  }),
  wifi: network({
    downBps: 5e6,
    upBps: 5e6,
    rttMs: 20,
    source:
      'gcc-packet-grouping-2016, the channel with outages of 20 ms on average behind 100 ms; the RTT is our choice',
    both: { outage: '100ms/20ms' },
  }),
  'lossy-mobile': network({
    downBps: 1.6e6,
    upBps: 768e3,
    rttMs: 300,
    source:
      "WebPageTest, profile 3G, with our choice of 2 % loss in runs of 3 packets and 20 ms of jitter's deviation",
    both: { loss: 0.02, burstLoss: 3, jitter: 20 },
  }),
  satellite: network({
    downBps: 20e6,
    upBps: 5e6,
    rttMs: 558,
    source: 'RFC 2488, section 2: geostationary orbit; the capacities are our choice',
  }),
} as const satisfies Record<string, Network>;

export type NetworkName = keyof typeof NETWORKS;
export const NETWORK_NAMES = Object.keys(NETWORKS) as NetworkName[];
