/** The settings of a link as readable text: `500 kbps, droptail:300ms, rtt 50 ms`. */
import { LINK_FIELDS, LINK_KEYS, readLinkValue } from './fields.js';
import type { LinkConfig } from './link_config.js';
import { sayLinkValue } from './words.js';
import type { Capacity, DirectionSettings, LinkSettings } from './settings.js';

const EACH_WAY_FIRST = (['way', 'path'] as const).flatMap((scope) =>
  LINK_KEYS.filter((key) => LINK_FIELDS[key].scope === scope),
);

export function settingsText({ network, backward, seed: _, ...both }: LinkSettings): string {
  const parts = [
    ...(network === undefined ? [] : [`network ${network}`]),
    ...said(both),
    ...(backward === undefined ? [] : [`backward: ${said(backward).join(', ')}`]),
  ];
  return parts.join(', ') || 'nothing changed';
}

function said({ capacity, ...others }: DirectionSettings & Pick<LinkSettings, 'rtt'>): string[] {
  const values = others as Record<string, string | number | undefined>;
  const texts = EACH_WAY_FIRST.flatMap((key): string[] => {
    const value = values[LINK_FIELDS[key].setting];
    return value === undefined ? [] : [sayLinkValue(key, readLinkValue(key, value))];
  });
  return [...(capacity === undefined ? [] : [capacityText(capacity)]), ...texts];
}

/** The settings of a link that differ from the defaults, without capacity, queue, RTT and seed. */
export const unusualText = (link: LinkConfig): string[] =>
  LINK_KEYS.filter((key) => !['capacity', 'queue', 'rtt_ms', 'seed'].includes(key)).flatMap((key) =>
    link[key] === LINK_FIELDS[key].usual ? [] : [sayLinkValue(key, link[key])],
  );

function capacityText(capacity: Capacity): string {
  if (typeof capacity === 'function') return 'a capacity that is a function of time';
  if (typeof capacity === 'object') return 'the capacity of a mahimahi trace';
  return typeof capacity === 'number' ? rateText(capacity) : capacity;
}

function rateText(bps: number): string {
  const [unit, factor] = bps >= 1e6 ? ['Mbps', 1e6] : bps >= 1e3 ? ['kbps', 1e3] : ['bit/s', 1];
  return `${Number((bps / factor).toPrecision(6))} ${unit}`;
}
