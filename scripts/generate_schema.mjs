// Writes src/core/schema.generated.ts from the schema that the built core returns, so that parameters and trace columns
// are declared only once, in C++. `--check` only reports whether the file is stale.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { writeGenerated } from './lib/generated.mjs';
import { readSchema } from './lib/schema.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const { controllers, components, tables } = readSchema();
const named = tables.map(({ name, columns }) => ({ name, columns }));
const descriptions = Object.fromEntries(tables.map(({ name, description }) => [name, description]));

const source = `// Generated from the core by scripts/generate_schema.mjs. Do not edit.

/** Parameters and presets of each controller. A preset's values are those that differ from the defaults. */
export const CONTROLLERS = ${JSON.stringify(controllers, null, 2)} as const;

/** Parameters and presets of each component of the simulator. A preset's values are those that differ from the defaults. */
export const COMPONENTS = ${JSON.stringify(components, null, 2)} as const;

/** The trace tables and their columns, in the core's order. */
export const TABLES = ${JSON.stringify(named, null, 2)} as const;

/** What the rows of each table are. */
export const TABLE_DESCRIPTIONS = ${JSON.stringify(descriptions, null, 2)} as const;
`;

await writeGenerated(root, 'src/core/schema.generated.ts', source, 'scripts/generate_schema.mjs');
