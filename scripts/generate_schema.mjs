// Writes src/core/schema.generated.ts from the schema that the built core tells of itself, so that
// parameters and trace columns are declared once, in C++. `--check` only says whether it is stale.
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readSchema } from './lib/schema.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'src/core/schema.generated.ts');

const { controllers, components, tables } = readSchema();

const source = `// Generated from the core by scripts/generate_schema.mjs. Do not edit.

/** Parameters and presets of each controller. A preset's values are those that differ from the defaults. */
export const CONTROLLERS = ${JSON.stringify(controllers, null, 2)} as const;

/** Parameters and presets of each component of the simulator. A preset's values are those that differ from the defaults. */
export const COMPONENTS = ${JSON.stringify(components, null, 2)} as const;

/** The trace tables and their columns, in the core's order. */
export const TABLES = ${JSON.stringify(tables, null, 2)} as const;
`;

const { format, resolveConfig } = await import('prettier');
const formatted = await format(source, { ...(await resolveConfig(target)), parser: 'typescript' });
const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
if (process.argv.includes('--check')) {
  if (current !== formatted) {
    console.error('src/core/schema.generated.ts is stale: run `node scripts/generate_schema.mjs`');
    process.exit(1);
  }
} else if (current !== formatted) {
  writeFileSync(target, formatted);
  console.log('wrote src/core/schema.generated.ts');
}
