/** A path of a link, as seen from outside the shaping thread: its settings, and the record that it fills. */
import { ConfigError } from '../text/quantities.js';
import { pageName } from '../calls/record/names.js';
import type { LinkRecord, PathRecord, RecordNotice } from '../calls/record/record.js';
import { CapacityFeeds } from './capacity_feeds.js';
import type { LinkChange, PathControl } from './controlled_link.js';
import { hrtimeUs, type LastingThread } from './thread/lasting_thread.js';
import { appendPackets, boundDirection, emptyPathRecord } from './link_record.js';
import { DIRECTIONS, type Direction } from '../core/direction.js';
import type { PathBatch } from './thread/protocol.js';
import { given, parseLinkSettings, type LinkSettings } from '../link/settings.js';
import { pathSettings, type PathSettings } from './path_settings.js';
import { settingsText } from '../link/settings_text.js';

export interface PathContext {
  thread: LastingThread;
  /** The zero of the record's times, on the clock of process.hrtime. */
  zeroUs: number;
  link: LinkRecord;
  /** Whether the whole record is kept. If false, only its latest part is kept: nothing reads the rest. */
  isKept: boolean;
}

/** Checks settings that a test applies to an open link. Throws ConfigError. */
export function parseChange(settings: LinkSettings): LinkSettings {
  const parsed = parseLinkSettings(settings);
  if (parsed.seed === undefined) return parsed;
  throw new ConfigError(
    'link.seed',
    'no seed in a change',
    String(parsed.seed),
    'set the seed when you open the link',
  );
}

/** Adds a notice to the record of a link, unless the record already has a notice with the same code. */
export function noticeOnce({ notices }: LinkRecord, notice: RecordNotice): void {
  if (!notices.some(({ code }) => code === notice.code)) notices.push(notice);
}

const nameOf = ({ page }: PathRecord): string => (page === null ? '' : ` of ${pageName(page)}`);

export class RecordedPath {
  constructor(
    readonly record: PathRecord,
    private readonly feeds: CapacityFeeds,
    private readonly context: PathContext,
  ) {
    const { page } = record;
    feeds.onSteps = (directions, steps) => context.thread.extend(page, directions, steps);
    feeds.onFailure = ({ message }) =>
      context.link.notices.push({
        level: 'error',
        code: 'capacity-function',
        message,
        fix: 'correct the function',
      });
  }

  /** Applies settings that parseChange accepted. */
  async set(settings: LinkSettings): Promise<LinkChange> {
    const text = settingsText(settings);
    return { timeUs: await this.change(pathSettings(settings), text), settings, text };
  }

  /**
   * Applies settings to both directions or, if the thread refuses any of them, to none. Resolves to the time when the
   * change took effect.
   */
  async change(settings: PathSettings, text: string): Promise<number> {
    const { change, commit, revert } = this.feeds.begin(settings);
    try {
      const timeUs = await this.context.thread.ask({ kind: 'set', owner: this.record.page, change });
      commit();
      if (!this.context.isKept) this.record.changes.length = 0;
      this.record.changes.push({ timeUs, text });
      return timeUs;
    } catch (error) {
      revert();
      throw error;
    }
  }

  /** Processes the thread's reports about this path. */
  take(batch: PathBatch): void {
    const { thread, zeroUs, isKept } = this.context;
    for (const direction of DIRECTIONS) {
      const { packets, row, capacity } = batch[direction];
      const record = this.record[direction];
      if (record === null) continue;
      if (!isKept) record.rows.length = record.capacity.length = 0;
      appendPackets(record.packets, packets);
      record.rows.push(row);
      record.capacity.push(...capacity);
      if (boundDirection(record)) this.#noticeBound(direction);
      const startUs = thread.scheduleStartUs(batch.owner, direction, batch[direction]);
      if (startUs !== null) this.feeds.started(direction, zeroUs + startUs - hrtimeUs());
    }
  }

  /** Stops calling capacity functions. */
  close(): void {
    this.feeds.close();
  }

  #noticeBound(direction: Direction): void {
    noticeOnce(this.context.link, {
      level: 'warning',
      code: `packets-dropped-${this.record.page ?? 'shared'}-${direction}`,
      message: `The record of the link${nameOf(this.record)} (${direction}) is full: its oldest data were dropped (see \`keptFromUs\`).`,
      fix: 'make assertions and reports more often, before their data are dropped',
    });
  }
}

/** The paths of different pages have different seeds. */
const SEED_STEP = 7_000_003;
const MAX_SEED = 2 ** 32;

/** A page's own path. The first change opens the path. */
export class OwnPath implements PathControl {
  #path: RecordedPath | null = null;
  #opening: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly page: number,
    /**
     * The initial settings of the shared link. The page's path starts with these settings, modified by the first
     * `set`.
     */
    private readonly settings: LinkSettings,
    private readonly context: PathContext,
    /** Throws ConfigError if the page cannot have its own path. */
    private readonly check: () => void,
  ) {}

  get path(): RecordedPath | null {
    return this.#path;
  }

  get record(): PathRecord | null {
    return this.#path?.record ?? null;
  }

  set(settings: LinkSettings): Promise<LinkChange> {
    // Changes are applied one after the other; the first one opens the path.
    const change = this.#opening.then(() => this.#set(parseChange(settings)));
    this.#opening = change.catch(() => undefined);
    return change;
  }

  async #set(settings: LinkSettings): Promise<LinkChange> {
    if (this.#path !== null) return this.#path.set(settings);
    this.check();
    const begin = beginOf(given(this.settings), given(settings));
    const { thread, link } = this.context;
    const feeds = new CapacityFeeds();
    const { change, commit } = feeds.begin(pathSettings(begin));
    const seed = ((begin.seed ?? 1) + SEED_STEP * (this.page + 1)) % MAX_SEED;
    const record = emptyPathRecord(this.page);
    // The path must exist before the thread's first batch about it arrives.
    this.#path = new RecordedPath(record, feeds, this.context);
    try {
      // Until now the page's packets used the shared path. This request completes the record of the shared path's
      // capacity, which is copied below.
      await thread.ask({ kind: 'sync' });
      const timeUs = await thread.ask({ kind: 'open', owner: this.page, seed, change });
      commit();
      for (const direction of DIRECTIONS) {
        const before = link[direction]?.capacity.filter((step) => step.timeUs < timeUs) ?? [];
        record[direction]?.capacity.unshift(...before);
      }
      const text = settingsText(begin);
      record.changes.push({ timeUs, text });
      link.own.push(record);
      return { timeUs, settings: begin, text };
    } catch (error) {
      this.#path = null;
      throw error;
    }
  }
}

/**
 * Returns the initial settings of a page's own path: the link's settings, overridden by `change`. A `network` (a
 * preset for the whole link) in `change` replaces all of the link's settings except the seed.
 */
function beginOf(settings: LinkSettings, change: LinkSettings): LinkSettings {
  if (change.network !== undefined) return { ...change, seed: settings.seed };
  // A setting of both directions replaces the one of the backward direction as well. Cross traffic has a direction.
  const isKept = ([name]: [string, unknown]): boolean => name === 'crossTraffic' || !(name in change);
  const kept = Object.fromEntries(Object.entries(settings.backward ?? {}).filter(isKept));
  const backward = { ...kept, ...given(change.backward ?? {}) };
  const { backward: _, ...both } = { ...settings, ...change };
  return { ...both, ...(Object.keys(backward).length === 0 ? {} : { backward }) };
}
