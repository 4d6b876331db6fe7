/** A self-contained page: it includes its style, its script and its data. */
import { existsSync, readFileSync } from 'node:fs';

import { standalonePolicy } from './content_policy.js';
import { html, Html, scriptData } from './text.js';

/**
 * A page. The build creates its script and its style from src/app/evidence or, for `papers`, from
 * src/app/report.
 */
export interface StandalonePage {
  /** Its script and its style are in the folder dist/lib/NAME/page, where NAME is this name. */
  name: 'papers' | 'evidence';
  title: string;
  /** The heading on the page. Default: the title. */
  heading?: Html;
  /** The content below the heading. */
  meta: Html | string;
  main: Html;
  /** The data for the script, as JSON in an element with this id. */
  data: { id: string; value: unknown };
}

/**
 * The text of a file that Vite has built for a page. It is beside the compiled files or, when the sources run
 * directly, in dist.
 */
function built(name: string, file: string): string {
  const beside = new URL(`../${name}/page/${file}`, import.meta.url);
  const inBuild = new URL(`../../dist/lib/${name}/page/${file}`, import.meta.url);
  return readFileSync(existsSync(beside) ? beside : inBuild, 'utf8').trim();
}

/** An element with a style or a script. Its content must match the hash in the page's policy exactly. */
const inline = (tag: string, text: string, attributes = ''): Html =>
  new Html(`<${tag}${attributes}>${text}</${tag}>`);

/** Builds the HTML text of the page. */
export function standalonePage({ name, title, heading, meta, main, data }: StandalonePage): string {
  const style = built(name, 'style.css');
  const script = built(name, 'script.js');
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${standalonePolicy({ script, style })}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>${title} – ccscope</title>
        ${inline('style', style)}
      </head>
      <body>
        <header>
          <h1>${heading ?? title}</h1>
          <p class="meta">${meta}</p>
          <button type="button" class="theme" hidden>Dark or light</button>
        </header>
        <main>${main}</main>
        <script type="application/json" id="${data.id}">
          ${scriptData(data.value)}
        </script>
        ${inline('script', script, ' type="module"')}
      </body>
    </html>`;
  return `${document.text}\n`;
}
