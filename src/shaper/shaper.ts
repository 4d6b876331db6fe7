/**
 * The shaper between two peers: a pair of sockets (socket_pair.ts), and the path between them in a separate thread.
 * Packets from A to B go through the link. Packets from B to A are only delayed, by half the RTT.
 */
import type { LinkStats } from '../core/link.js';
import {
  DEFAULT_LINK_CONFIG,
  forwardChange,
  parseLinkConfig,
  type LinkConfig,
  type PartialLinkConfig,
} from '../link/link_config.js';
import type { LatenessMs, LinkRow, QueueRow, RelayAddress } from '../link/server_protocol.js';
import { settingsOfConfig } from '../link/settings.js';
import { settingsText } from '../link/settings_text.js';
import type { LinkRecord } from '../calls/record/record.js';
import { capacitySource } from './capacity.js';
import { CapacityFeeds } from './capacity_feeds.js';
import type { PathSettings } from './path_settings.js';
import { isLoopback, type PeersOption, type PeerUfrags } from './relay/peers.js';
import type { PathBatch } from './thread/protocol.js';
import { openRecordedLink, type RecordedLink } from './recorded_link.js';
import { isPort, ShaperError, UNLIMITED_BPS } from './udp.js';

export { ShaperError } from './udp.js';

export interface ShaperOptions {
  config?: PartialLinkConfig;
  /**
   * A trace of mahimahi's, its text or the path of its file. It takes the place of the capacity in `config` until the
   * capacity is changed, and is repeated without end.
   */
  trace?: string;
  /** Address to bind; default 127.0.0.1. */
  address?: string;
  /** Address that is announced to the peers; default `address`. */
  announce?: string;
  /** Ports of the sockets a and b; default: free ones. */
  ports?: readonly [a: number, b: number];
  /** Who may use the shaper; default `ice`. */
  peers?: PeersOption;
  /** The value of the column `link` in the link's trace rows; default 0. */
  linkNumber?: number;
  /** Whether to record what happens to each packet; default: no. */
  record?: boolean;
  /** The file that the thread runs. Default: thread/link_thread.js. */
  thread?: URL;
}

/** The statistics that are counters: they never decrease. */
const COUNTERS = [
  'offeredPackets',
  'offeredBytes',
  'lostPackets',
  'droppedPackets',
  'droppedBytes',
  'drops',
  'departedPackets',
  'departedBytes',
  'deliveredPackets',
  'deliveredBytes',
  'crossDepartedBytes',
  'crossDrops',
] as const satisfies readonly (keyof LinkStats)[];
type Counter = (typeof COUNTERS)[number];

/** Returns the link's settings for the forward direction, and half the RTT for the backward direction. */
function pathSettingsOf(config: PartialLinkConfig): PathSettings {
  const { schedule: _, capacityBps: __, seed: ___, ...options } = forwardChange(config);
  const { capacity } = config;
  const { oneWayDelayUs } = options;
  return {
    forward: {
      options,
      ...(capacity !== undefined && { capacity: capacitySource(capacity, 'link.capacity') }),
    },
    backward: { options: oneWayDelayUs === undefined ? {} : { oneWayDelayUs } },
  };
}

/**
 * Binds the sockets. Rejects with ConfigError for invalid settings. Rejects with ShaperError for sockets that
 * cannot be bound, for peers with an impossible port, and for `first-datagram` with an address that other machines
 * can reach.
 */
export async function startShaper(options: ShaperOptions = {}): Promise<Shaper> {
  const { address = '127.0.0.1', ports = [0, 0], peers = 'ice', record = false, trace } = options;
  if (peers === 'first-datagram' && !isLoopback(address)) {
    throw new ShaperError(
      `peers: expected the addresses of both peers, since other machines can reach ${address} and could be mistaken for a peer; give both addresses, or 'ice'`,
    );
  }
  if (typeof peers === 'object' && !(isPort(peers.a.port) && isPort(peers.b.port))) {
    throw new ShaperError(
      `peers: expected ports from 1 to 65535, got ${peers.a.port} and ${peers.b.port}; give the ports from which the peers send`,
    );
  }
  const config = { ...DEFAULT_LINK_CONFIG, ...parseLinkConfig(options.config ?? {}) };
  const settings = settingsOfConfig(config);
  const { forward, backward } = pathSettingsOf(config);
  const feeds = new CapacityFeeds();
  const { change, commit } = feeds.begin({
    forward: {
      ...forward,
      ...(trace !== undefined && { capacity: capacitySource({ mahimahi: trace }, 'trace') }),
    },
    backward: { ...backward, capacity: capacitySource(UNLIMITED_BPS, 'link.backward.capacity') },
  });
  let shaper: Shaper | null = null;
  const link = await openRecordedLink({
    sockets: { kind: 'pair', address, ports, peers },
    tellsPackets: record,
    begin: { change, text: settingsText(settings), settings },
    feeds,
    seed: config.seed,
    originEpochMs: config.origin_epoch_ms,
    thread: options.thread,
    hooks: {
      batch: (batch) => shaper?.take(batch),
      died: () => shaper?.carryOn(),
      ended: (error) => shaper?.fail(error),
    },
  });
  commit();
  shaper = new Shaper(link, config, options);
  await link.sync();
  return shaper;
}

