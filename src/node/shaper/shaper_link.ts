/** The shaper of a test: a relay in a thread of its own, and the record that it fills. */
import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { hrtime } from 'node:process';
import { Worker } from 'node:worker_threads';

import { ConfigError } from '../../scenario/link_config.js';
import type { RelayAddress } from '../../scenario/server_protocol.js';
import type { LinkRecord } from '../observe/record.js';
import { CapacityFeeds } from './capacity_feeds.js';
import type { LinkChange, ShaperLink } from './controlled_link.js';
import { appendPackets, emptyLinkRecord } from './link_record.js';
import { DIRECTIONS } from './path.js';
import type { FromThread, LinkRequest, ThreadProblem, ThreadSetup, ToThread } from './protocol.js';
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

/** Options of the test's own process, as its loaders, are not for the thread. */
const startThread = (file: URL, workerData: ThreadSetup): Worker =>
  new Worker(file, { workerData, execArgv: [], name: 'ccscope shaper' });

const hrtimeUs = (): number => {
  const [s, ns] = hrtime();
  return s * 1e6 + ns / 1e3;
};

/** Rejects with ConfigError for settings, ShaperError for a port that cannot be bound. */
export async function openShaperLink(options: ShaperLinkOptions = {}): Promise<ShaperLink> {
  const epochMs = performance.timeOrigin + performance.now();
  const originEpochMs = options.originEpochMs ?? Math.floor(epochMs);
  const zeroUs = hrtimeUs() - (epochMs - originEpochMs) * 1e3;
  const settings = withDefaults(parseLinkSettings(options.settings ?? {}));
  const feeds = new CapacityFeeds();
  const { change, commit } = feeds.begin(pathSettings(settings));
  const setup: ThreadSetup = { port: options.port ?? 0, zeroUs, seed: settings.seed ?? 1, change };
  const link = new WorkerLink(
    startThread(options.thread ?? threadFile(), setup),
    feeds,
    originEpochMs,
    zeroUs,
  );
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

interface Pending {
  resolve(timeUs: number): void;
  reject(error: Error): void;
}

/** Errors by name: the classes do not survive the way out of a thread. */
function errorOf({ name, message, field }: ThreadProblem): Error {
  if (name === 'ShaperError') return new ShaperError(message);
  if (field !== undefined)
    return new ConfigError(`link.${field}`, message, 'another value', 'correct this value');
  return new ShaperError(`the shaper failed: ${name}: ${message}; open the link again`);
}

class WorkerLink implements ShaperLink {
  readonly backend = 'shaper';
  readonly record: LinkRecord = emptyLinkRecord('shaper');
  readonly opened: Promise<RelayAddress>;
  #open: { resolve(relay: RelayAddress): void; reject(error: Error): void } | null = null;
  #relay: RelayAddress | null = null;
  #nextId = 1;
  readonly #pending = new Map<number, Pending>();
  /** Why nothing can be asked any more. */
  #ended: ShaperError | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    private readonly worker: Worker,
    private readonly feeds: CapacityFeeds,
    readonly originEpochMs: number,
    private readonly zeroUs: number,
  ) {
    this.opened = new Promise((resolve, reject) => (this.#open = { resolve, reject }));
    worker.on('message', (message: FromThread) => this.#hear(message));
    worker.on('error', (error) => this.#end(error.message));
    worker.on('exit', (code) => this.#end(`its thread ended with code ${code}`));
    feeds.onSteps = (directions, steps) => this.#tell({ kind: 'extend', directions, steps });
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
    const timeUs = await this.#ask({ kind: 'set', change });
    commit();
    const text = settingsText(parsed);
    this.record.changes.push({ timeUs, text });
    return { timeUs, settings: parsed, text };
  }

  async sync(): Promise<void> {
    await this.#ask({ kind: 'sync' });
  }

  remote(ufrag: string, candidates: readonly RelayAddress[]): void {
    this.#tell({
      kind: 'remote',
      ufrag,
      candidates: candidates.map(({ address, port }) => ({ address, port })),
    });
  }

  local(ufrag: string): void {
    this.#tell({ kind: 'local', ufrag });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.feeds.close();
    if (this.#ended === null) await this.#ask({ kind: 'close' }).catch(() => undefined);
    this.#ended ??= new ShaperError('the link is closed; open another one');
    this.#settle(this.#ended);
    await this.worker.terminate();
  }

  #tell(message: ToThread): void {
    if (this.#ended === null) this.worker.postMessage(message);
  }

  #ask(request: LinkRequest): Promise<number> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    // While somebody waits for an answer the process does not end for lack of work.
    this.worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.worker.postMessage({ ...request, id });
    });
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        this.#relay = message.relay;
        // A test that forgot to close its link can end nevertheless.
        this.worker.unref();
        this.#open?.resolve(message.relay);
        return;
      case 'done':
        this.#answered(message.id)?.resolve(message.timeUs);
        return;
      case 'failed':
        if (message.id === null) this.#end(errorOf(message.problem));
        else this.#answered(message.id)?.reject(errorOf(message.problem));
        return;
      case 'flow':
        this.record.flows.push(message.flow);
        return;
      case 'batch':
        this.#take(message);
    }
  }

  #answered(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.worker.unref();
    return pending;
  }

  #take(batch: Extract<FromThread, { kind: 'batch' }>): void {
    for (const direction of DIRECTIONS) {
      const { packets, row, capacity, scheduleStartUs } = batch[direction];
      const record = this.record[direction];
      if (record === null) continue;
      appendPackets(record.packets, packets);
      record.rows.push(row);
      record.capacity.push(...capacity);
      if (scheduleStartUs !== null) this.feeds.started(direction, this.zeroUs + scheduleStartUs - hrtimeUs());
    }
    const { p50_ms: p50, p95_ms: p95, p99_ms: p99, packets } = batch.lateness;
    if (packets > 0) this.record.latenessMs = { p50, p95, p99, packets };
  }

  /** The thread is of no use any more. */
  #end(why: string | ShaperError | Error): void {
    if (this.#ended !== null || this.#closing !== null) return;
    this.#ended =
      why instanceof Error
        ? why instanceof ShaperError
          ? why
          : new ShaperError(why.message)
        : new ShaperError(`the shaper failed: ${why}; open the link again`);
    this.feeds.close();
    this.#settle(this.#ended);
    this.#notice(
      'shaper-failed',
      this.#ended.message,
      'run the test again; its packets pass no link any more',
    );
  }

  #settle(error: ShaperError): void {
    this.#open?.reject(error);
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    this.worker.unref();
  }

  #notice(code: string, message: string, fix: string): void {
    this.record.notices.push({ level: 'error', code, message, fix });
  }
}
