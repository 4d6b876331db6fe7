// Tests a relay that runs for days. Its memory, sockets and tables must not grow with the number of past calls.
// The test controls the relay's clock, so days take only seconds.
import { readdirSync } from 'node:fs';
import { platform } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { afterEach, describe, expect, it } from 'vitest';

import { bindingRequest, bindingSuccess } from '../../scripts/lib/ice_check.mjs';
import { loadCoreModule } from '../../src/core/index.js';
import { emptyLinkRecord, notePause } from '../../src/shaper/link_record.js';
import type { Arrival } from '../../src/shaper/relay/ice_door.js';
import { openRelay, type ScheduledPaths } from '../../src/shaper/packets/scheduled_paths.js';
import type { Relay, RelayCensus } from '../../src/shaper/relay/relay.js';
import { bindUdp } from '../../src/shaper/udp.js';
import { IceAgent } from './ice_agent.js';

const RESTARTS = 1000;
const CALLS = 200;
const EMPTY: RelayCensus = { flows: 0, addresses: 0, sockets: 0, ufrags: 0 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** The number of open file descriptors of this process; 0 on systems that do not list them. */
const descriptors = (): number => (platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

interface Bed {
  relay: Relay;
  port: number;
  flows: number;
  /** Advances the test's clock by this many seconds. The relay then forgets what was silent for too long. */
  pass(seconds: number): void;
  /** Forwards the packets whose delay on the link has elapsed. */
  pump(): void;
  paths: ScheduledPaths<Arrival>;
}

async function bed(): Promise<Bed> {
  let nowUs = 1e6;
  const made = { flows: 0 };
  const { relay, paths, socket } = await openRelay({
    core: await loadCoreModule(),
    seed: 1,
    change: {},
    nowUs: () => (nowUs += 10),
    bind: () => bindUdp(0, '127.0.0.1'),
    onFlow: () => made.flows++,
    onError: (error) => {
      throw error;
    },
  });
  closers.push(() => relay.close());
  closers.push(() => paths.close());
  return Object.assign(made, {
    relay,
    port: socket.address().port,
    pass: (seconds: number) => {
      nowUs += seconds * 1e6;
      relay.sweep();
    },
    pump: () => void paths.batches(),
    paths,
  });
}

/** Both agents send checks until each has received an answer. */
async function connect(bed: Bed, a: IceAgent, b: IceAgent): Promise<void> {
  const before = [a.answers, b.answers] as const;
  while (a.answers === before[0] || b.answers === before[1]) {
    a.check({ to: b.ufrag, role: 'controlling', nominate: true });
    b.check({ to: a.ufrag, role: 'controlled' });
    for (let turn = 0; turn < 20; turn++) {
      bed.pass(0.01);
      bed.pump();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

async function agentAt(ufrag: string, port: number): Promise<IceAgent> {
  const agent = await IceAgent.at(ufrag, port);
  closers.push(() => agent.close());
  return agent;
}

/**
 * Runs `work` in rounds. Returns the growth of the heap in bytes per round, and the growth of open descriptors.
 * The first tenth of the rounds is not counted.
 */
async function growth(rounds: number, work: (round: number) => Promise<void>) {
  const warm = Math.ceil(rounds / 10);
  let [heap, open] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    if (round === warm) [heap, open] = [heapBytes(), descriptors()];
    await work(round);
  }
  return { heap: (heapBytes() - heap) / (rounds - warm), descriptors: descriptors() - open };
}

describe('a relay that goes on', () => {
  it(`is flat over ${RESTARTS} ICE restarts of one call`, async () => {
    const relayed = await bed();
    const [a, b] = [await agentAt('a', relayed.port), await agentAt('b', relayed.port)];
    const most = { ...EMPTY };
    const { heap, descriptors: opened } = await growth(RESTARTS, async (round) => {
      Object.assign(a, { ufrag: `a${round}` });
      Object.assign(b, { ufrag: `b${round}` });
      relayed.relay.local(a.ufrag, 0);
      relayed.relay.local(b.ufrag, 1);
      await connect(relayed, a, b);
      relayed.pass(5);
      const now = relayed.relay.census();
      for (const name of ['flows', 'addresses', 'sockets', 'ufrags'] as const)
        most[name] = Math.max(most[name], now[name]);
    });
    expect(relayed.flows).toBe(RESTARTS);
    // The call restarts every 5 s, and the relay forgets a connection 30 s after its last packet.
    expect(most.flows).toBeLessThan(20);
    expect(most.addresses).toBeLessThanOrEqual(2);
    expect(most.ufrags).toBeLessThan(40);
    expect(opened).toBe(0);
    expect(heap).toBeLessThan(1000);
  });

  it(`is flat over ${CALLS} calls to far sides, and knows nothing when they are over`, async () => {
    const relayed = await bed();
    let most = 0;
    const { heap, descriptors: opened } = await growth(CALLS, async (round) => {
      const page = await IceAgent.at(`page${round}`, relayed.port);
      const far = await IceAgent.at(`far${round}`, 0);
      relayed.relay.local(page.ufrag, 0);
      relayed.relay.remote({ ufrag: far.ufrag, candidates: [far.address] });
      relayed.pass(1);
      await connectFar(relayed, page, far);
      most = Math.max(most, relayed.relay.census().sockets);
      page.close();
      far.close();
      for (let s = 0; s < 7; s++) relayed.pass(5);
      await new Promise((resolve) => setImmediate(resolve));
    });
    expect(most).toBe(1);
    expect(opened).toBeLessThanOrEqual(0);
    expect(heap).toBeLessThan(2000);
    for (let s = 0; s < 20; s++) relayed.pass(5);
    expect(relayed.relay.census()).toEqual(EMPTY);
  });

  it('knows nothing of what strangers begin', async () => {
    const relayed = await bed();
    const stranger = await agentAt('s', relayed.port);
    for (let i = 0; i < 5000; i++) {
      stranger.send(bindingRequest(`s${i}`, { to: `t${i}`, role: 'controlling' }));
      stranger.send(bindingSuccess(bindingRequest(`s${i}`, { to: 't', role: 'controlling' }), 't'));
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(relayed.relay.census()).toEqual(EMPTY);
    expect([relayed.flows, stranger.bytes]).toEqual([0, 0]);
    for (let s = 0; s < 20; s++) relayed.pass(5);
    expect(relayed.relay.census()).toEqual(EMPTY);
  });

  it('says so after a suspend of hours, which is one row and one batch', async () => {
    const { paths, pass } = await bed();
    expect(paths.tick().pause).toBeNull();
    pass(8 * 3600);
    const { pause } = paths.tick();
    const batches = paths.batches();
    expect(batches).toHaveLength(1);
    expect(((pause?.toUs ?? 0) - (pause?.fromUs ?? 0)) / 1e6).toBeCloseTo(8 * 3600, 1);
    expect(batches[0]?.forward.row.time_us).toBeGreaterThan(8 * 3600e6);
    expect(paths.tick().pause).toBeNull();
    const record = emptyLinkRecord('shaper');
    for (let i = 0; i < 30; i++) notePause(record, { fromUs: 5e6, toUs: 5e6 + 8 * 3600e6 });
    expect(record.notices).toHaveLength(20);
    expect(record.notices[0]?.message).toMatch(/for 28800\.0 s, starting at 5\.0 s/);
  });

  it('leaves no socket when it cannot open', async () => {
    const core = await loadCoreModule();
    const before = descriptors();
    const open = openRelay({
      core,
      seed: 1,
      change: { forward: { options: { lossRatio: 2 } } },
      nowUs: () => 0,
      bind: () => bindUdp(0, '127.0.0.1'),
      onFlow: () => undefined,
      onError: () => undefined,
    });
    await expect(open).rejects.toThrow(/loss/);
    expect(descriptors()).toBe(before);
  });
});

/** The page sends checks until the far side has answered one through the relay. */
async function connectFar(relayed: Bed, page: IceAgent, far: IceAgent): Promise<void> {
  while (page.answers === 0) {
    page.check({ to: far.ufrag, role: 'controlling', nominate: true });
    for (let turn = 0; turn < 20; turn++) {
      relayed.pass(0.01);
      relayed.pump();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
