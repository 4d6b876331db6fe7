// Writes src/core/abi.generated.ts from the header of the core's ABI, wasm/abi/ccscope.h, and from
// wasm/abi/link_rows.def and simulation_rows.def. The C++ code includes the same files, so each function and each
// value is declared only once. `--check` only reports whether the file is stale.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { writeGenerated } from './lib/generated.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const header = readFileSync(join(root, 'wasm/abi/ccscope.h'), 'utf8');

/** Matches a declaration, with the lines of its comment. */
const DECLARATION = /((?:^\/\/.*\n)*)^(?:const )?\w+(?: \w+)*\s*\**\s*(ccs_\w+)\(([^)]*)\);/gm;

/** The names of parameters. In JavaScript, every parameter is a number. */
function parametersOf(list) {
  if (list.trim() === 'void') return [];
  return list.split(',').map((one) => {
    const [, name] = /(\w+)\s*$/.exec(one.trim()) ?? [];
    if (name === undefined) throw new Error(`wasm/abi/ccscope.h: a parameter without a name in (${list})`);
    return name;
  });
}

/** The text of a function's comment, as lines of a JSDoc comment. */
const documented = (comment) =>
  comment
    .replaceAll(/^\/\/ ?/gm, '')
    .trim()
    .replaceAll('\n', '\n   * ');

const functions = [...header.matchAll(DECLARATION)].map(([, comment, name, list]) => ({
  name,
  comment: comment.startsWith('// ---') ? '' : documented(comment),
  parameters: parametersOf(list),
}));
const code = header.replaceAll(/^\s*\/\/.*$/gm, '');
const declared = code.match(/\bccs_\w+(?=\()/g) ?? [];
const missing = declared.filter((name) => !functions.some((one) => one.name === name));
if (missing.length > 0) throw new Error(`wasm/abi/ccscope.h: not understood: ${missing.join(', ')}`);

/**
 * Finds the rows of a .def file that use a macro whose name begins with `macro`. Returns the macro of each row
 * and its first argument, in camel case.
 */
function rowsOf(file, macro) {
  const rows = readFileSync(join(root, 'wasm/abi', file), 'utf8');
  return [...rows.matchAll(new RegExp(`^(${macro}\\w*)\\((\\w+),`, 'gm'))].map(([, kind, name]) => [
    kind,
    name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()),
  ]);
}

/** Maps the name of each value in a link's row to the position of the value in the row. */
const placesOf = (macro) =>
  JSON.stringify(Object.fromEntries(rowsOf('link_rows.def', macro).map(([, name], i) => [name, i])));

/**
 * Maps the name of each value in a simulation's row to its kind (number or distribution), in the order of the
 * row.
 */
const valuesOf = (macro) =>
  JSON.stringify(
    Object.fromEntries(
      rowsOf('simulation_rows.def', macro).map(([kind, name]) => [
        name,
        kind.endsWith('_DISTRIBUTION') && kind !== macro ? 'distribution' : 'number',
      ]),
    ),
  );

const source = `// Generated from wasm/abi/ccscope.h by scripts/generate_abi.mjs. Do not edit.

/** The core's functions. Pointers, handles and everything else are numbers. */
export interface Abi {
${functions
  .map(
    ({ name, comment, parameters }) =>
      `${comment === '' ? '' : `  /** ${comment} */\n`}  ${name}(${parameters.map((one) => `${one}: number`).join(', ')}): number;`,
  )
  .join('\n')}
}

/** The position of each value in the rows of a link (wasm/abi/link_rows.def). */
export const LINK_DELIVERY = ${placesOf('CCSCOPE_LINK_DELIVERY')} as const;
export const LINK_DROP = ${placesOf('CCSCOPE_LINK_DROP')} as const;
export const LINK_STAT = ${placesOf('CCSCOPE_LINK_STAT')} as const;

/** The values that a simulation reports for a window, in this order (wasm/abi/simulation_rows.def). */
export const DISTRIBUTION = ${valuesOf('CCSCOPE_DISTRIBUTION')} as const;
export const SIM_WINDOW = ${valuesOf('CCSCOPE_SIM_WINDOW')} as const;
export const SIM_PATH = ${valuesOf('CCSCOPE_SIM_PATH')} as const;
export const SIM_FLOW = ${valuesOf('CCSCOPE_SIM_FLOW')} as const;
`;

await writeGenerated(root, 'src/core/abi.generated.ts', source, 'scripts/generate_abi.mjs');
