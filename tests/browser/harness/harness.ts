/** Runs calls for the tests and keeps their reports. */
import {
  createCall,
  createSyntheticCamera,
  supported,
  type Call,
  type CallOptions,
} from '../../../src/rtc/index.js';
import {
  loadCore,
  SCHEMA,
  type ReceiverHalf,
  type TableName,
  type TraceBatch,
  type TraceEvent,
} from '../../../src/core/index.js';
import wasmUrl from '../../../src/core/ccscope.wasm?url';
import { plainReceiver, plainSender, signallingPair } from './far_side.js';
import * as guests from './guests.js';
import * as simulations from './simulations.js';
import { ownConnection, type OwnConnection } from './own_connection.js';
import { trapExport } from './wasm_trap.js';

export type Choices = Partial<
  Omit<CallOptions, 'track' | 'onTrace' | 'onEvent' | 'onStatus' | 'signalling'>
> & {
  /**
   * What is at the other end of a call in role `send` or `receive`. Default: a second ccscope call. `plain`: a peer
   * without ccscope. `noise`: a plain peer that appends random bytes to the frames that it sends. `later`: a second
   * ccscope call, which begins only with `join`.
   */
  farSide?: 'ccscope' | 'plain' | 'noise' | 'later';
  /** Runs the call with a core in which this exported function traps. */
  trap?: string;
};

type Recorded = { batch: TraceBatch; side: string } | { event: TraceEvent };
type Row = Record<string, number>;

const workers: { url: string; worker: Worker }[] = [];
const channels: RTCDataChannel[] = [];

/** Keeps references to the page's workers and data channels, through which tests cause faults. */
function watch(): void {
  const NativeWorker = window.Worker;
  window.Worker = class extends NativeWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      workers.push({ url: String(url), worker: this });
    }
  };
  const create = RTCPeerConnection.prototype.createDataChannel;
  RTCPeerConnection.prototype.createDataChannel = function (this: RTCPeerConnection, ...args) {
    const channel = create.apply(this, args);
    channels.push(channel);
    return channel;
  };
}

function rowsOf(batches: TraceBatch[], table: TableName): Row[] {
  const columns = SCHEMA.tables.find((t) => t.name === table)?.columns ?? [];
  return batches
    .filter((batch) => batch.table === table)
    .flatMap((batch) =>
      Array.from({ length: batch.rows }, (_, i) =>
        Object.fromEntries(columns.map((c, n) => [c.name, batch.columns[n]?.[i] ?? NaN])),
      ),
    );
}

/**
 * Pushes the batch's recorded inputs into the receiver half, and takes its feedback after each input, as a call does.
 */
function feed(half: ReceiverHalf, batch: TraceBatch): void {
  for (const r of rowsOf([batch], batch.table)) {
    const at = (name: string) => r[name] ?? NaN;
    if (batch.table === 'arrival') {
      half.pushArrival({
        seq: at('seq'),
        sendTimeUs: at('send_time_us'),
        arrivalTimeUs: at('arrival_time_us'),
        sizeBytes: at('size_bytes'),
        rtpTimestamp: at('rtp_timestamp'),
        keyFrame: at('key_frame') === 1,
        rttUs: at('rtt_us'),
      });
    } else if (batch.table === 'inbound') {
      half.pushInbound({
        timeUs: at('time_us'),
        packetsReceived: at('packets_received'),
        packetsLost: at('packets_lost'),
        bytesReceived: at('bytes_received'),
      });
    } else continue;
    half.takeFeedback();
  }
}

/** Every peer connection that the page makes from now on. */
function collectPeers(): RTCPeerConnection[] {
  const peers: RTCPeerConnection[] = [];
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      peers.push(this);
    }
  };
  return peers;
}

class Harness {
  call: Call | null = null;
  /** The second call, if both ends of the connection are ccscope calls in this page. */
  other: Call | null = null;
  /** Everything recorded, in the order of recording. */
  recorded: Recorded[] = [];
  /** The codes of all notices that were ever shown. */
  noticed = new Set<string>();
  readonly supported = supported;
  readonly simulations = simulations;
  readonly guests = guests;
  readonly channels = channels;
  own: OwnConnection | null = null;
  farFrames: () => Promise<number> = () => Promise.resolve(0);
  join: () => Promise<void> = () => Promise.resolve();
  readonly #peers = collectPeers();
  #cleaning: (() => void)[] = [];

