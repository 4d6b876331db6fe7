/** A link in an address of the app: its settings under their names there, numbers without units. */
import { LINK_FIELDS, LINK_KEYS, type LinkKey } from './fields.js';
import { DEFAULT_LINK_CONFIG, type LinkConfig } from './link_config.js';

type Fields = typeof LINK_FIELDS;
/** Settings that addresses have. */
export type UrlKey = { [K in LinkKey]: Fields[K]['url'] extends string ? K : never }[LinkKey];
/** A link by the names of addresses; a capacity is text there. */
export type LinkInUrl = { [K in UrlKey as Fields[K]['url']]: K extends 'capacity' ? string : LinkConfig[K] };

export const URL_KEYS = LINK_KEYS.filter((key): key is UrlKey => LINK_FIELDS[key].url !== null);

/** Settings that addresses do not have take their defaults. */
export function linkOfUrl(url: LinkInUrl): LinkConfig {
  const given = URL_KEYS.map((key) => [key, url[LINK_FIELDS[key].url]]);
  return { ...DEFAULT_LINK_CONFIG, ...(Object.fromEntries(given) as Partial<LinkConfig>) };
}

/** The default link by the names of addresses. */
export const USUAL_IN_URL = Object.fromEntries(
  URL_KEYS.map((key) => [LINK_FIELDS[key].url, LINK_FIELDS[key].usual]),
) as LinkInUrl;
