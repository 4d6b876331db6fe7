import { createRequire } from 'node:module';

/** The version of this package. */
export function version(): string {
  const description = createRequire(import.meta.url)('ccscope/package.json') as { version: string };
  return description.version;
}
