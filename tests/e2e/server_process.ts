import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./server_process.mjs', import.meta.url));
const appDir = fileURLToPath(new URL('../../dist/app', import.meta.url));

/** The local server as a process. */
export class ServerProcess {
  url = '';
  #child: ChildProcess | null = null;

  /** Starts the server on any free port. After `kill`, restarts it on the previous port. */
  async start(): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port;
    const child = spawn(process.execPath, [program, port, appDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    [this.url] = (await once(createInterface(child.stdout), 'line')) as [string];
  }

  /** Suspends or resumes all threads of the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
