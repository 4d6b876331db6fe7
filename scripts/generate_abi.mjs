// Writes src/core/abi.generated.ts from the header of the core's ABI, wasm/abi/ccscope.h, which the C++ files
// include: so each function is declared once. `--check` only says whether it is stale.
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

/** Their names, in the order of the header. */
export const ABI_FUNCTIONS = ${JSON.stringify(functions.map(({ name }) => name))} as const satisfies readonly (keyof Abi)[];
`;

await writeGenerated(root, 'src/core/abi.generated.ts', source, 'scripts/generate_abi.mjs');
