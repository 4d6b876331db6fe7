/**
 * Sends inputs to the server in batches. If the server does not answer after a batch, searches the batch for the
 * input that broke it.
 */
import { ServerProcess } from './server_process.js';

/** The input, or the few inputs, after which the server no longer worked. */
export class DoorFault extends Error {
  override readonly name = 'DoorFault';
  constructor(
    readonly fault: string,
    readonly inputs: readonly Uint8Array[],
  ) {
    const listed = inputs.map((input) => Buffer.from(input).toString('hex')).join('\n');
    super(`${fault}\nafter ${inputs.length} input(s), in hexadecimal:\n${listed}`);
  }
}

/** Sends inputs to a server and waits until their connections have ended. */
export type SendAll = (port: number, inputs: readonly Uint8Array[]) => Promise<void>;

/** A server under test. */
export type Tested = Pick<ServerProcess, 'port' | 'fault' | 'close'>;

export class Batches {
  #server: Promise<Tested> | null = null;
  #pending: Uint8Array[] = [];
  /** Batches run one at a time, so that a fault is attributed to the batch that caused it. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly sendAll: SendAll,
    private readonly size: number,
    private readonly start: () => Promise<Tested> = () => ServerProcess.start(),
  ) {}

  /** Adds an input, and sends the batch when it is full. Throws DoorFault. */
  async add(input: Uint8Array): Promise<void> {
    this.#pending.push(Uint8Array.from(input));
    if (this.#pending.length >= this.size) await this.#flush();
  }

  /** Sends the remaining inputs, and ends the server. Throws DoorFault. */
  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await (await this.#server)?.close();
      this.#server = null;
    }
  }

  #flush(): Promise<void> {
    const inputs = this.#pending;
    this.#pending = [];
    const flushed = this.#latest.then(() => this.#check(inputs));
    this.#latest = flushed.catch(() => undefined);
    return flushed;
  }

  async #check(inputs: readonly Uint8Array[]): Promise<void> {
    if (inputs.length === 0) return;
    const fault = await this.#faultOf(inputs);
    if (fault !== null) throw await this.#smallest(inputs, fault);
  }

  /** Sends inputs and returns the server's fault, if any. After a fault, the next inputs get a new server. */
  async #faultOf(inputs: readonly Uint8Array[]): Promise<string | null> {
    const server = await (this.#server ??= this.start());
    await this.sendAll(server.port, inputs);
    const fault = await server.fault();
    if (fault === null) return null;
    await server.close();
    this.#server = null;
    return fault;
  }

  /** Narrows the fault down: keeps one half of the inputs for as long as that half alone still causes a fault. */
  async #smallest(inputs: readonly Uint8Array[], fault: string): Promise<DoorFault> {
    if (inputs.length > 1) {
      const middle = inputs.length >> 1;
      for (const half of [inputs.slice(0, middle), inputs.slice(middle)]) {
        const again = await this.#faultOf(half);
        if (again !== null) return this.#smallest(half, again);
      }
    }
    return new DoorFault(fault, inputs);
  }
}

/** Calls `work` for each item; `width` calls run at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
