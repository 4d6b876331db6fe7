// Icons as PNG, drawn by Chromium from SVG.
import { chromium } from 'playwright-core';

import { inRoot } from './files.mjs';
import { findChromium } from './tools.mjs';

/** Draws each `svg` as a square of `size` pixels into the file `to`. */
export async function drawIcons(icons) {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  for (const { svg, size, to } of icons) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${svg}`);
    await page.screenshot({ path: inRoot(to), omitBackground: true });
    await page.close();
  }
  await browser.close();
}
