// Compiles wasm/ to src/core/ccscope.wasm with Emscripten (3.1.6 or newer).
//
// The module is linked without Emscripten's JavaScript loader: the ABI is flat, so
// src/core/load.ts instantiates the bytes itself, the same way in pages, workers and Node.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';


const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const wasmPath = join(root, 'src/core/ccscope.wasm');

export function coreSources() {
  return readdirSync(join(root, 'wasm'), { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.cc'))
    .map((f) => join('wasm', f))
    .sort();
}

export function buildWasm() {
  const args = [
    ...coreSources(),
    '-Iwasm', '-std=c++20', '-O3', '-flto', '-fno-exceptions', '-fno-rtti', '-ffp-contract=off',
    '-Wall', '-Wextra', '-Wconversion', '-Wno-sign-conversion', '-Werror', '-DNDEBUG',
    '-sSTANDALONE_WASM', '--no-entry', '-sALLOW_MEMORY_GROWTH', '-sFILESYSTEM=0',
    '-sTOTAL_STACK=262144', '-sINITIAL_MEMORY=1048576',
    '-o', wasmPath,
  ];
  const run = spawnSync(process.env.EMCC ?? 'emcc', args, {
    cwd: root, stdio: 'inherit',
    // Debian's emcc looks for its JavaScript helpers where Debian's Node has them.
    env: { ...process.env, NODE_PATH: [process.env.NODE_PATH, '/usr/share/nodejs'].filter(Boolean).join(':') },
  });
  if (run.status !== 0) throw new Error('emcc failed');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildWasm();
  console.log(`src/core/ccscope.wasm: ${statSync(wasmPath).size} B, ${gzipSync(readFileSync(wasmPath)).length} B gzipped`);
}
