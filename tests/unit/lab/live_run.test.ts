import { describe, expect, it } from 'vitest';

import { LiveRun, type LiveRunOptions } from '../../../src/runs/live_run.js';
import { FRESH_NETWORK } from '../../../src/app/lab/edits.js';
import { compile, parseScenario, type Scenario } from '../../../src/scenario/index.js';
import { packBatches, TraceData, unpackBatches } from '../../../src/trace/index.js';
import type { TraceStore } from '../../../src/worker/trace/trace_client.js';
import type { SimulationResult } from '../../../src/worker/simulation/simulation_protocol.js';

const network = (title: string): Scenario => ({ ...parseScenario(FRESH_NETWORK), title });

/** A fake worker. The test decides when each of its runs ends. */
class Bench {
  readonly begun: {
    title: string;
    end: (cancelled?: boolean, timeUs?: number) => void;
    row: (elapsedMs?: number) => Promise<void>;
  }[] = [];
  readonly worker: NonNullable<LiveRunOptions['worker']> = {
    check: () => Promise.reject(new Error('not asked here')),
    plan: (request) => Promise.resolve(compile((request as { scenario: Scenario }).scenario, 1)),
    close: () => undefined,
    run: (request, handlers) =>
      new Promise((resolve) => {
        const { onProgress, signal } = handlers ?? {};
        const { title } = (request as { scenario: Scenario }).scenario;
        const end = (cancelled = false, timeUs = 0): void =>
          resolve({
            windows: [],
            metrics: [],
            values: new Map(),
            densities: new Map(),
            events: 0,
            timeUs,
            elapsedMs: 1,
            cancelled,
            faults: [],
          } satisfies SimulationResult);
        if (!this.ignoresAbort) signal?.addEventListener('abort', () => end(true, this.abortedAtUs));
        const row = async (elapsedMs = 100): Promise<void> => {
          const columns = [[0], [this.begun.length * 1e6], [1], [1], [1]].map(
            (values) => new Float64Array(values),
          );
          const rows = packBatches([{ table: 'throughput', columns, rows: 1 } as never]);
          await onProgress?.({ timeUs: 1e6, share: 0.5, elapsedMs, rows });
        };
        this.begun.push({ title, end, row });
      }),
  };
  /** Whether runs end too late to be stopped. */
  ignoresAbort = false;
  /** How much of an aborted run was simulated. */
  abortedAtUs = 0;
  readonly trace = { data: new TraceData() };
  readonly store = {
    clear: () => {
      this.trace.data = new TraceData();
      return Promise.resolve();
    },
    appendPacked: (packed: Parameters<typeof unpackBatches>[0]) => {
      for (const batch of unpackBatches(packed)) this.trace.data.append(batch);
    },
  } as unknown as TraceStore;
  readonly live: LiveRun;

  constructor(beforeChange: NonNullable<LiveRunOptions['beforeChange']> = () => Promise.resolve()) {
    const traceOf: LiveRunOptions['traceOf'] = () => ({ tables: ['throughput'] });
    this.live = new LiveRun(this.store, { worker: this.worker, traceOf, beforeChange });
  }

  play(title: string): ReturnType<LiveRun['play']> {
    return this.live.play({ scenario: network(title), cell: {}, seed: 1 });
  }

  /** Resolves with the nth run as soon as it has begun. */
  async nth(n: number): Promise<(typeof this.begun)[number]> {
    await expect.poll(() => this.begun.length).toBeGreaterThanOrEqual(n);
    const run = this.begun[n - 1];
    if (run === undefined) throw new Error('it did not begin');
    return run;
  }
}

