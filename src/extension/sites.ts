/** Sites as people and permissions name them: a scheme and a host, whatever the port. */

/** The match pattern of the site that a URL belongs to; null for what no extension may look into. */
export function siteOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  const isSite = /^https?:$/.test(protocol) && !hostname.includes('*');
  return isSite ? `${protocol}//${hostname}/*` : null;
}

/** `https://example.com`: a pattern as it is shown. */
export const siteName = (site: string): string => site.replace(/\/\*$/, '');

/** The scripts of a site, as `scripting.registerContentScripts` takes them. */
export function scriptsOf(site: string): chrome.scripting.RegisteredContentScript[] {
  const common: Omit<chrome.scripting.RegisteredContentScript, 'id' | 'js' | 'world'> = {
    matches: [site],
    runAt: 'document_start',
    allFrames: true,
    // Frames without an address of their own, such as about:blank, belong to who made them.
    matchOriginAsFallback: true,
    persistAcrossSessions: true,
  };
  return [
    { ...common, id: `bridge ${site}`, js: ['bridge.js'], world: 'ISOLATED' },
    { ...common, id: `page ${site}`, js: ['page.js'], world: 'MAIN' },
  ];
}

/** Sites that scripts are registered for. */
export const sitesOf = (scripts: readonly { matches?: string[] | undefined }[]): string[] => [
  ...new Set(scripts.flatMap(({ matches }) => matches ?? [])),
];
