/**
 * Chrome's own throttling as the link of a test: no socket, no routing, and no record of packets. The link applies to
 * each attached page. Its forward direction is the page's upload, and its backward direction the page's download.
 * Packets between two attached pages are throttled at both pages. So with two or more attached pages, each page gets
 * half of the RTT and half of the loss. Changes take effect at once, even in the middle of a call.
 *
 * Measured in Chromium 156: a `latency` of 50 ms adds 102 ms to the RTT if it is set at one page, and 204 ms if it is
 * set at both. A limit of 500 kbps lets 487 kbps of video pass.
 */
import { performance } from 'node:perf_hooks';

import type { CDPSession, Page } from 'playwright-core';

import { ConfigError } from '../../text/quantities.js';
import type { LinkRecord } from '../../calls/record/record.js';
import { CapacityFeeds } from '../capacity_feeds.js';
import { CapacitySchedule } from '../packets/capacity_schedule.js';
import type { ControlledLink, LinkChange } from '../controlled_link.js';
import { conditionsOf, type Conditions } from './devtools_conditions.js';
import { emptyLinkRecord } from '../link_record.js';
import { DIRECTIONS, type Direction } from '../../core/direction.js';
import { timeZeroMs } from '../../machine/index.js';
import { parseLinkSettings, withDefaults, type LinkSettings } from '../../link/settings.js';
import { pathSettings } from '../path_settings.js';
import { settingsText } from '../../link/settings_text.js';
import { ShaperError } from '../udp.js';

export interface DevtoolsLink extends ControlledLink {
  readonly backend: 'devtools';
  /**
   * Applies the link to all connections of this page. Rejects with ConfigError if the page is closed or does not
   * belong to Chromium, and with ShaperError if the link is closed.
   */
  attach(page: Page): Promise<void>;
}

export interface DevtoolsLinkOptions {
  settings?: LinkSettings;
  /** The zero of the record's times, in milliseconds since 1970. Default: now. */
  originEpochMs?: number;
}

/** The interval at which capacities that change over time are updated. */
const TICK_MS = 50;

/** Throws ConfigError for settings that Chrome's throttling cannot apply. */
export function openDevtoolsLink(options: DevtoolsLinkOptions = {}): DevtoolsLink {
  return new CdpLink(options);
}

class CdpLink implements DevtoolsLink {
  readonly backend = 'devtools';
  readonly originEpochMs: number;
  readonly record: LinkRecord = emptyLinkRecord('devtools');
  readonly #sessions = new Set<CDPSession>();
  #conditions: Conditions = { latency: 0, packetLoss: 0, packetQueueLength: 0 };
  readonly #feeds = new CapacityFeeds();
  readonly #schedules = { forward: new CapacitySchedule(), backward: new CapacitySchedule() };
  /** The current capacity, in bit/s. */
  readonly #capacity: Record<Direction, number> = { forward: 0, backward: 0 };
  readonly #timer: NodeJS.Timeout;
  readonly #zeroMs = timeZeroMs();
  /** The conditions that were last sent to the pages, as JSON. */
  #sent = '';
  #isStarted = false;
  #closed = false;

  constructor({ settings = {}, originEpochMs }: DevtoolsLinkOptions) {
    this.originEpochMs = originEpochMs ?? Math.floor(this.#zeroMs + performance.now());
    const parsed = parseLinkSettings(settings);
    // The default queue of 300 ms is left out, since Chrome can limit a queue only in packets. A queue that the
    // settings do not mention has no limit.
    const { queue: _, ...usual } = withDefaults(parsed);
    this.#apply({ ...usual, ...(parsed.queue !== undefined && { queue: parsed.queue }) });
    this.#feeds.onSteps = (directions, steps) => {
      for (const direction of directions) this.#schedules[direction].extend(steps);
    };
    this.#feeds.onFailure = ({ message }) =>
      this.record.notices.push({
        level: 'error',
        code: 'capacity-function',
        message,
        fix: 'correct the function',
      });
    this.#timer = setInterval(() => void this.#send().catch(() => undefined), TICK_MS).unref();
  }