describe('runs that follow choices', () => {
  it('draw the newest, and never run what was overtaken before it began', async () => {
    const bench = new Bench();
    const first = bench.play('a');
    (await bench.nth(1)).end();
    expect((await first)?.scenario.title).toBe('a');

    // The user makes choices b, c and d at once, before a run of b can begin.
    const [b, c, d] = [bench.play('b'), bench.play('c'), bench.play('d')];
    // Of these waiting choices, only the newest one, d, is simulated.
    const next = await bench.nth(2);
    expect(next.title).toBe('d');
    next.end();
    expect(await b).toBeNull();
    expect(await c).toBeNull();
    expect((await d)?.scenario.title).toBe('d');
    expect(bench.live.run.value?.scenario.title).toBe('d');
    expect(bench.live.isRunning.value).toBe(false);
    expect(bench.begun).toHaveLength(2);
  });

  it('stop one that turns out to be long, although the one before was short', async () => {
    const bench = new Bench();
    const first = bench.play('short');
    const one = await bench.nth(1);
    // After half of it, so 100 ms are expected.
    await one.row(50);
    one.end();
    await first;
    const long = bench.play('long');
    const two = await bench.nth(2);
    const newer = bench.play('newer');
    // 10 s are expected.
    await two.row(5000);
    const three = await bench.nth(3);
    expect(three.title).toBe('newer');
    three.end();
    expect(await long).toBeNull();
    expect((await newer)?.scenario.title).toBe('newer');
  });

  it('are not drawn after a reset that comes while the drawn run is being kept', async () => {
    let keep = (): void => undefined;
    const kept = new Promise<void>((resolve) => (keep = resolve));
    let isAsked = false;
    const bench = new Bench(() => {
      isAsked = true;
      return kept;
    });
    const old = bench.play('old');
    (await bench.nth(1)).end();
    await expect.poll(() => isAsked).toBe(true);
    bench.live.reset();
    keep();
    expect(await old).toBeNull();
    expect(bench.live.run.value).toBeNull();
  });

  it('stop one that is long for a newer choice, and do not draw what it had', async () => {
    const bench = new Bench();
    const first = bench.play('long');
    await bench.nth(1);
    const second = bench.play('newer');
    const next = await bench.nth(2);
    expect(await first).toBeNull();
    expect(bench.live.run.value).toBeNull();
    next.end();
    expect((await second)?.scenario.title).toBe('newer');
  });

  it.each([
    ['at once', 0],
    ['after a small part of it', 100],
  ])('stop the next one, too, if the one before was stopped %s', async (_, abortedAtUs) => {
    const bench = new Bench();
    bench.abortedAtUs = abortedAtUs;
    const a = bench.play('a');
    await bench.nth(1);
    // A simulation of the whole run would take far longer than the part that is simulated here.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const b = bench.play('b');
    await bench.nth(2);
    const c = bench.play('c');
    // Run b has not ended by itself.
    const third = await bench.nth(3);
    expect(third.title).toBe('c');
    third.end();
    expect([await a, await b]).toEqual([null, null]);
    expect((await c)?.scenario.title).toBe('c');
  });

  it('tell what replaces the drawn run', async () => {
    const replaced: (readonly [string | undefined, string])[] = [];
    const bench = new Bench((next) => {
      replaced.push([bench.live.run.value?.scenario.title, next.scenario.title]);
      return Promise.resolve();
    });
    for (const [index, title] of ['a', 'b'].entries()) {
      const run = bench.play(title);
      (await bench.nth(index + 1)).end();
      await run;
    }
    expect(replaced).toEqual([
      [undefined, 'a'],
      ['a', 'b'],
    ]);
  });

  it('keep what was simulated of one that a person cancels', async () => {
    const bench = new Bench();
    const run = bench.play('a');
    await bench.nth(1);
    bench.live.cancel();
    expect((await run)?.result?.cancelled).toBe(true);
  });

  it('show the old run with its own rows until the new one is there', async () => {
    const bench = new Bench();
    const first = bench.play('a');
    const one = await bench.nth(1);
    await one.row();
    one.end();
    await first;
    const rows = (): number[] => [
      ...(bench.trace.data.view({ table: 'throughput', columns: [] }).columns['time_us'] ?? []),
    ];
    expect(rows()).toEqual([1e6]);
    const second = bench.play('b');
    const two = await bench.nth(2);
    await two.row();
    expect(bench.live.run.value?.scenario.title).toBe('a');
    expect(rows()).toEqual([1e6]);
    two.end();
    await second;
    expect(bench.live.run.value?.scenario.title).toBe('b');
    expect(rows()).toEqual([2e6]);
  });

  it('draw a simulation while it runs only if it is expected to take long', async () => {
    const bench = new Bench();
    const run = bench.play('a');
    const one = await bench.nth(1);
    // Half of it took 0.4 s in its worker, so all of it is expected to take 0.8 s.
    await one.row(400);
    expect([bench.live.isLong.value, bench.live.run.value]).toEqual([false, null]);
    await one.row(600);
    expect([bench.live.isLong.value, bench.live.run.value?.scenario.title]).toEqual([true, 'a']);
    one.end();
    expect((await run)?.result).not.toBeNull();
    expect(bench.live.isLong.value).toBe(false);
  });

  it('is not drawn after a reset, even if it had ended before it could be stopped', async () => {
    const bench = new Bench();
    bench.ignoresAbort = true;
    const run = bench.play('a');
    const one = await bench.nth(1);
    bench.live.reset();
    await one.row();
    one.end();
    expect(await run).toBeNull();
    expect(bench.live.run.value).toBeNull();
    expect(bench.trace.data.view({ table: 'throughput', columns: [] }).columns['time_us']).toHaveLength(0);
  });
});
