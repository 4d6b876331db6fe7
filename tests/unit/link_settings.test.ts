import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';

import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';

import { capacitySource } from '../../src/shaper/capacity.js';
import { conditionsOf } from '../../src/shaper/devtools/devtools_conditions.js';
import { NETWORK_NAMES, NETWORKS } from '../../src/link/networks.js';
import { parseLinkSettings, withDefaults, type LinkSettings } from '../../src/link/settings.js';
import { pathSettings } from '../../src/shaper/path_settings.js';
import type { DirectionSettings } from '../../src/link/direction_settings.js';
import { linkField, LINK_KEYS, type WaySetting } from '../../src/link/fields.js';
import { ConfigError } from '../../src/text/quantities.js';
import { settingsText } from '../../src/link/settings_text.js';

const folder = mkdtempSync(join(tmpdir(), 'ccscope-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The first steps of both directions' capacities, as numbers: time, capacity, time, capacity and so on. */
const capacities = (settings: LinkSettings) => {
  const { forward, backward } = pathSettings(parseLinkSettings(settings));
  const first = new Map(
    [...new Set([forward.capacity, backward.capacity])].map((source) => [source, source?.next(0)]),
  );
  return [forward, backward].map(({ capacity }) => [...(first.get(capacity) ?? [])]);
};

describe('the settings of a link', () => {
  it('of one way are those of the table', () => {
    expectTypeOf<keyof DirectionSettings>().toEqualTypeOf<WaySetting>();
    for (const key of LINK_KEYS) {
      const { setting, usual } = linkField(key);
      const settings = parseLinkSettings({ [setting]: usual });
      expect(settings, setting).toEqual({ [setting]: usual });
      expect(() => parseLinkSettings({ [setting]: 'no such value' }), setting).toThrow(ConfigError);
    }
  });

  it('suggest what a name was probably meant to be', () => {
    expect(() => parseLinkSettings({ back: { loss: 0.1 } })).toThrow('did you mean backward?');
    expect(() => parseLinkSettings({ backward: { jiter: 1 } })).toThrow('did you mean jitter?');
  });

  it('are alike both ways, but for what back says', () => {
    const { forward, backward } = pathSettings(
      parseLinkSettings({
        loss: '2%',
        rtt: '80ms',
        jitter: 3,
        backward: { loss: 0.5, queue: 'droptail:10p' },
      }),
    );
    expect(forward).toEqual({ options: { oneWayDelayUs: 40_000, lossRatio: 0.02, jitterUs: 3000 } });
    expect(backward).toEqual({
      options: {
        oneWayDelayUs: 40_000,
        lossRatio: 0.5,
        jitterUs: 3000,
        queue: { kind: 'droptail', limitPackets: 10 },
      },
    });
  });

  it('are all there when a link is opened with none', () => {
    expect(withDefaults({})).toEqual({ capacity: '1mbps', queue: 'droptail:300ms', rtt: 50, seed: 1 });
    expect(withDefaults({ network: '3g', seed: 7 })).toEqual({ network: '3g', seed: 7 });
  });

  it('have capacities in every form', () => {
    writeFileSync(join(folder, 'trace'), '10\n10\n20\n');
    // Two packets of 1504 bytes in the first 10 ms and one in the next 10 ms: 2.4064 and 1.2032 Mbit/s.
    const trace = [0, 2_406_400, 10_000, 1_203_200, 20_000, 2_406_400];
    expect(capacities({ capacity: 250_000 })).toEqual([
      [0, 250_000],
      [0, 250_000],
    ]);
    expect(capacities({ capacity: '1mbps,2mbps@3s', backward: { capacity: '64kbps' } })).toEqual([
      [0, 1e6, 3e6, 2e6],
      [0, 64_000],
    ]);
    expect(capacities({ capacity: { mahimahi: join(folder, 'trace') } })[0]?.slice(0, 6)).toEqual(trace);
    expect(capacities({ capacity: { mahimahi: '# comment\n10\n10\n20\n' } })[0]?.slice(0, 6)).toEqual(trace);
    expect(capacities({ capacity: (seconds) => 1e6 + seconds })).toEqual([
      [0, 1e6],
      [0, 1e6],
    ]);
  });

  it('repeat a trace without end, and exactly', () => {
    // In a round of a second, the capacity is 1.2032 Mbit/s for 20 ms, then lower.
    const source = capacitySource({ mahimahi: '10\n20\n1000\n' }, 'capacity');
    const first = source.next(3e6);
    const later = source.next(1200e6);
    expect(later.at(-2)).toBeGreaterThan(1199e6);
    const pairs = [...first, ...later];
    const wanted = Array.from({ length: pairs.length / 4 }, (_, round) => [
      ...[round * 1e6, 1_203_200],
      ...[round * 1e6 + 20e3, (1504 * 8e6) / 980e3],
    ]);
    expect(pairs).toEqual(wanted.flat());
    // Before anything more is due, there is nothing more.
    expect(first.at(-2)).toBeGreaterThan(599e6);
    expect([...source.next(1200.1e6)]).toEqual([]);
  });

  it('leave out rounds of a trace that are long past, but not the round that is due', () => {
    for (const [periodMs, untilUs] of [
      [1000, 8 * 3600e6],
      [3_600_000, 3 * 3600e6 - 1e6],
    ] as const) {
      const source = capacitySource({ mahimahi: `10\n10\n${periodMs}\n` }, 'capacity');
      source.next(0);
      const later = source.next(untilUs);
      const begins = later.filter((_, i) => i % 4 === 0);
      expect(begins.length).toBeLessThanOrEqual(602);
      expect(begins.at(-1)).toBe(Math.floor(untilUs / (periodMs * 1e3)) * periodMs * 1e3);
    }
  });

  it('take the end and the beginning of a trace for one step if they are alike', () => {
    const source = capacitySource({ mahimahi: '10\n20\n20\n30\n' }, 'capacity');
    const times = source.next(0).filter((_, i) => i % 2 === 0);
    expect([...times.slice(0, 5)]).toEqual([0, 10e3, 20e3, 40e3, 50e3]);
    // The capacity of this trace never changes.
    const constant = capacitySource({ mahimahi: '10\n20\n30\n' }, 'capacity');
    expect([constant.isEndless, ...constant.next(600e6)]).toEqual([false, 0, 1_203_200]);
  });

  it('ask a function each 10 ms, once for both directions, and hold its value', () => {
    const asked: number[] = [];
    const capacity = (seconds: number) => {
      asked.push(seconds);
      return seconds < 0.025 ? 1e6 : 2e6;
    };
    const { forward, backward } = pathSettings({ capacity });
    expect(forward.capacity).toBe(backward.capacity);
    expect([...(forward.capacity?.next(50_000) ?? [])]).toEqual([0, 1e6, 30_000, 2e6]);
    expect(asked).toEqual([0, 0.01, 0.02, 0.03, 0.04, 0.05]);
    expect([...(forward.capacity?.next(70_000) ?? [])]).toEqual([]);
  });

  const wrong: [unknown, string, RegExp][] = [
    [{ capacity: -1 }, 'link.capacity', /a rate from 1 bps/],
    [{ capacity: '1mbit' }, 'link.capacity', /rate/],
    [{ capacity: { mahimahi: 3 } }, 'link.capacity', /mahimahi/],
    [{ capacity: true }, 'link.capacity', /a function of seconds/],
    [{ queue: 'dropptail' }, 'link.queue', /one of droptail, codel.*did you mean droptail/],
    [{ loss: 1.5 }, 'link.loss', /a ratio from 0 to 1 or a percentage/],
    [{ loss: '101%' }, 'link.loss', /percentage/],
    [{ burstLoss: 0 }, 'link.burstLoss', /1 to 1000000 packets/],
    [{ rtt: '50' }, 'link.rtt', /a time with its unit/],
    [{ rtt: -1 }, 'link.rtt', /0 to 60000 ms/],
    [{ jitter: '11s' }, 'link.jitter', /0 to 10000 ms/],
    [{ outage: 'often' }, 'link.outage', /ms/],
    [{ crossTraffic: 'bbr:1' }, 'link.crossTraffic', /cubic/],
    [{ bottleneck: 'wide' }, 'link.bottleneck', /serial or token-bucket/],
    [{ network: '6g' }, 'link.network', /edge, slow-3g/],
    [{ seed: 1.5 }, 'link.seed', /an integer/],
    [{ backward: { rtt: 3 } }, 'link.backward.rtt', /one of capacity, queue/],
    [{ backward: { loss: 2 } }, 'link.backward.loss', /ratio/],
    [{ latency: 3 }, 'link.latency', /one of capacity.*network/],
    ['4g', 'link', /./],
  ];
  it.each(wrong)('name what is wrong: %j', (settings, field, expected) => {
    let error: unknown;
    try {
      parseLinkSettings(settings);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'ConfigError', field });
    expect(String(error)).toMatch(expected);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no luck');
      },
      /an error \(no luck\) at 0 s/,
    ],
    ['gives no number', () => 'fast' as unknown as number, /"fast" at 0 s/],
    ['gives less than a bit', () => 0.5, /0.5 at 0 s/],
  ])('refuse a function that %s', (_, capacity, message) => {
    expect(() => capacities({ capacity })).toThrow(message);
  });

  it('refuse an invalid trace', () => {
    expect(() => capacities({ capacity: { mahimahi: '10\nx\n' } })).toThrow(
      /capacity\.mahimahi: expected line 2/,
    );
    expect(() => capacities({ capacity: { mahimahi: join(folder, 'none') } })).toThrow(/ENOENT/);
  });

  it('are said to people', () => {
    expect(
      settingsText({
        capacity: 500_000,
        queue: 'codel',
        loss: 0.015,
        rtt: 40,
        backward: { capacity: '64kbps' },
      }),
    ).toBe('500 kbps, codel, loss 1.5%, rtt 40 ms, backward: 64kbps');
    expect(settingsText({ network: '4g', burstLoss: 3, outage: '1s/100ms', crossTraffic: 'cubic:1' })).toBe(
      'network 4g, runs of 3 lost packets, outages 1s/100ms, cross traffic cubic:1',
    );
    expect(settingsText({ seed: 3 })).toBe('nothing changed');
  });
});

