// `node scripts/extension/draw_icons.mjs`: draws src/extension/icons/icon.svg as PNG files with Chromium, since
// Chrome accepts no SVG icons in a manifest. The PNG files are kept in the repository, so that a build needs no
// browser.
import { readFileSync } from 'node:fs';

import { drawIcons } from '../lib/draw_icons.mjs';
import { inRoot } from '../lib/files.mjs';
import { fail } from '../lib/run.mjs';
import { ICON_SIZES } from './manifest.mjs';

const svg = readFileSync(inRoot('src/extension/icons/icon.svg'), 'utf8');
await drawIcons(ICON_SIZES.map((size) => ({ svg, size, to: `src/extension/icons/${size}.png` }))).catch(fail);
