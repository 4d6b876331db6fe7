/** The shaper of a test: a relay in a thread of its own, and the record that it fills. */
import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

import { ConfigError } from '../../scenario/link_config.js';
import type { RemoteSide } from '../../inject/protocol.js';
import type { RelayAddress } from '../../scenario/server_protocol.js';
import type { LinkRecord } from '../observe/record.js';
import { CapacityFeeds } from './capacity_feeds.js';
import type { LinkChange, ShaperLink } from './controlled_link.js';
import { Interruptions } from './interruptions.js';
import { hrtimeUs, LastingThread } from './lasting_thread.js';
import { appendPackets, boundDirection, emptyLinkRecord, noteLate, notePause } from './link_record.js';
import { DIRECTIONS, type Direction } from './path.js';
import type { FromThread, ThreadSetup } from './protocol.js';
import { parseLinkSettings, pathSettings, withDefaults, type LinkSettings } from './settings.js';
import { settingsText } from './settings_text.js';
import { ShaperError } from './udp.js';

export interface ShaperLinkOptions {
  settings?: LinkSettings;
  /** UDP port of the relay; default: any that is free. */
  port?: number;
  /** Where the record's times have their zero: milliseconds since 1970. Default: now. */
  originEpochMs?: number;
  /** The module of the thread; default: the shaper's own. */
  thread?: URL;
}

/** The thread runs the compiled file; sources that are run as they are have it in the build beside them. */
function threadFile(): URL {
  const beside = new URL('./link_thread.js', import.meta.url);
  return existsSync(beside)
    ? beside
    : new URL('../../../dist/lib/node/shaper/link_thread.js', import.meta.url);
}

/** Rejects with ConfigError for settings, ShaperError for a port that cannot be bound. */
export async function openShaperLink(options: ShaperLinkOptions = {}): Promise<ShaperLink> {
  const epochMs = performance.timeOrigin + performance.now();
  const originEpochMs = options.originEpochMs ?? Math.floor(epochMs);
  const zeroUs = hrtimeUs() - (epochMs - originEpochMs) * 1e3;
  const settings = withDefaults(parseLinkSettings(options.settings ?? {}));
  const feeds = new CapacityFeeds();
  const { change, commit } = feeds.begin(pathSettings(settings));
  const setup: ThreadSetup = { port: options.port ?? 0, zeroUs, seed: settings.seed ?? 1, change };
  const link = new WorkerLink(options.thread ?? threadFile(), setup, feeds, originEpochMs);
  try {
    await link.opened;
    commit();
  } catch (error) {
    await link.close();
    throw error;
  }
  link.record.changes.push({ timeUs: hrtimeUs() - zeroUs, text: settingsText(settings) });
  return link;
}

class WorkerLink implements ShaperLink {
  readonly backend = 'shaper';
  readonly record: LinkRecord = emptyLinkRecord('shaper');
  readonly opened: Promise<RelayAddress>;
  readonly #thread: LastingThread;
  readonly #interruptions = new Interruptions(this.record);
  readonly #zeroUs: number;
  #relay: RelayAddress | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    file: URL,
    setup: ThreadSetup,
    private readonly feeds: CapacityFeeds,
    readonly originEpochMs: number,
  ) {
    this.#zeroUs = setup.zeroUs;
    let refuse: (error: ShaperError) => void = () => undefined;
    let open: (relay: RelayAddress) => void = () => undefined;
    this.opened = new Promise((resolve, reject) => ([open, refuse] = [resolve, reject]));
    this.#thread = new LastingThread(file, setup, {
      ready: (relay) => open((this.#relay = relay)),
      flow: ({ flow }) => this.#interruptions.flow(flow),
      batch: (batch) => this.#take(this.#interruptions.batch(batch)),
      died: (why) => this.#interruptions.begin(why, hrtimeUs() - this.#zeroUs),
      ended: (error) => {
        refuse(error);
        this.#end(error);
      },
    });
    feeds.onSteps = (directions, steps) => this.#thread.extend(directions, steps);
    feeds.onFailure = (error) => this.#notice('capacity-function', error.message, 'correct the function');
  }

  get relay(): RelayAddress {
    if (this.#relay === null) throw new ShaperError('the link is not open; await openShaperLink first');
    return this.#relay;
  }

  async set(settings: LinkSettings): Promise<LinkChange> {
    const parsed = parseLinkSettings(settings);
    if (parsed.seed !== undefined)
      throw new ConfigError(
        'link.seed',
        'no seed in a change',
        String(parsed.seed),
        'give it when the link is opened',
      );
    const { change, commit } = this.feeds.begin(pathSettings(parsed));
    const timeUs = await this.#thread.ask({ kind: 'set', change });
    commit();
    const text = settingsText(parsed);
    this.record.changes.push({ timeUs, text });
    return { timeUs, settings: parsed, text };
  }

  async sync(): Promise<void> {
    await this.#thread.ask({ kind: 'sync' });
  }

  remote(side: RemoteSide): void {
    const candidates = side.candidates.map(({ address, port }) => ({ address, port }));
    this.#thread.agent({ kind: 'remote', side: { ...side, candidates } });
  }

  local(ufrag: string): void {
    this.#thread.agent({ kind: 'local', ufrag });
  }

  close(): Promise<void> {
    this.feeds.close();
    this.#closing ??= this.#thread.close();
    return this.#closing;
  }

  #take(batch: Extract<FromThread, { kind: 'batch' }>): void {
    for (const direction of DIRECTIONS) {
      const { packets, row, capacity } = batch[direction];
      const record = this.record[direction];
      if (record === null) continue;
      appendPackets(record.packets, packets);
      record.rows.push(row);
      record.capacity.push(...capacity);
      if (boundDirection(record)) this.#noticeBound(direction);
      const startUs = this.#thread.scheduleStartUs(direction, batch[direction]);
      if (startUs !== null) this.feeds.started(direction, this.#zeroUs + startUs - hrtimeUs());
    }
    if (batch.pause !== null) notePause(this.record, batch.pause);
    if (batch.late !== null) noteLate(this.record, batch.late);
    this.record.latenessMs = this.#interruptions.latenessMs(batch.lateness);
  }

  /** The thread is of no use any more. */
  #end({ message }: ShaperError): void {
    this.feeds.close();
    this.#interruptions.giveUp();
    this.#notice('shaper-failed', message, 'run the test again; its packets pass no link any more');
  }

  #noticeBound(direction: Direction): void {
    this.record.notices.push({
      level: 'warning',
      code: `packets-dropped-${direction}`,
      message: `The record of the link (${direction}) is full: what is oldest is dropped, see keptFromUs.`,
      fix: 'judge and report more often than once an hour',
    });
  }

  #notice(code: string, message: string, fix: string): void {
    this.record.notices.push({ level: 'error', code, message, fix });
  }
}
