/** Extends Playwright's `test` with a bed: a link, an observer, and pages whose WebRTC calls use the link. */
import { test as base, expect, type BrowserContext, type Frame, type Page } from '@playwright/test';

import { connectionOf } from '../../src/calls/record/connections.js';
import { CallObserver } from '../../src/observe/observer.js';
import type { CallRecord, ConnectionRecord, EndpointRecord } from '../../src/calls/record/record.js';
import { openShaperLink, type ShaperLink } from '../../src/shaper/index.js';
import { startTestServer, type TestServer } from './server.js';

export { expect };

export const CAPACITY_BPS = 500_000;
const CAPACITY = { capacity: CAPACITY_BPS, queue: 'droptail:300ms', rtt: 40 };

/**
 * How long `until` waits by default. Libraries need a moment to start, and browsers need some seconds to ramp up
 * their rate.
 */
const START_MS = 20_000;

export class Bed {
  #contexts: BrowserContext[] = [];

  constructor(
    readonly server: TestServer,
    readonly link: ShaperLink,
    readonly observer: CallObserver,
    private readonly newContext: () => Promise<BrowserContext>,
  ) {}

  get record(): CallRecord {
    return this.observer.record;
  }

  /** Opens a page in a new context. `prepare` is called with the context before the page is made. */
  async open(path: string, prepare?: (context: BrowserContext) => Promise<void>): Promise<Page> {
    const context = await this.newContext();
    this.#contexts.push(context);
    await this.observer.observe(context);
    await prepare?.(context);
    const page = await context.newPage();
    await page.goto(new URL(path, this.server.url).href);
    return page;
  }

  /** Opens both sides of a call in separate contexts: first `b`, which receives video, then `a`. */
  async openBoth(path: string): Promise<{ a: Page; b: Page }> {
    const mark = path.includes('?') ? '&' : '?';
    const b = await this.open(`${path}${mark}side=b`);
    return { a: await this.open(`${path}${mark}side=a`), b };
  }

