/** Sites in the form of match patterns for permissions. A site is a scheme and a host, with any port. */

/** The match pattern of the site that a URL belongs to; null for a URL that is not http or https. */
export function siteOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  const isSite = /^https?:$/.test(protocol) && !hostname.includes('*');
  return isSite ? `${protocol}//${hostname}/*` : null;
}

/** A pattern as it is displayed: `https://example.com`. */
export const siteName = (site: string): string => site.replace(/\/\*$/, '');

/** The content scripts for a site, in the form that `scripting.registerContentScripts` expects. */
export function scriptsOf(site: string): chrome.scripting.RegisteredContentScript[] {
  const common: Omit<chrome.scripting.RegisteredContentScript, 'id' | 'js' | 'world'> = {
    matches: [site],
    runAt: 'document_start',
    allFrames: true,
    // Frames without an address of their own, such as about:blank, belong to the site that created them.
    matchOriginAsFallback: true,
    persistAcrossSessions: true,
  };
  return [
    { ...common, id: `bridge ${site}`, js: ['bridge.js'], world: 'ISOLATED' },
    { ...common, id: `page ${site}`, js: ['page.js'], world: 'MAIN' },
  ];
}

/** The sites for which scripts are registered. */
export const sitesOf = (scripts: readonly { matches?: string[] | undefined }[]): string[] => [
  ...new Set(scripts.flatMap(({ matches }) => matches ?? [])),
];
