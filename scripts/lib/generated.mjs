// Formats a generated source with Prettier and writes it; with `--check`, compares it with the existing file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `file` and `script` are paths in the repository. */
export async function writeGenerated(root, file, source, script) {
  const target = join(root, file);
  const { format, resolveConfig } = await import('prettier');
  const formatted = await format(source, { ...(await resolveConfig(target)), parser: 'typescript' });
  const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
  if (current === formatted) return;
  if (process.argv.includes('--check')) {
    console.error(`${file} is stale: run \`node ${script}\``);
    process.exit(1);
  }
  writeFileSync(target, formatted);
  console.log(`wrote ${file}`);
}
