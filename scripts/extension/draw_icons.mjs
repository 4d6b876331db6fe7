// `node scripts/extension/draw_icons.mjs`: the extension's icons as PNG from src/extension/icons/icon.svg, drawn by
// Chromium; Chrome takes no SVG. They are in the repository, so that a build needs no browser.
import { readFileSync } from 'node:fs';

import { chromium } from 'playwright-core';

import { inRoot } from '../lib/files.mjs';
import { fail } from '../lib/run.mjs';
import { findChromium } from '../lib/tools.mjs';
import { ICON_SIZES } from './manifest.mjs';

async function draw() {
  const svg = readFileSync(inRoot('src/extension/icons/icon.svg'), 'utf8');
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  for (const size of ICON_SIZES) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${svg}`);
    await page.screenshot({ path: inRoot(`src/extension/icons/${size}.png`), omitBackground: true });
    await page.close();
  }
  await browser.close();
}

await draw().catch(fail);
