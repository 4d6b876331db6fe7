// Checks the documentation site as readers use it. Every link must lead to a page, and every fragment to a heading
// there. The search must find the explanation of each kind of name. Live figures must draw, and no page may violate
// its own content policy.
import { readFileSync } from 'node:fs';
import { LinkChecker } from 'linkinator';
import { chromium } from 'playwright-core';

import { build } from '../build.mjs';
import { buildDocs } from '../build_docs.mjs';
import { inRoot } from '../lib/files.mjs';
import { fail, Problem, say } from '../lib/run.mjs';
import { findChromium } from '../lib/tools.mjs';

/** One name of each kind, and the page on which the search has to find it. */
const names = {
  incidents: '/src/command_line/options.html',
  '--until-quiet': '/src/command_line/options.html',
  toRecoverWithin: '/src/playwright/',
  receive_rate_gain: '/src/scenario/metrics.html',
  k_u: '/wasm/cc/gcc/gcc.html',
  createSyntheticCamera: '/api/ccscope.html',
  droptail: '/src/link/',
  lossy: '/src/link/',
  UsageError: '/src/text/errors.html',
};

/** What a reader may ask, and a page that the first results of the search have to contain. */
const questions = {
  'slow link': '/src/link/',
  'slow network': '/src/link/',
  throttle: '/src/link/',
  'network emulation': '/src/link/',
  'queue limit': '/src/link/',
  'shape my call': '/src/playwright/',
  'own app': '/src/command_line/call/#your-own-pages',
  headed: '/src/playwright/',
  'devtools console': '/src/inject/',
  getStats: '/src/command_line/attach/',
  freeze: '/src/playwright/',
  why: '/src/watch/',
  band: '/src/scenario/',
  verdict: '/src/scenario/',
  reproduce: '/src/papers/',
  'own controller': '/public/controllers/',
};
const FIRST_RESULTS = 3;

/**
 * The codes of notices and causes, each with the section that explains it. Codes of a single word are left out:
 * common words are found in many sections.
 */
const codes = [...readFileSync(inRoot('src/text/errors.md'), 'utf8').matchAll(/^### (\w+(?:-\w+)+)$/gm)].map(
  ([, code]) => [code, `/src/text/errors.html#${code}`],
);

async function checkLinks(site) {
  const { links } = await new LinkChecker().check({
    path: site,
    recurse: true,
    checkFragments: true,
    concurrency: 20,
    // Parsing a long page blocks this process for seconds. The server runs in the same process, and
    // afterwards closes connections that were idle. So failed requests are repeated.
    retryErrors: true,
    retryErrorsCount: 5,
    // Pages of the app are not part of the site, and links to other sites are not followed.
    linksToSkip: async (link) => !link.startsWith(site),
  });
  const broken = links.filter(({ state }) => state === 'BROKEN');
  for (const { url, parent } of broken) say(`${parent} links to ${url}, which is not there.`);
  const checked = links.filter(({ state }) => state === 'OK').length;
  say(`${checked} links lead somewhere.`);
  if (broken.length > 0) throw new Problem(`${broken.length} links of the documentation lead nowhere.`);
  if (checked < 100)
    throw new Problem('The documentation has hardly any links: the check did not look at it.');
}

async function checkSearch(site) {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] });
  try {
    const tab = await browser.newPage();
    const errors = [];
    tab.on('pageerror', (error) => errors.push(String(error)));
    tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await tab.goto(site);
    await tab.getByRole('button', { name: 'Search' }).first().click();
    const wanted = [...Object.entries(names), ...codes];
    for (const [name, page] of wanted) {
      await tab.locator('#localsearch-input').fill(name);
      await tab
        .locator(`a.result[href*="${page}"]`)
        .first()
        .waitFor({ timeout: 10_000 })
        .catch(() => errors.push(`The search for ${name} does not find ${page}.`));
    }
    for (const [question, page] of Object.entries(questions)) {
      await tab.locator('#localsearch-input').fill(question);
      const isFirst = ([wanted, most]) =>
        [...document.querySelectorAll('a.result')].slice(0, most).some(({ href }) => href.includes(wanted));
      await tab
        .waitForFunction(isFirst, [page, FIRST_RESULTS], { timeout: 10_000 })
        .catch(() => errors.push(`The first results of the search for ${question} do not lead to ${page}.`));
    }
    if (errors.length > 0) throw new Problem(errors.join('\n'));
    say(
      `The search finds ${wanted.length} names where they belong, and answers ${Object.keys(questions).length} questions.`,
    );
  } finally {
    await browser.close();
  }
}

/**
 * Documents with a live figure. The first of them is opened as a reader would open it: through a link on another
 * page of the site.
 */
const figures = ['wasm/cc/gcc/gcc', 'wasm/sim/queue_disc/codel', 'src/papers/', 'src/embed/'];

/** Checks that live figures draw under the site's policy and in its theme, and that they link to the Lab. */
async function checkFigures(site) {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] });
  try {
    const tab = await browser.newPage({ colorScheme: 'dark' });
    const errors = [];
    tab.on('pageerror', (error) => errors.push(String(error)));
    tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await tab.goto(site);
    await tab
      .locator(`.VPSidebar a[href$="${figures[0]}.html"], .VPSidebar a[href$="${figures[0]}"]`)
      .evaluate((link) => link.click());
    for (const [n, page] of figures.entries()) {
      if (n > 0) await tab.goto(`${site}${page}`);
      const figure = tab.locator('ccscope-view').first();
      await figure.scrollIntoViewIfNeeded();
      await figure
        .getByRole('img')
        .first()
        .waitFor({ timeout: 20_000 })
        .catch(() => errors.push(`The live figure of ${page} draws nothing.`));
      await figure
        .getByRole('link', { name: 'Open in the Lab' })
        .waitFor({ timeout: 20_000 })
        .catch(() => errors.push(`The live figure of ${page} does not lead to the Lab.`));
      const scheme = await figure.locator('.place').getAttribute('data-theme');
      if (scheme !== 'dark') errors.push(`The live figure of ${page} is ${scheme} on a dark page.`);
    }
    if (errors.length > 0) throw new Problem(errors.join('\n'));
    say(`The live figures of ${figures.length} documents draw.`);
  } finally {
    await browser.close();
  }
}

async function checkDocs() {
  await build();
  await buildDocs();
  const { startServer } = await import('../../dist/lib/node.js');
  const server = await startServer({ appDir: inRoot('dist/app'), docsDir: inRoot('dist/docs') });
  try {
    await checkLinks(`${server.url}docs/`);
    await checkSearch(`${server.url}docs/`);
    await checkFigures(`${server.url}docs/`);
  } finally {
    await server.close();
  }
}

await checkDocs().catch(fail);
