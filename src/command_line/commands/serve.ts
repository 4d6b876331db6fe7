import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Command } from 'commander';

import { startServer, type LocalServer } from '../../server/server.js';
import { FailedRun, systemCode } from '../../text/errors.js';
import { openInBrowser } from '../attach/open.js';
import { interruptible, sleepFor } from '../interrupt.js';
import type { Io } from '../io.js';
import { numberArgument } from './link_options.js';

interface ServeFlags {
  port?: number;
  host?: string;
  open: boolean;
}

const DEFAULT_PORT = 8088;
/** Without --port, up to this many ports after DEFAULT_PORT are tried if DEFAULT_PORT is in use. */
const MOST_PORTS = 100;

const HELP = `
The app is the Call page, the Lab, the lessons and the papers. The server also shapes the link of the Call page.
In a clone, it serves the documentation at /docs/, too.
Without --port, the next free port is taken if ${DEFAULT_PORT} is in use. Ctrl-C ends it.`;

/** Adds `ccscope serve`. */
export function register(program: Command, io: Io): void {
  program
    .command('serve')
    .description('serve the app on this machine, and open it in the browser')
    .option(
      '--port <n>',
      `port (default: ${DEFAULT_PORT}, or the next free one)`,
      numberArgument(0, 65_535, { integer: true }),
    )
    .option('--host <address>', 'address to listen on; everybody who can reach it may use the link')
    .option('--no-open', 'print the address of the app, and do not open it')
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => serve(flags, io));
}

async function serve(flags: ServeFlags, io: Io): Promise<void> {
  await interruptible(async (signal) => {
    const server = await listen(flags);
    try {
      io.stdout.write(`ccscope is at ${server.url}\n`);
      if (server.urlsForOthers.length > 0)
        io.stdout.write(`Other machines open ${server.urlsForOthers.join(' or ')}\n`);
      io.stdout.write('Press Ctrl+C to stop.\n');
      if (flags.open && !(await openInBrowser(server.url)))
        io.stdout.write('No browser could be opened: open the address yourself.\n');
      await sleepFor(Infinity, signal).catch(() => undefined);
    } finally {
      await server.close();
    }
  });
}

/** Starts the server on the requested port, or on the first free one from DEFAULT_PORT on. */
async function listen({ port, host }: ServeFlags): Promise<LocalServer> {
  const docsDir = fileURLToPath(new URL('../../../docs', import.meta.url));
  const options = { ...(host !== undefined && { host }), ...(existsSync(docsDir) && { docsDir }) };
  for (let candidate = port ?? DEFAULT_PORT; ; candidate++) {
    try {
      return await startServer({ ...options, port: candidate });
    } catch (error) {
      const isTaken = systemCode(error) === 'EADDRINUSE';
      if (isTaken && port === undefined && candidate < DEFAULT_PORT + MOST_PORTS) continue;
      throw new FailedRun(error instanceof Error ? error.message : String(error));
    }
  }
}
