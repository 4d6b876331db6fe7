// The core's schema, as the built core returns it: parameters and presets of controllers and components, and the
// trace tables.
import { readFileSync } from 'node:fs';

import { schemaPath } from '../build_wasm.mjs';

/** Instantiates a module of the core in the same way as src/core/load.ts, but with imports that do nothing. */
export function instantiate(path) {
  const module = new WebAssembly.Module(readFileSync(path));
  const imports = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module))
    (imports[space] ??= {})[name] = () => 0;
  const instance = new WebAssembly.Instance(module, imports);
  instance.exports._initialize?.();
  return instance;
}

/**
 * Replaces the text `values` of a parameter (see wasm/units/parameter.h) with `whole: true`, or with a list of names.
 */
function withValues({ values, ...rest }) {
  if (values === '') return rest;
  return values === 'whole' ? { ...rest, whole: true } : { ...rest, values: values.split('|') };
}

/** The values that a preset sets, including those of the presets on which it is based. */
function valuesOf(preset, presets) {
  const entries = preset.values.flatMap(({ based_on: base, name, value }) =>
    base === undefined
      ? [[name, value]]
      : Object.entries(
          valuesOf(
            presets.find(({ id }) => id === base),
            presets,
          ),
        ),
  );
  return Object.fromEntries(entries);
}

/** Reduces each preset to the values that differ from the defaults. */
function withPresets({ parameters, presets }) {
  const differs = ([name, value]) =>
    parameters.find((parameter) => parameter.name === name).default !== value;
  return {
    parameters: parameters.map(withValues),
    presets: presets.map((preset) => ({
      name: preset.name,
      description: preset.description,
      values: Object.fromEntries(Object.entries(valuesOf(preset, presets)).filter(differs)),
    })),
  };
}

/**
 * The controllers or components, by their names. The entry without a name is dropped: it exists only to keep
 * the C++ macros simple.
 */
const byName = (groups) =>
  Object.fromEntries(
    Object.entries(groups)
      .filter(([name]) => name !== '')
      .map(([name, group]) => [name, withPresets(group)]),
  );

/** Returns the schema as {controllers, components, tables}. */
export function readSchema() {
  const { exports } = instantiate(schemaPath);
  const bytes = new Uint8Array(exports.memory.buffer, exports.ccs_schema());
  const json = new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  const raw = JSON.parse(json, (_, value) =>
    Array.isArray(value) ? value.filter((entry) => entry !== null) : value,
  );
  return {
    controllers: byName(raw.controllers),
    components: byName(raw.components),
    tables: raw.tables.map((table) => ({ ...table, columns: table.columns.map(withValues) })),
  };
}
