// Starts a Node process for the soak, and sends commands to it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ANSWER_MS = 60_000;

export class Child {
  #nextId = 1;
  #waiting = new Map();
  /** Errors that went uncaught in the process. */
  uncaught = [];
  exited = null;

  constructor(name, file, args = []) {
    this.name = name;
    this.process = fork(fileURLToPath(new URL(file, import.meta.url)), args.map(String), {
      execArgv: ['--expose-gc'],
    });
    this.ready = new Promise((resolve, reject) => {
      this.process.on('message', (message) => {
        if (message.ready) resolve();
        else this.#hear(message);
      });
      this.process.once('exit', (code, signal) => {
        this.exited = signal ?? code;
        const error = new Error(`${name} ended with ${this.exited}`);
        reject(error);
        for (const { reject: refuse } of this.#waiting.values()) refuse(error);
      });
    });
  }

  #hear({ id, result, error, uncaught }) {
    if (uncaught !== undefined) this.uncaught.push(uncaught);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(`${this.name}: ${error}`));
  }

  /** Rejects if the command fails, if the process has ended, or if it does not answer within a minute. */
  ask(command, ...args) {
    if (this.exited !== null) return Promise.reject(new Error(`${this.name} ended with ${this.exited}`));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${this.name} did not answer ${command}`)), ANSWER_MS);
      const settle = (how) => (value) => {
        clearTimeout(timer);
        how(value);
      };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.process.send({ id, command, args });
    });
  }

  async end() {
    if (this.exited !== null) return;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.disconnect();
    await gone;
  }
}
