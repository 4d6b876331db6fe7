// `npm start`: opens the app in the browser, even from a fresh clone. Sets up and builds what is missing or stale,
// starts the local server (pages, link shaper, signalling) and opens the page.
//
//   npm start -- [--port N] [--host ADDRESS] [--no-open]
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { buildDocs } from './build_docs.mjs';
import { inRoot } from './lib/files.mjs';
import { canOpenBrowser, fail, Problem, say } from './lib/run.mjs';
import { setup } from './setup.mjs';

const defaultPort = 8088;

function readOptions() {
  const options = { port: { type: 'string' }, host: { type: 'string' }, 'no-open': { type: 'boolean' } };
  try {
    const { values } = parseArgs({ options });
    const port = Number(values.port ?? defaultPort);
    if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`--port: expected 0 to 65535`);
    return { port, host: values.host, open: !values['no-open'], mustHavePort: values.port !== undefined };
  } catch (error) {
    throw new Problem(`${error.message}\nUsage: npm start -- [--port N] [--host ADDRESS] [--no-open]`);
  }
}

/** Starts the server on the port or, if the port was not requested explicitly, on the next free one. */
async function listen(startServer, { port, host, mustHavePort }) {
  for (let candidate = port; ; candidate += 1) {
    try {
      const folders = { appDir: inRoot('dist/app'), docsDir: inRoot('dist/docs') };
      return await startServer({ port: candidate, ...folders, ...(host && { host }) });
    } catch (error) {
      if (error?.code !== 'EADDRINUSE' || mustHavePort || candidate >= port + 100) throw error;
    }
  }
}

async function start() {
  const options = readOptions();
  await setup();
  await build();
  // If the site exists, it is not rebuilt here, but only by `npm run build`.
  await buildDocs({ onlyOnce: true });
  const { startServer } = await import('../dist/lib/node.js');
  const server = await listen(startServer, options);
  say(`\nccscope is at ${server.url}\nPress Ctrl+C to stop.`);
  if (options.open && canOpenBrowser()) {
    const { default: open } = await import('open');
    await open(server.url).catch(() => say('No browser could be opened: please open the address yourself.'));
  }
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void server.close().finally(() => process.exit(0)));
  }
}

await start().catch(fail);
