// Writes src/core/abi.generated.ts from the header of the core's ABI, wasm/abi/ccscope.h, and the rows of
// wasm/abi/link_rows.def, which the C++ files include: so each function and each value is declared once. `--check` only says whether it is stale.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { writeGenerated } from './lib/generated.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const header = readFileSync(join(root, 'wasm/abi/ccscope.h'), 'utf8');

/** A declaration, with the lines of its comment. */
const DECLARATION = /((?:^\/\/.*\n)*)^(?:const )?\w+(?: \w+)*\s*\**\s*(ccs_\w+)\(([^)]*)\);/gm;

/** The names of parameters; every one is a number in JavaScript. */
function parametersOf(list) {
  if (list.trim() === 'void') return [];
  return list.split(',').map((one) => {
    const [, name] = /(\w+)\s*$/.exec(one.trim()) ?? [];
    if (name === undefined) throw new Error(`wasm/abi/ccscope.h: a parameter without a name in (${list})`);
    return name;
  });
}

/** A comment that begins a section is not that of its first function. */
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

/** The places of a row's values, by their names. */
function rowOf(kind) {
  const rows = readFileSync(join(root, 'wasm/abi/link_rows.def'), 'utf8');
  const names = [...rows.matchAll(new RegExp(`^CCSCOPE_LINK_${kind}\\((\\w+),`, 'gm'))].map(
    ([, name]) => name,
  );
  const places = names.map((name, i) => [name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()), i]);
  return JSON.stringify(Object.fromEntries(places));
}

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

/** Where the values of a link's rows stand (wasm/abi/link_rows.def). */
export const LINK_DELIVERY = ${rowOf('DELIVERY')} as const;
export const LINK_DROP = ${rowOf('DROP')} as const;
export const LINK_STAT = ${rowOf('STAT')} as const;
`;

await writeGenerated(root, 'src/core/abi.generated.ts', source, 'scripts/generate_abi.mjs');
