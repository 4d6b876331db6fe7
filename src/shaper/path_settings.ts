/**
 * Converts the settings of a link for the shaper: separate settings for each direction, with the capacity as a source
 * of steps.
 */
import type { LinkOptions } from '../core/link.js';
import { LINK_FIELDS, LINK_KEYS, readLinkValue } from '../link/fields.js';
import { forwardChange, type PartialLinkConfig } from '../link/link_config.js';
import { NETWORKS } from '../link/networks.js';
import { given, type DirectionSettings, type LinkSettings } from '../link/settings.js';
import { capacitySource, type CapacitySource } from './capacity.js';
import { DIRECTIONS, type Direction } from '../core/direction.js';

/** The settings for one direction. Settings that were not given are absent. */
export interface WaySettings {
  options: Omit<Partial<LinkOptions>, 'capacityBps' | 'schedule' | 'seed' | 'burstBytes'>;
  capacity?: CapacitySource;
}

export type PathSettings = Readonly<Record<Direction, WaySettings>>;

/**
 * Splits settings, which parseLinkSettings has accepted, into settings for each direction. Throws ConfigError for a
 * trace that cannot be read or is invalid.
 */
export function pathSettings(settings: LinkSettings, path = 'link'): PathSettings {
  const { network, rtt, backward, crossTraffic, ...both } = given(settings);
  const preset = network === undefined ? { forward: {}, backward: {}, rtt: undefined } : NETWORKS[network];
  const capacities = new Map<unknown, CapacitySource>();
  const way = (direction: Direction): WaySettings => {
    const own = direction === 'backward' ? given(backward ?? {}) : given({ crossTraffic });
    const all: DirectionSettings = { ...preset[direction], ...both, ...own };
    const field = `${path}.${'capacity' in own ? 'backward.' : ''}capacity`;
    const options = wayOptions({ ...all, rtt: rtt ?? preset.rtt });
    if (all.capacity === undefined) return { options };
    // If both directions have the same capacity function, they share one source. The function is then called once
    // for both.
    const source = capacities.get(all.capacity) ?? capacitySource(all.capacity, field);
    capacities.set(all.capacity, source);
    return { options, capacity: source };
  };
  return Object.fromEntries(DIRECTIONS.map((direction) => [direction, way(direction)])) as PathSettings;
}

/** Converts the given settings of a direction, except the capacity, to options of the core's link. */
function wayOptions(settings: DirectionSettings & Pick<LinkSettings, 'rtt'>): WaySettings['options'] {
  const { capacity: _, ...values } = settings;
  const config = LINK_KEYS.flatMap((key) => {
    const value = (values as Record<string, string | number | undefined>)[LINK_FIELDS[key].setting];
    return value === undefined ? [] : [[key, readLinkValue(key, value)]];
  });
  return forwardChange(Object.fromEntries(config) as PartialLinkConfig);
}
