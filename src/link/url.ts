/** The settings of a link in a URL of the app. Settings have the names that URLs use, and numbers have no units. */
import { LINK_FIELDS, LINK_KEYS, type LinkKey } from './fields.js';
import { DEFAULT_LINK_CONFIG, type LinkConfig } from './link_config.js';

type Fields = typeof LINK_FIELDS;
/** The settings that occur in URLs. */
export type UrlKey = { [K in LinkKey]: Fields[K]['url'] extends string ? K : never }[LinkKey];
/** The settings of a link by their names in URLs, where a capacity is always text. */
export type LinkInUrl = { [K in UrlKey as Fields[K]['url']]: K extends 'capacity' ? string : LinkConfig[K] };

export const URL_KEYS = LINK_KEYS.filter((key): key is UrlKey => LINK_FIELDS[key].url !== null);

/** Returns the link of a URL; settings that do not occur in URLs get their defaults. */
export function linkOfUrl(url: LinkInUrl): LinkConfig {
  const given = URL_KEYS.map((key) => [key, url[LINK_FIELDS[key].url]]);
  return { ...DEFAULT_LINK_CONFIG, ...(Object.fromEntries(given) as Partial<LinkConfig>) };
}

/** The default settings by their names in URLs. */
export const USUAL_IN_URL = Object.fromEntries(
  URL_KEYS.map((key) => [LINK_FIELDS[key].url, LINK_FIELDS[key].usual]),
) as LinkInUrl;
