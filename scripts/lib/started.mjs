// Tells a script that was started from one that was imported.
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Whether the module with this `import.meta.url` is the script that Node was started with. Node resolves symbolic links
 * in the URL, but not in the arguments, so this compares real paths.
 */
export function isStarted(url) {
  const [, script = ''] = process.argv;
  return existsSync(script) && realpathSync(script) === realpathSync(fileURLToPath(url));
}