/** The object literal that begins at an index of a text, with all that is nested in it. */
function literalAt(text: string, begin: number): string {
  let depth = 0;
  for (let i = begin; i < text.length; i++) {
    if (text[i] === '{') depth += 1;
    if (text[i] === '}') depth -= 1;
    if (depth === 0) return text.slice(begin, i + 1);
  }
  throw new Error(`a brace is not closed: ${text.slice(begin, begin + 60)}`);
}

describe('the guides for Playwright', () => {
  const folder = fileURLToPath(new URL('../../src/playwright/', import.meta.url));
  const guides = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const settings = guides.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const begins = [...text.matchAll(/(?:\blink(?:\.for\(\w+\))?\.set\(|\blinkOptions: )(?=\{)/g)];
    const literals = begins.map(({ 0: before, index }) => literalAt(text, index + before.length));
    // A table says `link.set({ … })`, which is no example.
    return literals.filter((literal) => !literal.includes('…')).map((literal) => [name, literal] as const);
  });

  it('have examples', () => {
    expect(new Set(settings.map(([name]) => name))).toEqual(new Set(['README.md', 'servers.md']));
    expect(settings.length).toBeGreaterThan(10);
  });

  it.each(settings)('%s shows settings that a link takes: %s', (_, literal) => {
    expect(() => parseLinkSettings(runInNewContext(`(${literal})`))).not.toThrow();
  });
});