  async attach(page: Page): Promise<void> {
    if (this.#closed) throw new ShaperError('the link is closed; open another one');
    const session = await newSession(page);
    this.#sessions.add(session);
    this.#sent = '';
    page.once('close', () => this.#sessions.delete(session));
    this.#isStarted = true;
    for (const direction of DIRECTIONS) this.#schedules[direction].start(this.#nowUs());
    await this.#send();
  }

  async set(change: LinkSettings): Promise<LinkChange> {
    if (this.#closed) throw new ShaperError('the link is closed; open another one');
    const settings = parseLinkSettings(change);
    const text = this.#apply(settings);
    await this.#send();
    return { timeUs: this.#nowUs(), settings, text };
  }

  async sync(): Promise<void> {
    // The browser reports nothing about its packets, so there is nothing to wait for.
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    this.#feeds.close();
    const off = [...this.#sessions].map(async (session) => {
      await session.send('Network.emulateNetworkConditionsByRule', { matchedNetworkConditions: [] });
      await session.detach();
    });
    this.#sessions.clear();
    // Errors are ignored: a closed page needs no reset.
    await Promise.allSettled(off);
  }

  #apply(settings: LinkSettings): string {
    const conditions = conditionsOf(settings);
    const { change, commit } = this.#feeds.begin(pathSettings(settings));
    const startUs = this.#isStarted ? this.#nowUs() : null;
    for (const direction of DIRECTIONS) {
      const capacity = change[direction]?.capacity;
      if (capacity !== undefined)
        this.#capacity[direction] = this.#schedules[direction].replace(capacity, startUs);
    }
    commit();
    this.#conditions = { ...this.#conditions, ...conditions };
    const text = settingsText(settings);
    this.record.changes.push({ timeUs: this.#nowUs(), text });
    return text;
  }

  /** Sends the conditions to all pages if something changed. */
  async #send(): Promise<void> {
    this.#advance();
    const wanted = JSON.stringify([this.#conditions, this.#capacity, this.#sessions.size > 1]);
    if (wanted === this.#sent) return;
    this.#sent = wanted;
    for (const direction of DIRECTIONS) this.#note(direction, this.#capacity[direction]);
    // Errors are ignored: a closed page needs no conditions.
    await Promise.all([...this.#sessions].map((session) => this.#sendTo(session).catch(() => undefined)));
  }

  #advance(): void {
    const nowUs = this.#nowUs();
    for (const direction of DIRECTIONS) {
      const schedule = this.#schedules[direction];
      this.#capacity[direction] = schedule.advance(nowUs) ?? this.#capacity[direction];
      if (schedule.startUs !== null) this.#feeds.started(direction, schedule.startUs - nowUs);
    }
  }

  #note(direction: Direction, capacityBps: number): void {
    const capacity = this.record[direction]?.capacity;
    if (capacity?.at(-1)?.capacityBps !== capacityBps) capacity?.push({ timeUs: this.#nowUs(), capacityBps });
  }

  async #sendTo(session: CDPSession): Promise<void> {
    const { forward, backward } = this.#capacity;
    const { latency, packetLoss, packetQueueLength } = this.#conditions;
    const share = this.#sessions.size > 1 ? 0.5 : 1;
    const conditions = {
      // An empty pattern matches all traffic, including connections between peers.
      urlPattern: '',
      latency: latency * share,
      packetLoss: 100 * (1 - (1 - packetLoss / 100) ** share),
      packetQueueLength,
      // 0 would mean no throttling; at 1 byte/s practically nothing passes.
      uploadThroughput: Math.max(1, forward / 8),
      downloadThroughput: Math.max(1, backward / 8),
    };
    await session.send('Network.emulateNetworkConditionsByRule', { matchedNetworkConditions: [conditions] });
  }

  #nowUs(): number {
    return (this.#zeroMs + performance.now() - this.originEpochMs) * 1e3;
  }
}

async function newSession(page: Page): Promise<CDPSession> {
  try {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    return session;
  } catch (error) {
    throw new ConfigError(
      'linkBackend',
      'an open Chromium page, as devtools requires',
      error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
      'remove linkBackend',
    );
  }
}
