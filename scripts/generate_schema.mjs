// Writes src/core/schema.generated.ts from the schema that the built core tells of itself, so that
// parameters and trace columns are declared once, in C++. `--check` only says whether it is stale.
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'src/core/schema.generated.ts');

const module = new WebAssembly.Module(readFileSync(join(root, 'src/core/ccscope.wasm')));
const imports = {};
for (const { module: space, name } of WebAssembly.Module.imports(module))
  (imports[space] ??= {})[name] = () => 0;
const { exports } = new WebAssembly.Instance(module, imports);
exports._initialize?.();

const text = (pointer) => {
  const bytes = new Uint8Array(exports.memory.buffer, pointer);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
};

const raw = JSON.parse(text(exports.ccs_schema()), (_, value) =>
  Array.isArray(value) ? value.filter((entry) => entry !== null) : value,
);
const withValues = ({ values, ...rest }) => (values === '' ? rest : { ...rest, values: values.split('|') });

const controllers = Object.fromEntries(
  Object.entries(raw.controllers).map(([controller, { parameters, presets }]) => {
    const defaults = presets.map((preset, index) => {
      const handle = exports.ccs_receiver_create(Object.keys(raw.controllers).indexOf(controller), index, 0);
      const values = {};
      parameters.forEach((parameter, i) => {
        const value = exports.ccs_session_parameter(handle, i);
        if (value !== parameter.default) values[parameter.name] = value;
      });
      exports.ccs_session_destroy(handle);
      return { ...preset, values };
    });
    return [controller, { parameters: parameters.map(withValues), presets: defaults }];
  }),
);
const component = ({ parameters, presets }) => ({
  parameters: parameters.map(withValues),
  presets: presets.map(({ values, ...preset }) => ({
    ...preset,
    values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
  })),
});
const components = Object.fromEntries(
  Object.entries(raw.components)
    .filter(([name]) => name !== '')
    .map(([name, entry]) => [name, component(entry)]),
);
const tables = raw.tables.map((table) => ({ ...table, columns: table.columns.map(withValues) }));

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
