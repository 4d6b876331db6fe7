// Every link of the documentation site leads to a page, and every fragment to a heading there.
import { createServer } from 'node:http';

import { LinkChecker } from 'linkinator';
import sirv from 'sirv';

import { buildDocs } from '../build_docs.mjs';
import { inRoot } from '../lib/files.mjs';
import { fail, Problem, say } from '../lib/run.mjs';

async function checkLinks() {
  await buildDocs();
  const server = createServer(sirv(inRoot('dist'))).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const site = `http://127.0.0.1:${server.address().port}/docs/`;
  const { links } = await new LinkChecker().check({
    path: site,
    recurse: true,
    checkFragments: true,
    concurrency: 20,
    // Pages of the app are no part of the site, and the web is not asked.
    linksToSkip: async (link) => !link.startsWith(site),
  });
  server.close();
  const broken = links.filter(({ state }) => state === 'BROKEN');
  for (const { url, parent } of broken) say(`${parent} links to ${url}, which is not there.`);
  const checked = links.filter(({ state }) => state === 'OK').length;
  say(`${checked} links lead somewhere.`);
  if (broken.length > 0) throw new Problem(`${broken.length} links of the documentation lead nowhere.`);
  if (checked < 100)
    throw new Problem('The documentation has hardly any links: the check did not look at it.');
}

await checkLinks().catch(fail);
