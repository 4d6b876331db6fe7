/** A page that needs nothing else: its style, its script and their data are in it. */
import { existsSync, readFileSync } from 'node:fs';

import { html, Html, scriptData } from './text.js';

/** A page whose script and style the build has made of src/app/NAME. */
export interface StandalonePage {
  /** Of dist/lib/node/NAME/page. */
  name: 'reproduce' | 'evidence';
  title: string;
  /** Default: the title. */
  heading?: Html;
  /** Beneath the heading. */
  meta: Html | string;
  main: Html;
  /** What the script reads, as JSON in an element with this id. */
  data: { id: string; value: unknown };
}

/** What Vite makes of a page, beside the compiled files; sources that are run as they are have it in the build. */
function built(name: string, file: string): Html {
  const beside = new URL(`../${name}/page/${file}`, import.meta.url);
  const inBuild = new URL(`../../../dist/lib/node/${name}/page/${file}`, import.meta.url);
  return new Html(readFileSync(existsSync(beside) ? beside : inBuild, 'utf8').trim());
}

/** The page as text. */
export function standalonePage({ name, title, heading, meta, main, data }: StandalonePage): string {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>${title} – ccscope</title>
        <style>
          ${built(name, 'style.css')}
        </style>
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
        <script type="module">
          ${built(name, 'script.js')};
        </script>
      </body>
    </html>`;
  return `${document.text}\n`;
}
