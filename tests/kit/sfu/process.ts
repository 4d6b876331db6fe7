/** Servers under test as separate processes. */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';

/** How long a server may take to start. */
const START_MS = 20_000;

/**
 * Whether a program is installed. In CI always true: if a program is missing there, tests fail instead of being
 * skipped.
 */
export function isInstalled(program: string): boolean {
  if (process.env['CI'] !== undefined) return true;
  const found = spawnSync(process.platform === 'win32' ? 'where' : 'which', [program], { stdio: 'ignore' });
  return found.status === 0;
}

/** A TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/**
 * Resolves with the match when a process's output matches `expected`. If the process ends first or takes too long,
 * rejects with all of its output.
 */
export async function outputMatching(server: ChildProcess, expected: RegExp): Promise<RegExpExecArray> {
  let said = '';
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<RegExpExecArray>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${server.spawnfile} ${why}; it said:\n${said}`));
      const hear = (data: Buffer): void => {
        said += data.toString();
        const match = expected.exec(said);
        if (match !== null) resolve(match);
      };
      server.stdout?.on('data', hear);
      server.stderr?.on('data', hear);
      server.on('error', ({ message }) => fail(message));
      server.on('close', () => fail('ended'));
      timer = setTimeout(() => fail(`was not ready after ${START_MS / 1000} s`), START_MS);
    });
  } finally {
    clearTimeout(timer);
  }
}
