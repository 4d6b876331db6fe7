/** Lists the pages of a browser and their calls. Works without observing the pages. */
import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';

import { describeConnections } from '../../observe/heap.js';
import { within } from '../../observe/feed.js';
import { FailedRun } from '../../text/errors.js';
import { plain } from '../../text/plain.js';

const connection = v.object({
  state: v.picklist(['new', 'connecting', 'connected', 'disconnected', 'failed', 'closed']),
  streams: v.array(
    v.object({ direction: v.picklist(['send', 'receive']), kind: v.string(), codec: v.string() }),
  ),
});

type Connection = v.InferOutput<typeof connection>;

export interface ListedPage {
  /** The browser's id for the page, which stays the same as long as the page is open. */
  id: string;
  title: string;
  url: string;
  /** Null if the page did not answer. */
  connections: Connection[] | null;
}

/** How long to wait for a page's answer. */
const ANSWER_MS = 10_000;
/** This many characters of an id suffice to tell pages apart. */
const ID_LENGTH = 8;

/** All pages of a browser. */
export const pagesOf = (browser: Browser): Page[] => browser.contexts().flatMap((context) => context.pages());

async function idOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  try {
    return (await session.send('Target.getTargetInfo')).targetInfo.targetId;
  } finally {
    await session.detach().catch(() => undefined);
  }
}

/** Lists every page and its connections, and changes nothing in the pages. */
export function listPages(browser: Browser): Promise<ListedPage[]> {
  return Promise.all(
    pagesOf(browser).map(async (page) => {
      const [id, title, told] = await Promise.all([
        within(ANSWER_MS, idOf(page)),
        within(ANSWER_MS, page.title()),
        within(ANSWER_MS, describeConnections(page)),
      ]);
      const connections = told?.filter((each) => v.is(connection, each)) ?? null;
      return { id: id ?? '', title: title ?? '', url: page.url(), connections };
    }),
  );
}

function streamsText({ streams }: Connection): string {
  const of = (direction: string): string => {
    const names = streams
      .filter((stream) => stream.direction === direction)
      .map(({ kind, codec }) => plain(`${kind} ${codec.split('/')[1] ?? ''}`.trim(), 40));
    return names.length === 0 ? '' : `${direction}s ${names.join(', ')}`;
  };
  return [of('send'), of('receive')].filter((text) => text !== '').join('; ') || 'no media';
}

/** A table for people: a line for each page, followed by a line for each of its connections. */
export function pagesText(pages: readonly ListedPage[]): string {
  if (pages.length === 0) return 'The browser has no pages.\n';
  const rows = pages.map(({ id, title, url, connections }) => ({
    cells: [id.slice(0, ID_LENGTH), String(connections?.length ?? '?'), plain(title, 40), plain(url)],
    connections,
  }));
  const head = ['id', 'calls', 'title', 'URL'];
  const widths = head.map((name, i) =>
    Math.max(...[name, ...rows.map(({ cells }) => cells[i] ?? '')].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === cells.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  ');
  const lines = rows.flatMap(({ cells, connections }) => [
    line(cells),
    ...(connections ?? []).map((each) => `${' '.repeat(ID_LENGTH + 2)}${each.state}: ${streamsText(each)}`),
  ]);
  return `${[line(head), ...lines].join('\n')}\n`;
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Whether a pattern matches a page: the beginning of its id (at least 4 characters), or any part of its title or
 * URL. For titles and URLs, `*` matches any text.
 */
async function matches(page: Page, pattern: string): Promise<boolean> {
  const id = (await within(ANSWER_MS, idOf(page))) ?? '';
  if (/^[\da-f]{4,}$/i.test(pattern) && id.startsWith(pattern.toUpperCase())) return true;
  const expression = new RegExp(pattern.split('*').map(literal).join('.*'), 'is');
  return expression.test(page.url()) || expression.test((await within(ANSWER_MS, page.title())) ?? '');
}

/** The pages that match the pattern. Throws FailedRun if there are none. */
export async function choosePages(browser: Browser, pattern: string): Promise<Page[]> {
  const pages = pagesOf(browser);
  const meant = await Promise.all(pages.map((page) => matches(page, pattern)));
  const chosen = pages.filter((_, i) => meant[i]);
  if (chosen.length > 0) return chosen;
  if (pages.length === 0) throw new FailedRun('--page: the browser has no open pages; open one first');
  const there = pages.map((page) => plain(page.url(), 80)).join(', ');
  throw new FailedRun(
    `--page: no page has ${pattern} in its id, title or URL (open pages: ${there}); run \`ccscope attach --list\` to see all`,
  );
}
