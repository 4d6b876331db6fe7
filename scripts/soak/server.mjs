// Runs the local server of the soak in a separate process.
import { inRoot } from '../lib/files.mjs';
import { watchMemories } from './memories.mjs';
import { serveParent } from './node_sample.mjs';
import { watchThreads } from './threads.mjs';

watchMemories();
watchThreads();
const { startServer } = await import('../../dist/lib/node.js');

const server = await startServer({ appDir: inRoot('dist/app') });

serveParent({
  url: () => server.url,
  close: () => server.close(),
});
