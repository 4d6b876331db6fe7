/** Pages of another site that load `<ccscope-view>` from a folder on a static host. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import type { Locator, Page } from '@playwright/test';
import sirv from 'sirv';

import type { ErrorDetail, ReadyDetail } from '../../src/embed/public.js';
import { expect, test as base } from './support.js';

const folder = fileURLToPath(new URL('../../dist/lib/embed', import.meta.url));
const recording = readFileSync(new URL('../../public/sample/call.ndjson', import.meta.url));

/** The strictest policy under which, according to the guide, the element works. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** The folder's path on the host. Nothing may depend on this path. */
const PLACE = '/some/place/ccscope/';

const documentOf = (body: string, script: string, policy: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Somebody’s page</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<script type="module" src="${script}"></script></head>
<body><main><h1>Somebody’s page</h1>${body}</main></body></html>`;

/**
 * A host that serves the built folder at PLACE and `files` at their own paths; other sites may read all of
 * these.
 */
async function host(files: ReadonlyMap<string, string | Buffer>): Promise<{ server: Server; url: string }> {
  const serve = sirv(folder, { dev: true });
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    response.setHeader('access-control-allow-origin', '*');
    const file = files.get(path);
    if (file !== undefined) {
      response.setHeader('content-type', path.endsWith('.html') ? 'text/html' : 'application/json');
      response.end(file);
      return;
    }
    if (path.startsWith(PLACE)) request.url = path.slice(PLACE.length - 1);
    serve(request, response, () => void response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Told = { type: 'ready'; detail: ReadyDetail } | { type: 'error'; detail: ErrorDetail };

declare global {
  interface Window {
    /** The `ready` and `error` events of the page's views, in order, each with the id of its element. */
    told: (Told & { id: string })[];
  }
}

/** Somebody else's page that shows views. */
export class Stranger {
  constructor(
    readonly page: Page,
    readonly url: string,
    private readonly files: Map<string, string | Buffer>,
    /**
     * What the page's policy blocked. The list must be empty after the test, so a test that expects
     * violations must remove them from the list.
     */
    readonly refused: string[],
  ) {}

  /** Opens a page with this body and this policy. The element is loaded from the address `script`. */
  async open(body: string, { script = `..${PLACE}ccscope-view.js`, policy = POLICY } = {}): Promise<void> {
    this.files.set('/blog/page.html', documentOf(body, script, policy));
    await this.page.addInitScript(() => {
      window.told = [];
      for (const type of ['ready', 'error'] as const)
        addEventListener(`ccscope-${type}`, (event) => {
          const { detail } = event as unknown as CustomEvent<never>;
          window.told.push({ type, id: (event.target as Element).id, detail });
        });
    });
    await this.page.goto(`${this.url}/blog/page.html`);
  }

  give(path: string, file: string | Buffer): void {
    this.files.set(path, file);
  }

  view(id: string): Locator {
    return this.page.locator(`#${id}`);
  }

  /** The last event of a view, once the view has fired at least `count` events. */
  async told(id: string, count = 1): Promise<Told> {
    const all = (): Promise<Told[]> =>
      this.page.evaluate((of) => window.told.filter((each) => each.id === of), id);
    await expect.poll(async () => (await all()).length).toBeGreaterThanOrEqual(count);
    return (await all()).at(-1) as Told;
  }

  async ready(id: string, count = 1): Promise<ReadyDetail> {
    const { type, detail } = await this.told(id, count);
    if (type !== 'ready') throw new Error(`${id} told an error: ${JSON.stringify(detail)}`);
    return detail;
  }

  /** The fraction of a chart's pixels on which something is drawn. */
  drawn(id: string, name: RegExp): Promise<number> {
    return this.view(id)
      .getByRole('img', { name })
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
        const opaque = data?.filter((_, index) => index % 4 === 3).filter((alpha) => alpha > 0) ?? [];
        return opaque.length / (canvas.width * canvas.height);
      });
  }
}

export const test = base.extend<{ stranger: Stranger; elsewhere: string }>({
  // Every test fails when the page throws, or when its policy blocks something.
  stranger: async ({ page }, use) => {
    const errors: string[] = [];
    const refused: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) refused.push(message.text());
    });
    const files = new Map<string, string | Buffer>([['/blog/call.ndjson', recording]]);
    const { server, url } = await host(files);
    await use(new Stranger(page, url, files, refused));
    server.closeAllConnections();
    server.close();
    expect([...errors, ...refused]).toEqual([]);
  },
  /** The address of the folder on another origin. */
  elsewhere: async ({}, use) => {
    const { server, url } = await host(new Map());
    await use(`${url}${PLACE}`);
    server.closeAllConnections();
    server.close();
  },
});

export { expect };
