import { afterEach } from 'vitest';

import { openShaperLink, type LinkSettings, type ShaperLink } from '../../src/shaper/index.js';

/**
 * Functions that close the objects that a test has opened. The functions are called after the test, in the
 * order of the list.
 */
export const closers: (() => unknown)[] = [];

/** Calls the functions in `closers` after each test. A test file calls this once. */
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