  async #options(choices: Omit<Choices, 'farSide' | 'trap'>): Promise<CallOptions> {
    const camera = await createSyntheticCamera();
    this.#cleaning.push(() => camera.stop());
    return {
      role: 'loopback',
      mode: 'control',
      minBitrateBps: 100_000,
      maxBitrateBps: 2_500_000,
      startBitrateBps: 300_000,
      originEpochMs: Date.now(),
      ...choices,
      track: camera.track,
      onTrace: (batch, side) => this.recorded.push({ batch, side }),
      onEvent: (event) => this.recorded.push({ event }),
      onStatus: (status) => {
        for (const { code } of status.notices) this.noticed.add(code);
      },
    };
  }

  async start(choices: Choices = {}): Promise<void> {
    const { farSide = 'ccscope', trap, ...rest } = choices;
    const wasm = trap === undefined ? {} : { wasmUrl: await this.trapped(trap) };
    const options = await this.#options({ ...rest, ...wasm });
    if (options.role === 'loopback') this.call = await createCall(options);
    else await this.#startHalf(options, farSide);
    if (options.role !== 'send') this.#show(this.call?.remoteStream ?? null);
  }

  /** Attaches to a connection that ccscope did not make. */
  async attach(): Promise<void> {
    const options = await this.#options({});
    const own = await ownConnection(options.track as MediaStreamTrack, options);
    this.own = own;
    this.#cleaning.push(() => own.stop());
    if (own.received !== undefined) this.#show(new MediaStream([own.received.track]));
    this.farFrames = async () => {
      const report = (await own.received?.getStats()) as
        ReadonlyMap<string, { framesDecoded?: number }> | undefined;
      return Math.max(0, ...[...(report?.values() ?? [])].map((stat) => stat.framesDecoded ?? 0));
    };
  }

  /** Video frames that this page's connections got from their sources (`media-source.frames`) and encoded. */
  async framesSent(): Promise<{ captured: number; encoded: number }> {
    const open = this.#peers.filter(({ connectionState }) => connectionState !== 'closed');
    const reports = await Promise.all(open.map((peer) => peer.getStats()));
    type Stat = { type: string; frames?: number; framesEncoded?: number };
    const stats = reports.flatMap((report) => [...(report as ReadonlyMap<string, Stat>).values()]);
    const total = (wanted: string, key: 'frames' | 'framesEncoded') =>
      stats.reduce((sum, stat) => sum + (stat.type === wanted ? (stat[key] ?? 0) : 0), 0);
    return { captured: total('media-source', 'frames'), encoded: total('outbound-rtp', 'framesEncoded') };
  }

  #show(stream: MediaStream | null): void {
    const video = document.querySelector('video');
    if (video !== null) video.srcObject = stream;
  }

  async #startHalf(options: CallOptions, farSide: NonNullable<Choices['farSide']>): Promise<void> {
    const [near, far] = signallingPair();
    if (farSide === 'ccscope' || farSide === 'later') {
      const role = options.role === 'send' ? 'receive' : 'send';
      this.join = async () => {
        this.other = await createCall({ ...options, role, signalling: far });
      };
      if (farSide === 'ccscope') await this.join();
    } else if (options.role === 'receive') {
      this.#cleaning.push(await plainSender(far, farSide === 'noise'));
    } else {
      const plain = plainReceiver(far);
      this.farFrames = plain.frames;
      this.#cleaning.push(plain.stop);
    }
    this.call = await createCall({ ...options, signalling: near });
  }

  /** The URL of a core in which this exported function traps. */
  async trapped(name: string): Promise<string> {
    const module = new Uint8Array(await (await fetch(wasmUrl)).arrayBuffer());
    return URL.createObjectURL(new Blob([trapExport(module, name)], { type: 'application/wasm' }));
  }

  /** All rows of a table, in order. */
  rows(table: TableName): Row[] {
    return rowsOf(
      this.recorded.flatMap((item) => ('batch' in item ? [item.batch] : [])),
      table,
    );
  }

  /** The names of the recorded tables and events, in the order of recording. */
  order(): string[] {
    return this.recorded.map((item) => ('batch' in item ? item.batch.table : `event:${item.event.name}`));
  }

  /**
   * Replays the recorded inputs through a fresh receiver half, i.e. the controller's part at the receiver. Resolves
   * with how many `group` rows the call recorded, how many the replay made, and how many differ in any bit.
   */
  async replay(
    parameters: Record<string, number>,
  ): Promise<{ live: number; again: number; different: number }> {
    const half = (await loadCore(wasmUrl)).createReceiver({ preset: 'gcc-live', parameters });
    for (const item of this.recorded) {
      if ('event' in item) {
        const { name, detail } = item.event;
        const { name: parameter, value } = detail as { name: string; value: number };
        if (name === 'parameter') half.setParameter(parameter, value);
      } else if (item.side === 'receiver') {
        feed(half, item.batch);
      }
    }
    const live = this.rows('group').filter(({ flow }) => flow === 0);
    const again = rowsOf(half.drain(), 'group');
    half.destroy();
    const differs = (row: Row, i: number) =>
      Object.entries(row).some(([name, value]) => !Object.is(value, again[i]?.[name]));
    return { live: live.length, again: again.length, different: live.filter(differs).length };
  }

  /** Terminates a media worker (0: sender, 1: receiver). */
  kill(index: number): void {
    workers.filter(({ url }) => url.includes('entry'))[index]?.worker.terminate();
  }

  async stop(): Promise<void> {
    await this.call?.close();
    await this.other?.close();
    for (const clean of this.#cleaning) clean();
  }
}

declare global {
  interface Window {
    harness: Harness;
  }
}
watch();
window.harness = new Harness();
