/** The page's script: a bundle that the build leaves beside the sources and in the package. */
import { readFileSync } from 'node:fs';

import type { ObserverConfig } from '../inject/protocol.js';
import { FailedRun } from '../text/errors.js';

const file = new URL('../inject/observer.js', import.meta.url);

/** The script with its settings, for Playwright's addInitScript. Throws FailedRun when it was not built. */
export function observerScript(config: ObserverConfig & { binding: string }): string {
  let bundle: string;
  try {
    bundle = readFileSync(file, 'utf8');
  } catch {
    throw new FailedRun(`${file.pathname} is missing: run npm run build`);
  }
  // In a function of its own, so that the page's scope stays as it is.
  return `(() => {\n${bundle}\nobserver.install(${JSON.stringify(config)});\n})();`;
}
