/** A link whose packets are shaped in a separate thread, and the record that it fills. */
import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

import { timeZeroMs } from '../machine/index.js';
import { ConfigError } from '../text/quantities.js';
import type { RemoteSide } from '../inject/protocol.js';
import type { RelayAddress } from '../link/server_protocol.js';
import { pageName } from '../calls/record/names.js';
import type { LinkRecord, RelayFlow } from '../calls/record/record.js';
import type { CapacityFeeds } from './capacity_feeds.js';
import type { LinkChange, PathControl, ShaperLink } from './controlled_link.js';
import { Interruptions } from './thread/interruptions.js';
import { hrtimeUs, LastingThread } from './thread/lasting_thread.js';
import { emptyLinkRecord, noteLate, notePause, notePunctuality } from './link_record.js';
import type { PeerUfrags } from './relay/peers.js';
import type { PathBatch, PathChange, PathOwner, ThreadSetup, ThreadTick } from './thread/protocol.js';
import type { LinkSettings } from '../link/settings.js';
import type { PathSettings } from './path_settings.js';
import { noticeOnce, OwnPath, parseChange, RecordedPath, type PathContext } from './recorded_path.js';
import { ShaperError } from './udp.js';

/** Callbacks in addition to the record. */
export interface RecordedLinkHooks {
  batch?(batch: PathBatch): void;
  /** Called when the thread has ended and a replacement is starting. */
  died?(): void;
  /** Called when the thread has ended and no replacement will start. */
  ended?(error: Error): void;
}

export interface RecordedLinkOptions extends Pick<ThreadSetup, 'sockets' | 'tellsPackets'> {
  /**
   * The initial settings of the shared path. `change` is the message for the thread, `text` is readable text,
   * and `settings` are the settings with their defaults. Each page's own path starts from `settings`.
   */
  begin: { change: PathChange; text: string; settings: LinkSettings };
  /** Capacities that are functions of time. */
  feeds: CapacityFeeds;
  seed: number;
  /** The zero of the record's times, in milliseconds since 1970. Default: now. */
  originEpochMs?: number | undefined;
  /** The file that the thread runs. Default: thread/link_thread.js. */
  thread?: URL | undefined;
  hooks?: RecordedLinkHooks;
}

/** The thread runs the compiled file. If the sources are run directly, that file is in `dist/`. */
function threadFile(): URL {
  const beside = new URL('./thread/link_thread.js', import.meta.url);
  return existsSync(beside)
    ? beside
    : new URL('../../dist/lib/shaper/thread/link_thread.js', import.meta.url);
}

/** Rejects with ConfigError for settings that the core refuses, and with ShaperError if the port cannot be bound. */
export async function openRecordedLink(options: RecordedLinkOptions): Promise<RecordedLink> {
  const { sockets, tellsPackets, begin, feeds, seed } = options;
  const epochMs = timeZeroMs() + performance.now();
  const originEpochMs = options.originEpochMs ?? Math.floor(epochMs);
  const zeroUs = hrtimeUs() - (epochMs - originEpochMs) * 1e3;
  const setup: ThreadSetup = { sockets, tellsPackets, zeroUs, seed, change: begin.change };
  const file = options.thread ?? threadFile();
  const link = new RecordedLink(
    file,
    setup,
    feeds,
    begin.settings,
    originEpochMs,
    options.hooks ?? {},
    tellsPackets,
  );
  try {
    await link.opened;
  } catch (error) {
    await link.close();
    throw error;
  }
  link.record.changes.push({ timeUs: link.nowUs(), text: begin.text });
  return link;
}

