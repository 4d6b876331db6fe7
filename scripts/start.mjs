// `npm start`: opens the app in the browser, even from a fresh clone. Sets up and builds what is missing or stale, and
// then runs `ccscope serve` with the given options.
import { build } from './build.mjs';
import { buildDocs } from './build_docs.mjs';
import { fail } from './lib/run.mjs';
import { setup } from './setup.mjs';

try {
  await setup();
  await build();
  // An existing documentation site is not rebuilt here: `npm run build` rebuilds it.
  await buildDocs({ onlyOnce: true });
} catch (error) {
  fail(error);
}
const { run } = await import('../dist/lib/command_line/program.js');
process.exit(await run(['serve', ...process.argv.slice(2)]));