  /**
   * Waits until the record satisfies `isSo`. The record is checked whenever a page has sent a batch of reports.
   */
  async until(what: string, isSo: (record: CallRecord) => boolean, timeoutMs = START_MS): Promise<void> {
    let end: () => void = () => undefined;
    const seen = new Promise<void>((resolve) => {
      const look = () => {
        if (isSo(this.record)) resolve();
      };
      end = this.observer.onUpdate(look);
      look();
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what}: not within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      await Promise.race([seen, late]);
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  /** Waits until one end of a connection has received video for this long. Returns the record of this end. */
  async receiveVideo(seconds: number): Promise<EndpointRecord> {
    await this.until(
      `${seconds} s of received video`,
      (record) => record.endpoints.some((endpoint) => secondsOfVideo(endpoint) >= seconds),
      START_MS + seconds * 1000,
    );
    await this.observer.collect();
    await this.link.sync();
    const received = this.record.endpoints.filter((endpoint) => secondsOfVideo(endpoint) >= seconds);
    const [receiver] = received;
    if (receiver === undefined) throw new Error('nobody received video');
    return receiver;
  }

  connectionOf({ id }: EndpointRecord): ConnectionRecord | undefined {
    return connectionOf(this.record, id);
  }

  async close(): Promise<void> {
    await Promise.all(this.#contexts.map((context) => context.close().catch(() => undefined)));
    await this.observer.close();
    await this.link.close();
  }
}

/** The seconds from the first to the last sample whose counter of decoded frames is above 0. */
export function secondsOfVideo({ samples }: EndpointRecord): number {
  const decoding = samples.filter(({ inbound }) => inbound.some(({ framesDecoded }) => framesDecoded > 0));
  return ((decoding.at(-1)?.timeUs ?? 0) - (decoding[0]?.timeUs ?? 0)) / 1e6;
}

export function framesDecoded({ samples }: EndpointRecord): number {
  const [stats] = samples.at(-1)?.inbound.filter(({ framesDecoded }) => framesDecoded > 0) ?? [];
  return stats?.framesDecoded ?? 0;
}

/**
 * The rates (forward, backward) of these flows after the link's bottleneck, in bit/s, over the last `seconds` of
 * the record.
 */
export function linkRates({ link }: CallRecord, flows: readonly number[], seconds: number): number[] {
  return [link?.forward, link?.backward].map((direction) => {
    if (!direction) return 0;
    const { rows, departUs, sizeBytes, reason, flow } = direction.packets;
    const untilUs = Math.max(...departUs.subarray(0, rows));
    let bytes = 0;
    for (let row = 0; row < rows; row++) {
      const counts = reason[row] === 0 && flows.includes(flow[row] ?? 0);
      if (counts && (departUs[row] ?? 0) > untilUs - seconds * 1e6) bytes += sizeBytes[row] ?? 0;
    }
    return (8 * bytes) / seconds;
  });
}

/** The remote ports of the selected candidate pairs, according to the page's own `getStats()`. */
export async function selectedRemotePorts(frame: Page | Frame): Promise<number[]> {
  return frame.evaluate(async () => {
    const { connection, peer } = globalThis as unknown as {
      connection?: () => RTCPeerConnection;
      peer?: RTCPeerConnection;
    };
    const stats = await (connection?.() ?? peer)?.getStats();
    const all = new Map<string, Record<string, unknown>>();
    stats?.forEach((stat: { id: string }) => all.set(stat.id, stat));
    return [...all.values()]
      .filter(({ type }) => type === 'transport')
      .map(({ selectedCandidatePairId }) => all.get(String(selectedCandidatePairId))?.['remoteCandidateId'])
      .map((id) => Number(all.get(String(id))?.['port']));
  });
}

/** Checks what must hold for every call through the link, whichever page makes the call. */
export function expectShaped(bed: Bed, receiver: EndpointRecord): void {
  const connection = bed.connectionOf(receiver);
  expect(connection?.flows.length, 'the relay saw its packets').toBeGreaterThan(0);
  const ends = [connection?.offerer, connection?.answerer];
  expect(ends).not.toContain(null);
  for (const id of ends) expect(bed.record.endpoints[id ?? -1]?.routed).toBe(true);
  const rates = linkRates(bed.record, connection?.flows ?? [], 3);
  expect(Math.max(...rates), 'no faster than the link').toBeLessThan(1.02 * CAPACITY_BPS);
  expect(Math.max(...rates), 'the link is used').toBeGreaterThan(0.6 * CAPACITY_BPS);
}

/** Expects the record of a side to contain every frame that it received. */
export function expectFrames(bed: Bed, receiver: EndpointRecord): void {
  expect(receiver.notices).toEqual([]);
  expect(receiver.frameSource).toBe('transform');
  const { rows, arrivalUs, sizeBytes } = receiver.frames;
  // The observer must have seen every decoded frame. There may be more rows: the browser also sends copies of
  // frames as probes.
  expect(rows).toBeGreaterThanOrEqual(framesDecoded(receiver));
  const arrivals = arrivalUs.subarray(0, rows);
  expect(Math.min(...arrivals)).toBeGreaterThan(receiver.states[0]?.timeUs ?? Infinity);
  expect(Math.max(...arrivals)).toBeLessThan((receiver.samples.at(-1)?.timeUs ?? 0) + 1e6);
  const frameBytes = sizeBytes.subarray(0, rows).reduce((sum, bytes) => sum + bytes, 0);
  const received = receiver.samples
    .at(-1)
    ?.inbound.reduce((sum, { bytesReceived }) => sum + bytesReceived, 0);
  expect(frameBytes).toBeLessThanOrEqual(received ?? 0);
  expect(frameBytes).toBeGreaterThan(0.7 * (received ?? Infinity));
  const shadow = bed.record.shadows.find(({ endpoint }) => endpoint === receiver.id);
  const groups = shadow?.batches.filter(({ table }) => table === 'group') ?? [];
  expect(groups.reduce((sum, batch) => sum + batch.rows, 0)).toBeGreaterThan(rows / 2);
  expect(shadow?.batches.some(({ table }) => table === 'rate')).toBe(true);
}

export const test = base.extend<{ bed: Bed }, { server: TestServer }>({
  server: [
    async ({}, use) => {
      const server = await startTestServer();
      await use(server);
      await server.close();
    },
    { scope: 'worker' },
  ],
  bed: async ({ browser, server }, use) => {
    const originEpochMs = Date.now();
    const link = await openShaperLink({ settings: CAPACITY, originEpochMs });
    const observer = new CallObserver({ link, originEpochMs });
    const bed = new Bed(server, link, observer, () => browser.newContext());
    await use(bed);
    server.headers = {};
    await bed.close();
  },
});
