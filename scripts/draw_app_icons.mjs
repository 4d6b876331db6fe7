// `node scripts/draw_app_icons.mjs`: draws the icons of the installed app (public/icons) from the extension's icon.svg.
// The drawn icons are kept in the repository, so that a build needs no browser.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { drawIcons } from './lib/draw_icons.mjs';
import { inRoot } from './lib/files.mjs';
import { fail } from './lib/run.mjs';

const svg = readFileSync(inRoot('src/extension/icons/icon.svg'), 'utf8');
/**
 * Each system cuts a maskable icon to its own shape. So the background fills the whole icon, and the mark is
 * smaller and in the middle.
 */
const maskable = svg
  .replace(' rx="7"', '')
  .replace('<path ', '<path transform="translate(16 16) scale(0.72) translate(-16 -16)" ');

mkdirSync(inRoot('public/icons'), { recursive: true });
writeFileSync(inRoot('public/icons/icon.svg'), svg);
await drawIcons([
  { svg, size: 192, to: 'public/icons/192.png' },
  { svg, size: 512, to: 'public/icons/512.png' },
  { svg: maskable, size: 512, to: 'public/icons/maskable-512.png' },
]).catch(fail);
