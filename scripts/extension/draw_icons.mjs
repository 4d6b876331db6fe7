// `node scripts/extension/draw_icons.mjs`: the extension's icons as PNG from src/extension/icons/icon.svg, drawn by
// Chromium, since Chrome does not accept SVG here. They are kept in the repository, so that a build needs no
// browser.
import { readFileSync } from 'node:fs';

import { drawIcons } from '../lib/draw_icons.mjs';
import { inRoot } from '../lib/files.mjs';
import { fail } from '../lib/run.mjs';
import { ICON_SIZES } from './manifest.mjs';

const svg = readFileSync(inRoot('src/extension/icons/icon.svg'), 'utf8');
await drawIcons(ICON_SIZES.map((size) => ({ svg, size, to: `src/extension/icons/${size}.png` }))).catch(fail);