describe('a usual network', () => {
  it.each(NETWORK_NAMES)('%s says all of both directions, and where its numbers come from', (network) => {
    const { forward, backward } = pathSettings(parseLinkSettings({ network }));
    for (const { options } of [forward, backward]) {
      expect(Object.keys(options).sort()).toEqual([
        'bottleneck',
        'burstLossPackets',
        'crossTraffic',
        'jitterUs',
        'lossRatio',
        'oneWayDelayUs',
        'outages',
        'queue',
        'reordering',
      ]);
    }
    for (const capacity of capacities({ network })) expect(capacity).toHaveLength(2);
    expect(NETWORKS[network].source).toMatch(/WebPageTest|Lighthouse|RFC|gcc-packet/);
  });

  it('has the numbers of its source, and gives way to what is said beside it', () => {
    // The network "Cable (5/1 Mbps 28ms RTT)" of WebPageTest.
    expect(capacities({ network: 'cable' })).toEqual([
      [0, 1e6],
      [0, 5e6],
    ]);
    expect(pathSettings({ network: 'cable' }).forward.options.oneWayDelayUs).toBe(14_000);
    expect(capacities({ network: 'cable', capacity: '2mbps' })).toEqual([
      [0, 2e6],
      [0, 2e6],
    ]);
    expect(pathSettings({ network: 'cable', rtt: 10 }).backward.options.oneWayDelayUs).toBe(5000);
  });
});

describe("Chrome's throttling", () => {
  it('has conditions for what it can do', () => {
    expect(conditionsOf({ rtt: 100, loss: '2%', queue: 'droptail:50p' })).toEqual({
      latency: 50,
      packetLoss: 2,
      packetQueueLength: 50,
    });
    // 300 ms at 1 Mbit/s are 37,500 bytes, or 31 packets of 1200 bytes.
    expect(conditionsOf({ network: 'cable' })).toEqual({ latency: 14, packetLoss: 0, packetQueueLength: 31 });
    expect(conditionsOf({ capacity: '1mbps' })).toEqual({});
  });

  const refused: [LinkSettings, string][] = [
    [{ queue: 'codel' }, 'link.queue'],
    [{ queue: 'droptail:300ms' }, 'link.queue'],
    [{ jitter: 5 }, 'link.jitter'],
    [{ backward: { jitter: '5ms' } }, 'link.jitter'],
    [{ burstLoss: 2 }, 'link.burstLoss'],
    [{ outage: '1s/1s' }, 'link.outage'],
    [{ crossTraffic: 'cubic:1' }, 'link.crossTraffic'],
    [{ bottleneck: 'token-bucket' }, 'link.bottleneck'],
    [{ loss: 0.1, backward: { loss: 0 } }, 'link.backward.loss'],
    [{ network: 'wifi' }, 'link.outage'],
  ];
  it.each(refused)('refuses %j', (settings, field) => {
    expect(() => conditionsOf(settings)).toThrow(
      expect.objectContaining({ name: 'ConfigError', field }) as Error,
    );
    expect(() => conditionsOf(settings)).toThrow(/remove linkBackend/);
  });
});