export class Shaper {
  readonly a: RelayAddress;
  readonly b: RelayAddress;
  /** Called ten times a second with the newest row about the queue. */
  onRows: (rows: LinkRow[]) => void = () => undefined;
  /** Called when a socket or the thread has failed permanently; the shaper is then closed. */
  onError: (error: Error) => void = () => undefined;
  #failure: Error | null = null;
  #changing: Promise<unknown> = Promise.resolve();
  #config: Required<LinkConfig>;
  readonly #linkNumber: number;
  #latest: PathBatch | null = null;
  /** The sums of the counters over the threads that have ended. */
  #counted: Partial<Record<Counter, number>> = {};
  #firstPacketUs: number | null = null;
  #start: () => void = () => undefined;
  /** Resolves with the first packet from peer A. */
  readonly started = new Promise<void>((resolve) => (this.#start = resolve));
  /** The end of the second that takeRecentLatenessP95Ms reported last. */
  #toldUs = -Infinity;

  /**
   * Use startShaper.
   *
   * @internal
   */
  constructor(
    private readonly link: RecordedLink,
    config: LinkConfig,
    { address = '127.0.0.1', announce = address, linkNumber = 0 }: ShaperOptions,
  ) {
    this.#config = { ...config, origin_epoch_ms: link.originEpochMs };
    this.#linkNumber = linkNumber;
    this.a = { ...link.address('a'), address: announce };
    this.b = { ...link.address('b'), address: announce };
  }

  get config(): Readonly<Required<LinkConfig>> {
    return this.#config;
  }

  /**
   * The record of the link. It contains packets only with the option `record`. Its times are relative to
   * `origin_epoch_ms` of the configuration.
   */
  get record(): LinkRecord {
    return this.link.record;
  }

  /**
   * The arrival time of the first packet from peer A, on the record's clock; null before that packet. The initial
   * capacity schedule starts at this time.
   */
  get firstPacketUs(): number | null {
    return this.#firstPacketUs;
  }

  /** The record's clock. */
  nowUs(): number {
    return this.link.nowUs();
  }

  /**
   * Changes settings at once. A new capacity schedule starts now or, if peer A has sent no packet yet, with
   * the first packet from A. Rejects with ConfigError for invalid settings, and then changes nothing. Rejects
   * with ShaperError after the shaper has ended.
   */
  set(change: PartialLinkConfig): Promise<void> {
    // Changes are applied one after the other, so that each builds on the configuration that the last one left.
    const done = this.#changing.then(() => this.#set(change));
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #set(change: PartialLinkConfig): Promise<void> {
    // The seed and the origin only apply when a link is opened.
    const { seed: _, origin_epoch_ms: __, ...settings } = parseLinkConfig(change);
    const config = { ...this.#config, ...settings };
    await this.link.change(pathSettingsOf(settings), settingsText(settingsOfConfig(config)));
    this.#config = config;
  }

  /**
   * Sets the username fragments that the peers may use. A peer's session description contains its fragment
   * (a=ice-ufrag). From then on, checks with other fragments are ignored. To keep an earlier connection,
   * include its fragments. Has an effect only if the option `peers` is `ice`.
   */
  expect(ufrags: PeerUfrags): void {
    this.link.expect(ufrags);
  }

  /** Resolves when everything that has happened so far is in the record and in `stats`. */
  sync(): Promise<void> {
    return this.link.sync();
  }

  /** The statistics of the forward direction, at most a tenth of a second old. */
  stats(): LinkStats {
    if (this.#latest === null)
      throw new ShaperError('the link has reported nothing yet; await `sync()` first');
    const stats = { ...this.#latest.forward.stats };
    for (const name of COUNTERS) stats[name] += this.#counted[name] ?? 0;
    return stats;
  }

  /** The queue of the forward direction, at most a tenth of a second old. */
  row(): QueueRow {
    if (this.#latest === null)
      throw new ShaperError('the link has reported nothing yet; await `sync()` first');
    return { ...this.#latest.forward.row, link: this.#linkNumber };
  }

  /** Percentiles of the lateness of sent packets, over both directions. */
  latenessMs(): LatenessMs {
    const { p50, p95, p99, packets } = this.link.record.latenessMs ?? {
      p50: NaN,
      p95: NaN,
      p99: NaN,
      packets: 0,
    };
    return { p50_ms: p50, p95_ms: p95, p99_ms: p99, packets };
  }

  /**
   * The 95th percentile of the packets' lateness in the latest second with packets. Null if there was no such
   * second yet, or if its percentile has been returned already.
   */
  takeRecentLatenessP95Ms(): number | null {
    const latest = this.link.record.late.at(-1);
    if (latest === undefined || latest.timeUs <= this.#toldUs) return null;
    this.#toldUs = latest.timeUs;
    return latest.lateMs;
  }

  /** Closes the sockets; packets in flight are lost. Further calls do nothing. */
  close(): Promise<void> {
    return this.link.close();
  }

  /** Why the shaper has ended permanently; null while it runs. */
  get failure(): Error | null {
    return this.#failure;
  }

  /**
   * To be called when the thread has ended and no replacement will start.
   *
   * @internal
   */
  fail(error: Error): void {
    this.#failure = error;
    this.onError(error);
  }

  /**
   * To be called when a new thread replaces a thread that has ended. The new thread counts from 0, so the counts so
   * far are kept here.
   *
   * @internal
   */
  carryOn(): void {
    if (this.#latest === null) return;
    const stats = this.stats();
    this.#counted = Object.fromEntries(COUNTERS.map((name) => [name, stats[name]]));
  }

  /**
   * Processes the thread's reports.
   *
   * @internal
   */
  take(batch: PathBatch): void {
    this.#latest = batch;
    this.#firstPacketUs ??= batch.startUs;
    if (this.#firstPacketUs !== null) this.#start();
    this.onRows([{ ...this.row(), cross_delivered_bytes: this.stats().crossDepartedBytes }]);
  }
}
