/** The local server in a separate process, and a check that it still works. */
import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { WebSocket } from 'ws';

import type { ServerLimits } from '../../../src/server/limits.js';

const SERVE = fileURLToPath(new URL('./serve.mjs', import.meta.url));
/** Long enough for a busy machine: only a server that hangs takes longer. */
const ANSWER_TIMEOUT_MS = 60_000;

const JOINED =
  '{"type":"room/peer","room":"alive","peers":1}\n{"id":1,"ok":true,"result":{"room":"alive","peers":1}}';

export class ServerProcess {
  #stderr = '';
  #ended = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    child.stderr?.on('data', (data: Buffer) => (this.#stderr += data.toString()));
    child.once('exit', () => (this.#ended = true));
  }

  get ended(): boolean {
    return this.#ended;
  }

  static async start(limits: Partial<ServerLimits> = {}): Promise<ServerProcess> {
    const child = fork(SERVE, [JSON.stringify(limits)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${SERVE} ended with ${String(code)} before it served`);
    });
    const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
    ended.catch(() => undefined);
    return new ServerProcess(child, port);
  }

  /** Why the server does not work; null if it is alive and answers correctly. */
  async fault(): Promise<string | null> {
    if (!this.#ended) {
      try {
        await this.#httpAnswers();
        await this.#webSocketAnswers();
        return null;
      } catch (error) {
        // The end of the process may be reported after the end of the connection.
        await Promise.race([once(this.child, 'exit'), pause(200)]);
        if (!this.ended) return `it does not answer: ${String(error)}`;
      }
    }
    return `the process ended: ${this.#stderr.trim()}`;
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
  }

  async #httpAnswers(): Promise<void> {
    const url = `http://127.0.0.1:${this.port}/index.html`;
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const text = await response.text();
    if (response.status !== 200 || text !== '<title>app</title>')
      throw new Error(`GET /index.html: ${response.status} ${text}`);
  }

  async #webSocketAnswers(): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/ws`);
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    try {
      await once(socket, 'open', { signal });
      const messages = on(socket, 'message', { signal });
      socket.send('{"id":1,"type":"room/join","room":"alive"}');
      const { value } = (await messages.next()) as { value: [Buffer] };
      const { value: reply } = (await messages.next()) as { value: [Buffer] };
      const texts = [value, reply].map(([data]) => data.toString());
      if (texts.join('\n') !== JOINED) throw new Error(`room/join: ${texts.join('\n')}`);
    } finally {
      socket.once('error', () => undefined);
      const closed = socket.readyState === socket.OPEN ? once(socket, 'close') : null;
      socket.close();
      await closed;
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
