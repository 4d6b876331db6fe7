import { afterEach } from 'vitest';

import { openShaperLink, type LinkSettings, type ShaperLink } from '../../src/shaper/index.js';

/** What the tests of a file leave open; closed afterwards, in this order. */
export const closers: (() => unknown)[] = [];

/** Call it once in a file: closes what each test has left open. */
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
