import { afterEach } from 'vitest';

import { openShaperLink, type LinkSettings, type ShaperLink } from '../../src/shaper/index.js';

/** Functions that close what a test has opened. They are called after the test, in this order. */
export const closers: (() => unknown)[] = [];

/** To be called once in a file: after each test, calls the functions in `closers`. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
}

/** Opens a link that is closed after the test. */
export async function linkWith(settings: LinkSettings): Promise<ShaperLink> {
  const link = await openShaperLink({ settings });
  closers.push(() => link.close());
  return link;
}
