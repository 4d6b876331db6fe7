/** Scopes with fake charts. A chart's value is the time for which the value was requested. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { together } from '../../src/app/lab/pin.js';
import { Scope } from '../../src/boards/scope.js';
import { lightTheme, type TimeChart } from '../../src/charts/index.js';
import { runScope, type Runs } from '../../src/runs/run_scope.js';
import type { TraceStore } from '../../src/worker/trace/trace_client.js';
import type { TraceView, ViewQuery } from '../../src/trace/index.js';

// `followPaper` listens to events of the window, which Node does not have.
vi.mock('../../src/app/print.js', () => ({ followPaper: () => () => undefined }));

const SHOWN = { window_s: 10, from_s: 0, paused: true };
const EXTENT = { fromUs: null, toUs: null, rows: {}, events: 0, flows: [], links: [] };

class Observer {
  observe(): void {
    // Reports nothing, so every chart counts as visible.
  }
  disconnect(): void {
    // There is nothing to disconnect.
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('IntersectionObserver', Observer);
  vi.stubGlobal('requestAnimationFrame', (work: () => void) => setTimeout(work, 16));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A scope whose store answers with `view`. */
const scopeWith = (view: (query: ViewQuery) => Promise<TraceView>): Scope =>
  new Scope(
    { store: { view, extent: () => Promise.resolve(EXTENT) }, newestUs: () => 0 },
    SHOWN,
    lightTheme,
    () => undefined,
  );

/** A fake chart that reads one column of `rate`. Its value is the time for which the value was requested. */
const chart = {
  canvas: {},
  needs: new Map([['rate', ['target_bps']]]),
  plotWidth: 100,
  valuesIn: (_: unknown, timeUs: number) => ({ target: timeUs }),
  ...Object.fromEntries(
    ['set', 'setGhost', 'draw', 'setMarks', 'shareScales', 'clearGhost'].map((name) => [
      name,
      () => undefined,
    ]),
  ),
} as unknown as TimeChart;

describe('the values of a scope', () => {
  it('are shown although reading them takes longer than the time between two changes', async () => {
    const view = () => new Promise<TraceView>((resolve) => setTimeout(() => resolve({ columns: {} }), 250));
    const scope = scopeWith(view);
    scope.add({} as HTMLElement, () => chart);
    for (let step = 1; step <= 20; step++) {
      scope.axis.setCursor(step * 1e5);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(scope.values.value['target']).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(scope.values.value['target']).toBe(20e5);
    scope.close();
  });

  it('are read again after a reading that failed', async () => {
    let isBroken = true;
    const view = ({ last }: ViewQuery) =>
      isBroken && last !== undefined
        ? Promise.reject(new Error('the worker has ended'))
        : Promise.resolve({ columns: {} });
    const scope = scopeWith(view);
    scope.add({} as HTMLElement, () => chart);
    scope.axis.setCursor(1e6);
    await vi.advanceTimersByTimeAsync(200);
    expect(scope.values.value).toEqual({});
    isBroken = false;
    scope.axis.setCursor(2e6);
    await vi.advanceTimersByTimeAsync(200);
    expect(scope.values.value['target']).toBe(2e6);
    scope.close();
  });
});

describe('two scopes side by side', () => {
  it('have the same cursor, which moves once for each movement', () => {
    const [a, b] = [scopeWith(vi.fn()), scopeWith(vi.fn())];
    const part = together(a, b);
    let changes = 0;
    b.axis.subscribe(() => changes++);
    a.axis.holdCursor(3e6);
    expect([b.axis.cursorUs, b.axis.heldUs, changes]).toEqual([3e6, 3e6, 1]);
    a.axis.setCursor(4e6);
    a.axis.setCursor(5e6);
    expect([b.axis.cursorUs, b.axis.heldUs, changes]).toEqual([5e6, 3e6, 3]);
    a.axis.setCursor(null);
    expect([b.axis.cursorUs, b.axis.heldUs, changes]).toEqual([3e6, 3e6, 4]);
    a.axis.holdCursor(null);
    expect([b.axis.cursorUs, b.axis.heldUs, changes]).toEqual([null, null, 5]);
    part();
    [a, b].forEach((scope) => scope.close());
  });
});

describe('the ghost of a scope', () => {
  it('is not kept if it was dropped while its rows were read', async () => {
    const view = () => new Promise<TraceView>((resolve) => setTimeout(() => resolve({ columns: {} }), 100));
    const scope = scopeWith(view);
    scope.add({} as HTMLElement, () => chart);
    const kept = scope.keepGhost();
    scope.dropGhost();
    await vi.advanceTimersByTimeAsync(200);
    await kept;
    expect(scope.hasKeptGhost.value).toBe(false);
    const again = scope.keepGhost();
    await vi.advanceTimersByTimeAsync(200);
    await again;
    expect(scope.hasKeptGhost.value).toBe(true);
    scope.close();
  });
});

describe('a scope of a run', () => {
  it('keeps the window of a whole run when it follows', () => {
    const scope = scopeWith(vi.fn());
    scope.show({ fromUs: 0, toUs: 60e6 }, { fromUs: 0, toUs: 60e6 });
    scope.axis.follow();
    expect(scope.axis.window).toEqual({ fromUs: 0, toUs: 60e6 });
    scope.close();
  });
});

describe('the charts of runs', () => {
  it('keep their window when the rows of a discarded run arrive', async () => {
    const store = { extent: () => Promise.resolve(EXTENT) } as unknown as TraceStore;
    const runs: Runs & { durationUs: number } = {
      ...{ store, newestUs: 0, durationUs: 60e6 },
      onRows: () => Promise.resolve(),
    };
    const scope = runScope(
      runs,
      () => ({ window_s: 0, from_s: 0 }),
      () => undefined,
    );
    await runs.onRows('all');
    expect(scope.axis.window).toEqual({ fromUs: 0, toUs: 60e6 });
    runs.durationUs = 0;
    await runs.onRows('all');
    expect(scope.axis.window).toEqual({ fromUs: 0, toUs: 60e6 });
    scope.close();
  });

  it('remember the whole run as such, and not its length', async () => {
    const store = { extent: () => Promise.resolve(EXTENT) } as unknown as TraceStore;
    const runs: Runs = { ...{ store, newestUs: 0, durationUs: 60e6 }, onRows: () => Promise.resolve() };
    const remembered: [number, number][] = [];
    const scope = runScope(
      runs,
      () => ({ window_s: 10, from_s: 5 }),
      ({ window_s, from_s }) => void remembered.push([window_s, from_s]),
    );
    await runs.onRows('all');
    scope.axis.setWindow({ fromUs: 10e6, toUs: 20e6 });
    scope.axis.setWindow({ fromUs: 0, toUs: 60e6 });
    await vi.advanceTimersByTimeAsync(500);
    expect(remembered).toEqual([
      [10, 10],
      [0, 0],
    ]);
    scope.close();
  });
});
