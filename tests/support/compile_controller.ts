/** Compiles a user's controller from C to a WebAssembly module, as public/controllers/README.md describes. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { emccEnv, findEmcc } from '../../scripts/lib/tools.mjs';

export function compileController(source: string): Buffer {
  const emcc = findEmcc();
  if (!emcc) throw new Error('Emscripten is missing');
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-'));
  try {
    const output = join(folder, 'controller.wasm');
    execFileSync(emcc, ['-O2', '-sSTANDALONE_WASM', '--no-entry', source, '-o', output], {
      env: emccEnv(),
      stdio: 'pipe',
      shell: process.platform === 'win32',
    });
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
