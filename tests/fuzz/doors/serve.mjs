// Runs the built local server in a separate process, so that its crashes are visible from outside. Argument: the
// limits for clients, as JSON. Sends the server's port to the parent process, and ends when the parent does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startServer } from '../../../dist/lib/server/server.js';

const appDir = mkdtempSync(join(tmpdir(), 'ccscope-doors-'));
process.once('exit', () => rmSync(appDir, { recursive: true }));
process.once('disconnect', () => process.exit(0));
writeFileSync(join(appDir, 'index.html'), '<title>app</title>');
writeFileSync(join(appDir, 'data.bin'), Buffer.alloc(100_000, 7));
const controllers = [{ name: 'mine.mjs', kind: 'js', bytes: Buffer.from('export default {};') }];
const { port } = await startServer({ appDir, controllers, limits: JSON.parse(process.argv[2] ?? '{}') });
process.send({ port });
