/**
 * Chrome's own throttling as the link of a test: no socket, no routing, and no record of packets. Each
 * page that is attached has the link on its way: forward is its upload, back its download. What two
 * attached pages send each other passes both of theirs, so then each has half of the RTT and of the loss.
 * Measured in Chromium 156: with `latency` 50 ms at one page the RTT grows by 102 ms, at both by 204 ms;
 * 500 kbps let 487 kbps of a video pass. Changes take effect at once, in the middle of a call too.
 */
import { performance } from 'node:perf_hooks';

import type { CDPSession, Page } from 'playwright-core';

import { ConfigError } from '../text/quantities.js';
import type { LinkRecord } from '../calls/record/record.js';
import { CapacityClock } from './capacity_clock.js';
import type { ControlledLink, LinkChange } from './controlled_link.js';
import { conditionsOf, type Conditions } from './devtools_conditions.js';
import { emptyLinkRecord } from './link_record.js';
import { DIRECTIONS, type Direction } from '../core/direction.js';
import { parseLinkSettings, withDefaults, type LinkSettings } from '../link/settings.js';
import { pathSettings } from './path_settings.js';
import { settingsText } from '../link/settings_text.js';
import { ShaperError } from './udp.js';

export interface DevtoolsLink extends ControlledLink {
  readonly backend: 'devtools';
  /** Puts the link on the way of this page, whatever it connects. Rejects with ConfigError if it is no page of Chromium. */
  attach(page: Page): Promise<void>;
}

export interface DevtoolsLinkOptions {
  settings?: LinkSettings;
  /** Where the record's times have their zero: milliseconds since 1970. Default: now. */
  originEpochMs?: number;
}

/** How often capacities that change are looked at. */
const TICK_MS = 50;

/** Throws ConfigError for settings that Chrome's throttling cannot do. */
export function openDevtoolsLink(options: DevtoolsLinkOptions = {}): DevtoolsLink {
  return new CdpLink(options);
}

class CdpLink implements DevtoolsLink {
  readonly backend = 'devtools';
  readonly originEpochMs: number;
  readonly record: LinkRecord = emptyLinkRecord('devtools');
  readonly #sessions = new Set<CDPSession>();
  #conditions: Conditions = { latency: 0, packetLoss: 0, packetQueueLength: 0 };
  readonly #clock = new CapacityClock(() => this.#nowUs());
  readonly #timer: NodeJS.Timeout;
  /** What the pages were told. */
  #sent = '';
  #isStarted = false;
  #closed = false;

  constructor({ settings = {}, originEpochMs }: DevtoolsLinkOptions) {
    this.originEpochMs = originEpochMs ?? Math.floor(performance.timeOrigin + performance.now());
    const parsed = parseLinkSettings(settings);
    // Chrome has no queue in milliseconds: without one that is given it has no limit.
    const { queue: _, ...usual } = withDefaults(parsed);
    this.#apply({ ...usual, ...(parsed.queue !== undefined && { queue: parsed.queue }) });
    this.#clock.onFailure = ({ message }) =>
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
    if (!this.#isStarted) this.#clock.start();
    this.#isStarted = true;
    await this.#send();
  }

  async set(change: LinkSettings): Promise<LinkChange> {
    if (this.#closed) throw new ShaperError('the link is closed; open another one');
    const settings = parseLinkSettings(change);
    const text = this.#apply(settings);
    if (this.#isStarted) this.#clock.start();
    await this.#send();
    return { timeUs: this.#nowUs(), settings, text };
  }

  async sync(): Promise<void> {
    // The browser tells nothing of its packets: there is nothing to wait for.
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    const off = [...this.#sessions].map(async (session) => {
      await session.send('Network.emulateNetworkConditionsByRule', { matchedNetworkConditions: [] });
      await session.detach();
    });
    this.#sessions.clear();
    // A page that is gone has nothing to be reset.
    await Promise.allSettled(off);
  }

  #apply(settings: LinkSettings): string {
    const conditions = conditionsOf(settings);
    this.#clock.replace(pathSettings(settings));
    this.#conditions = { ...this.#conditions, ...conditions };
    const text = settingsText(settings);
    this.record.changes.push({ timeUs: this.#nowUs(), text });
    return text;
  }

  /** Tells all pages, if something changed. */
  async #send(): Promise<void> {
    const current = this.#clock.current();
    const wanted = JSON.stringify([this.#conditions, current, this.#sessions.size > 1]);
    if (wanted === this.#sent) return;
    this.#sent = wanted;
    for (const direction of DIRECTIONS) this.#note(direction, current[direction]);
    // A page that is gone has no link.
    await Promise.all([...this.#sessions].map((session) => this.#sendTo(session).catch(() => undefined)));
  }

  #note(direction: Direction, capacityBps: number): void {
    const capacity = this.record[direction]?.capacity;
    if (capacity?.at(-1)?.capacityBps !== capacityBps) capacity?.push({ timeUs: this.#nowUs(), capacityBps });
  }

  async #sendTo(session: CDPSession): Promise<void> {
    const { forward, backward } = this.#clock.current();
    const { latency, packetLoss, packetQueueLength } = this.#conditions;
    const share = this.#sessions.size > 1 ? 0.5 : 1;
    const conditions = {
      // Empty: everything, connections between peers included.
      urlPattern: '',
      latency: latency * share,
      packetLoss: 100 * (1 - (1 - packetLoss / 100) ** share),
      packetQueueLength,
      // Nothing passes at 0, which would mean no throttling.
      uploadThroughput: Math.max(1, forward / 8),
      downloadThroughput: Math.max(1, backward / 8),
    };
    await session.send('Network.emulateNetworkConditionsByRule', { matchedNetworkConditions: [conditions] });
  }

  #nowUs(): number {
    return (performance.timeOrigin + performance.now() - this.originEpochMs) * 1e3;
  }
}

async function newSession(page: Page): Promise<CDPSession> {
  try {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    return session;
  } catch (error) {
    throw new ConfigError(
      'link.backend',
      'an open page of Chromium for devtools',
      error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
      "use backend 'shaper'",
    );
  }
}
