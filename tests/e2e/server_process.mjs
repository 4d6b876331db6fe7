// The local server in a separate process, which a test can kill: `node server_process.mjs PORT APP_DIR`.
import { startServer } from '../../dist/lib/node.js';

const [port, appDir] = process.argv.slice(2);
const { url } = await startServer({ port: Number(port), appDir });
process.stdout.write(`${url}\n`);
