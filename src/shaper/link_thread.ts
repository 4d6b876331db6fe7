/**
 * The thread that shapes the packets of a test: code of the test that blocks its own thread does not
 * disturb it. What happened goes out ten times a second.
 */
import { setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { hrtime, platform } from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';

import { CoreError, loadCoreModule } from '../core/load.js';
import type { Flow } from './agents.js';
import type { FromThread, LinkRequest, ThreadProblem, ThreadSetup, ToThread } from './protocol.js';
import type { Relay } from './relay.js';
import { openRelay, type RelayPaths } from './relay_paths.js';
import { bindUdp } from './udp.js';

const BATCH_INTERVAL_MS = 100;
/** The highest there is. */
const NICE = -20;
const ADDRESS = '127.0.0.1';

function tell(message: FromThread): void {
  const transfer =
    message.kind === 'batch' ? [message.forward.packets.buffer, message.backward.packets.buffer] : [];
  parentPort?.postMessage(message, transfer);
}

function problemOf(error: unknown): ThreadProblem {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, message, field: error instanceof CoreError ? error.field : undefined };
}

const fail = (error: unknown, id: number | null = null): void =>
  tell({ kind: 'failed', id, problem: problemOf(error) });

/** The clock of process.hrtime, which is one for all threads, from this zero on. */
function clockFrom(zeroUs: number): () => number {
  const [s, ns] = hrtime();
  const offsetUs = s * 1e6 + ns / 1e3 - performance.now() * 1e3 - zeroUs;
  return () => performance.now() * 1e3 + offsetUs;
}

const tellFlow = ({ number, offerer, answerer }: Flow): void =>
  tell({
    kind: 'flow',
    flow: { flow: number, offererUfrag: offerer.ufrag, answererUfrag: answerer.ufrag },
  });

class LinkThread {
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly relay: Relay,
    private readonly paths: RelayPaths,
  ) {
    this.#timer = setInterval(() => this.#tick(), BATCH_INTERVAL_MS);
  }

  async hear(message: ToThread): Promise<void> {
    switch (message.kind) {
      case 'extend':
        this.paths.extend(message.owner, message.directions, message.steps);
        return;
      case 'local':
        this.relay.local(message.ufrag, message.page);
        return;
      case 'remote':
        this.relay.remote(message.side);
        return;
      case 'open':
      case 'set':
      case 'sync':
      case 'close':
        await this.#answer(message);
    }
  }

  #tick(): void {
    // Nobody sends any more: that, too, ends what is over.
    this.relay.sweep();
    this.#report();
  }

  #report(): void {
    this.paths.batches().forEach(tell);
    tell({ kind: 'tick', tick: this.paths.tick() });
  }

  async #answer(request: LinkRequest & { id: number }): Promise<void> {
    try {
      tell({ kind: 'done', id: request.id, timeUs: await this.#do(request) });
    } catch (error) {
      fail(error, request.id);
    }
  }

  async #do(request: LinkRequest): Promise<number> {
    if (request.kind === 'open') return this.paths.open(request.owner, request.seed, request.change);
    if (request.kind === 'set') return this.paths.set(request.owner, request.change);
    this.#report();
    if (request.kind === 'close') await this.#close();
    return 0;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    this.paths.close();
    await this.relay.close();
  }
}

/** On a busy machine packets would wait for the thread. Linux has priorities of threads, for who may set them. */
function hurry(): void {
  if (platform !== 'linux') return;
  try {
    setPriority(NICE);
  } catch {
    // Not allowed: the thread waits its turn as others do.
  }
}

async function start({ port, zeroUs, seed, change }: ThreadSetup): Promise<void> {
  hurry();
  const nowUs = clockFrom(zeroUs);
  const core = await loadCoreModule();
  const { relay, paths, socket } = await openRelay({
    core,
    seed,
    change,
    nowUs,
    bind: () => bindUdp(port, ADDRESS),
    onFlow: tellFlow,
    onError: fail,
  });
  const thread = new LinkThread(relay, paths);
  parentPort?.on('message', (message: ToThread) => void thread.hear(message));
  tell({ kind: 'ready', relay: { address: ADDRESS, port: socket.address().port } });
}

await start(workerData as ThreadSetup).catch(fail);
