import { afterEach } from 'vitest';

import { openShaperLink, type LinkSettings, type ShaperLink } from '../../src/shaper/index.js';

/** What each test of a file leaves open; closed behind it, in this order. */
export const closers: (() => unknown)[] = [];

/** Call it once in a file: closes what a test of it has left. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
}

/** A link that ends with the test. */
export async function linkWith(settings: LinkSettings): Promise<ShaperLink> {
  const link = await openShaperLink({ settings });
  closers.push(() => link.close());
  return link;
}
