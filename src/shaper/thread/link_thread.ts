/**
 * The thread that shapes the packets of a link. Packets still pass while a test or a server blocks its own thread.
 * Ten times a second, this thread reports what happened.
 */
import { setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { hrtime, platform } from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';

import { CoreError, loadCoreModule } from '../../core/load.js';
import type { Flow } from '../relay/agents.js';
import type {
  AgentMessage,
  FromThread,
  LinkRequest,
  ThreadProblem,
  ThreadSetup,
  ToThread,
} from './protocol.js';
import { openRelay, ScheduledPaths } from '../packets/scheduled_paths.js';
import { openSocketPair } from '../relay/socket_pair.js';
import { bindUdp } from '../udp.js';

const BATCH_INTERVAL_MS = 100;
/** The highest priority. */
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

/** A clock whose zero is `zeroUs` on the clock of process.hrtime, which is the same in all threads. */
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

/** The open sockets and paths of the thread. */
interface Opened {
  a: number;
  b: number;
  paths: Pick<ScheduledPaths<never>, 'batches' | 'close' | 'extend' | 'open' | 'set' | 'tick'>;
  /** Processes announcements about the agents that connect. */
  agent(message: AgentMessage): void;
  sweep(): void;
  close(): Promise<void>;
}

class LinkThread {
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly opened: Opened) {
    this.#timer = setInterval(() => this.#tick(), BATCH_INTERVAL_MS);
  }

  async hear(message: ToThread): Promise<void> {
    switch (message.kind) {
      case 'extend':
        this.opened.paths.extend(message.owner, message.directions, message.steps);
        return;
      case 'local':
      case 'remote':
      case 'expect':
        this.opened.agent(message);
        return;
      case 'open':
      case 'set':
      case 'sync':
      case 'close':
        await this.#answer(message);
    }
  }

  #tick(): void {
    // Removes connections that have ended. The relay itself does this only when packets arrive.
    this.opened.sweep();
    this.#report();
  }

  #report(): void {
    const { paths } = this.opened;
    paths.batches().forEach(tell);
    tell({ kind: 'tick', tick: paths.tick() });
  }

  async #answer(request: LinkRequest & { id: number }): Promise<void> {
    try {
      tell({ kind: 'done', id: request.id, timeUs: await this.#do(request) });
    } catch (error) {
      fail(error, request.id);
    }
  }

  async #do(request: LinkRequest): Promise<number> {
    const { paths } = this.opened;
    if (request.kind === 'open') return paths.open(request.owner, request.seed, request.change);
    if (request.kind === 'set') return paths.set(request.owner, request.change);
    this.#report();
    if (request.kind === 'close') await this.#close();
    return 0;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    this.opened.paths.close();
    await this.opened.close();
  }
}

/**
 * Raises the thread's priority, since packets would otherwise wait on a busy machine. Only Linux has priorities for
 * individual threads, and not every user may raise them.
 */
function hurry(): void {
  if (platform !== 'linux') return;
  try {
    setPriority(NICE);
  } catch {
    // This user may not raise priorities, so the thread keeps its normal priority.
  }
}

/**
 * Rejects with CoreError for settings that the core refuses, and with ShaperError. If it rejects, nothing is left
 * open.
 */
async function open({ sockets, tellsPackets, zeroUs, seed, change }: ThreadSetup): Promise<Opened> {
  const common = { core: await loadCoreModule(), tellsPackets, nowUs: clockFrom(zeroUs) };
  if (sockets.kind === 'relay') {
    const bind = () => bindUdp(sockets.port, ADDRESS);
    const options = { ...common, seed, change, bind, onFlow: tellFlow, onError: fail };
    const { relay, paths, socket } = await openRelay(options);
    const { port } = socket.address();
    const agent = (message: AgentMessage): void => {
      if (message.kind === 'local') relay.local(message.ufrag, message.page);
      if (message.kind === 'remote') relay.remote(message.side);
    };
    return { a: port, b: port, paths, agent, sweep: () => relay.sweep(), close: () => relay.close() };
  }
  const pair = await openSocketPair({ ...sockets, nowUs: common.nowUs, onError: fail });
  const paths = new ScheduledPaths({ ...common, front: pair, startedBy: 'forward' });
  try {
    paths.open(null, seed, change);
  } catch (error) {
    await pair.close();
    throw error;
  }
  const [a, b] = pair.ports;
  const agent = (message: AgentMessage): void => {
    if (message.kind === 'expect') pair.expect(message.ufrags);
  };
  return { a, b, paths, agent, sweep: () => pair.sweep(), close: () => pair.close() };
}

async function start(setup: ThreadSetup): Promise<void> {
  hurry();
  const address = setup.sockets.kind === 'pair' ? setup.sockets.address : ADDRESS;
  const opened = await open(setup);
  const thread = new LinkThread(opened);
  parentPort?.on('message', (message: ToThread) => void thread.hear(message));
  tell({ kind: 'ready', a: { address, port: opened.a }, b: { address, port: opened.b } });
}

await start(workerData as ThreadSetup).catch(fail);
