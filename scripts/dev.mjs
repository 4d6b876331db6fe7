// `npm run dev`: runs the app with instant reload (Vite), and the local server (link shaper, signalling). The
// server's port is CCSCOPE_PORT (8088 if unset); vite.config.ts passes requests for /ws on to this port.
import { build } from './build.mjs';
import { inRoot } from './lib/files.mjs';
import { canOpenBrowser, fail, nodeBin } from './lib/run.mjs';
import { setup } from './setup.mjs';

async function dev() {
  await setup();
  await build({ app: false });
  const { startServer } = await import('../dist/lib/node.js');
  const server = await startServer({
    port: Number(process.env.CCSCOPE_PORT ?? 8088),
    appDir: inRoot('public'),
  });
  await nodeBin('vite/bin/vite.js', canOpenBrowser() ? ['--open'] : [], { what: 'vite' }).finally(() =>
    server.close(),
  );
}

await dev().catch(fail);