export class RecordedLink implements ShaperLink {
  readonly backend = 'shaper';
  readonly record: LinkRecord = emptyLinkRecord('shaper');
  readonly opened: Promise<unknown>;
  readonly #thread: LastingThread;
  readonly #interruptions = new Interruptions(this.record);
  readonly #shared: RecordedPath;
  readonly #own = new Map<number, OwnPath>();
  /** The page that each username fragment (ICE ufrag) belongs to. */
  readonly #pages = new Map<string, number>();
  readonly #zeroUs: number;
  #where: Readonly<Record<'a' | 'b', RelayAddress>> | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    file: URL,
    setup: ThreadSetup,
    feeds: CapacityFeeds,
    private readonly settings: LinkSettings,
    readonly originEpochMs: number,
    private readonly hooks: RecordedLinkHooks,
    private readonly isKept: boolean,
  ) {
    this.#zeroUs = setup.zeroUs;
    let refuse: (error: Error) => void = () => undefined;
    let open: (where: unknown) => void = () => undefined;
    this.opened = new Promise((resolve, reject) => ([open, refuse] = [resolve, reject]));
    this.#thread = new LastingThread(file, setup, {
      ready: (where) => open((this.#where = where)),
      flow: ({ flow }) => this.#flow(flow),
      batch: (batch) => this.#batch(batch),
      tick: (tick) => this.#tick(tick),
      died: (why) => {
        this.#interruptions.begin(why, this.nowUs());
        this.hooks.died?.();
      },
      ended: (error) => {
        refuse(error);
        this.#end(error);
      },
    });
    this.#shared = new RecordedPath(this.record, feeds, this.#context);
  }

  /** The address at which every page reaches every peer. */
  get relay(): RelayAddress {
    return this.address('a');
  }

  /** The address that a peer sends to. With a relay, both peers have the same address. */
  address(peer: 'a' | 'b'): RelayAddress {
    if (this.#where === null)
      throw new ShaperError('the link is not open yet; await the call that opens it first');
    return this.#where[peer];
  }

  /** The record's clock. */
  nowUs(): number {
    return hrtimeUs() - this.#zeroUs;
  }

  async set(settings: LinkSettings): Promise<LinkChange> {
    return this.#shared.set(parseChange(settings));
  }

  /** Changes the settings of the shared path. Resolves to the time when the change took effect. */
  change(settings: PathSettings, text: string): Promise<number> {
    return this.#shared.change(settings, text);
  }

  for(page: number): PathControl {
    const own =
      this.#own.get(page) ?? new OwnPath(page, this.settings, this.#context, () => this.#mayHaveOwn(page));
    this.#own.set(page, own);
    return own;
  }

  async sync(): Promise<void> {
    await this.#thread.ask({ kind: 'sync' });
  }

  remote(side: RemoteSide): void {
    const candidates = side.candidates.map(({ address, port }) => ({ address, port }));
    this.#thread.agent({ kind: 'remote', side: { ...side, candidates } });
  }

  local(ufrag: string, page: number): void {
    this.#pages.set(ufrag, page);
    this.#thread.agent({ kind: 'local', ufrag, page });
  }

  /** Sets who may connect from now on. Only a pair of sockets uses this; a relay ignores it. */
  expect(ufrags: PeerUfrags): void {
    this.#thread.agent({ kind: 'expect', ufrags });
  }

  close(): Promise<void> {
    this.#closeFeeds();
    this.#closing ??= this.#thread.close();
    return this.#closing;
  }

  get #context(): PathContext {
    return {
      thread: this.#thread,
      zeroUs: this.#zeroUs,
      link: this.record,
      isKept: this.isKept,
    };
  }

  #pathOf(owner: PathOwner): RecordedPath | undefined {
    return owner === null ? this.#shared : (this.#own.get(owner)?.path ?? undefined);
  }

  #flow(flow: RelayFlow): void {
    this.#interruptions.flow(flow);
    const [first, second] = [flow.offererUfrag, flow.answererUfrag].map((ufrag) => this.#pages.get(ufrag));
    const have = this.record.own.map(({ page }) => page);
    if (first === undefined || second === undefined || first === second) return;
    if (!have.includes(first) || !have.includes(second)) return;
    noticeOnce(this.record, {
      level: 'warning',
      code: `one-of-two-links-${first}-${second}`,
      message: `${pageName(first)} and ${pageName(second)} are connected to each other, and each has its own link: their packets pass only the link of ${pageName(first)}, which made the offer.`,
      fix: `use only the link of ${pageName(first)}, or connect the pages through a server`,
    });
  }

  /**
   * Throws ConfigError if the page has answered an offer from another page under test. On such a connection, the
   * page's upload is the backward direction. On the page's own path, its upload would have to be the forward
   * direction.
   */
  #mayHaveOwn(page: number): void {
    const answered = this.record.flows.some(({ offererUfrag, answererUfrag }) => {
      const offerer = this.#pages.get(offererUfrag);
      return this.#pages.get(answererUfrag) === page && offerer !== undefined && offerer !== page;
    });
    if (!answered) return;
    throw new ConfigError(
      'link.for',
      'a page that has not answered an offer of another page under test',
      `${pageName(page)}, which answered one and is connected over the shared link`,
      'call link.for(page) before the page connects, or for the page that made the offer',
    );
  }

  #batch(batch: PathBatch): void {
    this.#pathOf(batch.owner)?.take(this.#interruptions.batch(batch));
    this.hooks.batch?.(batch);
  }

  #tick({ pause, late, lateness }: ThreadTick): void {
    if (pause !== null) notePause(this.record, pause);
    if (late !== null) {
      if (!this.isKept) this.record.late.length = 0;
      noteLate(this.record, late);
    }
    this.record.latenessMs = this.#interruptions.latenessMs(lateness);
    notePunctuality(this.record);
  }

  #closeFeeds(): void {
    this.#shared.close();
    for (const { path } of this.#own.values()) path?.close();
  }

  /** Called when the thread has ended and no replacement will start. */
  #end(error: Error): void {
    const { message } = error;
    this.#closeFeeds();
    this.#interruptions.giveUp();
    this.record.notices.push({
      level: 'error',
      code: 'shaper-failed',
      message,
      fix: 'packets no longer pass this link: open another one, or run the test again',
    });
    this.hooks.ended?.(error);
  }
}
