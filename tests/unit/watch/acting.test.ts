import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, type Core } from '../../../src/core/index.js';
import type { Action, ActionResult, ActionTarget, PageMessage } from '../../../src/inject/protocol.js';
import { Driver } from '../../../src/watch/driver.js';
import { Watch } from '../../../src/watch/index.js';
import { outbound, sample } from '../judge/synthetic.js';

const target: ActionTarget = { endpoint: 0, direction: 'send', mid: '0', ssrc: 11 };
const cap: Action = { kind: 'cap', target, encoding: null, maxBitrateBps: 300e3 };

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

describe('what was done to a call', () => {
  const watched = (...messages: PageMessage[]): Watch => {
    const watch = new Watch({ originEpochMs: 0, load: loadCore });
    const begin: PageMessage[] = [
      { type: 'endpoint', endpoint: 0, timeUs: 0 },
      {
        type: 'sample',
        endpoint: 0,
        sample: sample(1, { outbound: [outbound({ mid: '0' }), outbound({ mid: '1', ssrc: 12 })] }),
      },
    ];
    const batch = { window: 'w', url: '', timeUs: 1e6, messages: [...begin, ...messages] };
    watch.hear(batch, { page: 0, place: 'page' });
    return watch;
  };
  const action = (timeUs: number, what: Action, result: ActionResult): PageMessage => ({
    ...{ type: 'action', endpoint: 0, timeUs, action: what, result },
  });
  const done: ActionResult = {
    ...{ ok: true, message: '', inForce: [{ kind: 'cap', encoding: null, maxBitrateBps: 300e3 }] },
  };

  it('is in the record, an event in the recording, and in force for its media section alone', () => {
    const watch = watched(action(1.5e6, cap, done));
    expect(watch.record.endpoints[0]?.actions).toEqual([{ timeUs: 1.5e6, action: cap, result: done }]);
    expect(watch.extent().events).toBe(1);
    const { streams, connections } = watch.state;
    expect(streams.map(({ mid, inForce }) => [mid, inForce.length])).toEqual([
      ['0', 1],
      ['1', 0],
    ]);
    expect(connections[0]).toMatchObject({ window: 'w', number: 0 });
    watch.close();
  });

  it('stays in force when something else fails, and ends with its release', () => {
    const failed: ActionResult = { ok: false, why: '', fix: '' };
    const watch = watched(action(1.5e6, cap, done), action(1.6e6, { kind: 'hold', target }, failed));
    expect(watch.state.streams[0]?.inForce).toHaveLength(1);
    const release: Action = { kind: 'release', target, of: null };
    const released = action(1.7e6, release, { ok: true, message: '', inForce: [] });
    watch.hear({ window: 'w', url: '', timeUs: 2e6, messages: [released] }, { page: 0, place: 'page' });
    expect(watch.state.streams[0]?.inForce).toEqual([]);
    expect(watch.extent().events).toBe(3);
    watch.close();
  });
});

describe('a driver', () => {
  /**
   * A driver is a loss-based controller that sets a sender's rate. Returns the rate that the driver requests
   * after ten seconds with this loss ratio.
   */
  const driven = (lossRatio: number, availableOutgoingBps = NaN): number => {
    const driver = new Driver(core, 0, 1e6);
    let packets = 0;
    let bytes = 0;
    for (let i = 0; i <= 20; i++) {
      packets += 60;
      bytes += driver.targetBps / 16;
      driver.see(sample(i / 2, { rttS: 0.05, availableOutgoingBps }), [
        outbound({ bytesSent: bytes, packetsSent: packets, packetsLost: Math.round(packets * lossRatio) }),
      ]);
    }
    expect(driver.takeRows().map(({ table }) => table)).toContain('rate');
    const { targetBps } = driver;
    driver.destroy();
    return targetBps;
  };

  it('rises without loss, stays with some, and falls with much', () => {
    expect(driven(0)).toBeGreaterThan(1.1e6);
    expect(driven(0.05)).toBe(1e6);
    expect(driven(0.3)).toBeLessThan(0.8e6);
  });

  it('asks for no more than the browser believes it may send', () => {
    expect(driven(0, 600e3)).toBe(600e3);
  });
});
