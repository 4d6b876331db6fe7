/**
 * The observer script, which runs in pages. The build writes it as one bundle next to the sources and into the
 * package.
 */
import { readFileSync } from 'node:fs';

import type { ObserverConfig } from '../inject/protocol.js';
import { FailedRun } from '../text/errors.js';

const file = new URL('../inject/observer.js', import.meta.url);

/** The script with its settings, for Playwright's addInitScript. Throws FailedRun if the script was not built. */
export function observerScript(config: ObserverConfig & { binding: string }): string {
  let bundle: string;
  try {
    bundle = readFileSync(file, 'utf8');
  } catch {
    throw new FailedRun(`${file.pathname} is missing; run \`npm run build\``);
  }
  // Wrapped in a function to keep the bundle's variables out of the page's global scope.
  return `(() => {\n${bundle}\nobserver.install(${JSON.stringify(config)});\n})();`;
}
