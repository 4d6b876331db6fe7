import { describe, expect, it } from 'vitest';

import { TraceData } from '../../../src/trace/index.js';
import { seeded } from './support.js';

const GROUP = new TraceData().table('group').spec;

function groups(
  rows: readonly { time_us: number; m_ms?: number; gamma_ms?: number; flow?: number }[],
): TraceData {
  const trace = new TraceData();
  const columns = GROUP.columns.map(({ name }) =>
    Float64Array.from(rows, (row) => (row as Record<string, number>)[name] ?? NaN),
  );
  trace.append({ table: 'group', rows: rows.length, columns });
  return trace;
}

function finite(values: Float64Array | undefined): number[] {
  return [...(values ?? [])].filter((value) => !Number.isNaN(value));
}

describe('view', () => {
  it('keeps the extremes of every column, the order and the limit', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = seeded(seed);
      let now = 0;
      const rows = Array.from({ length: 5000 }, () => ({
        time_us: (now += Math.floor(random() * 50000)),
        m_ms: random() < 0.05 ? NaN : random() ** 8 - random() ** 8,
        gamma_ms: 6 + random(),
      }));
      const maxPoints = 10 + Math.floor(random() * 500);
      const fromUs = now * random() * 0.5;
      const toUs = fromUs + now * 0.5;
      const view = groups(rows).view({
        table: 'group',
        columns: ['m_ms', 'gamma_ms'],
        fromUs,
        toUs,
        maxPoints,
      });
      const inside = rows.filter((row) => row.time_us >= fromUs && row.time_us <= toUs);
      const { time_us: time, m_ms: m, gamma_ms: gamma } = view.columns;
      expect(time?.length).toBeLessThanOrEqual(maxPoints);
      expect(time?.length).toBeGreaterThan(maxPoints / 8);
      expect([...(time ?? [])]).toEqual([...(time ?? [])].sort((a, b) => a - b));
      const all = inside.map((row) => row.m_ms).filter((value) => !Number.isNaN(value));
      expect(Math.min(...finite(m))).toBe(Math.min(...all));
      expect(Math.max(...finite(m))).toBe(Math.max(...all));
      expect(Math.max(...finite(gamma))).toBe(Math.max(...inside.map((row) => row.gamma_ms)));
    }
  });

  it('returns the last rows of a period if they suffice', () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({ time_us: i * 1000, m_ms: i, flow: i % 2 }));
    const query = {
      table: 'group' as const,
      columns: ['m_ms'],
      where: { column: 'flow', value: 1 },
      last: 2,
    };
    for (const stored of [rows, [...rows].reverse()]) {
      const last = (fromUs: number, toUs: number) => [
        ...(groups(stored).view({ ...query, fromUs, toUs }).columns['m_ms'] ?? []),
      ];
      expect(last(10_000, 20_500)).toEqual([17, 19]);
      expect(last(10_000, 19_000)).toEqual([17, 19]);
      expect(last(11_000, 11_500)).toEqual([11]);
      expect(last(200_000, 300_000)).toEqual([]);
    }
    expect(groups(rows).view({ ...query, where: undefined }).columns['m_ms']).toEqual(
      Float64Array.of(98, 99),
    );
  });

  it("keeps each bucket's own extremes, not just the global ones", () => {
    const rows = Array.from({ length: 10000 }, (_, i) => ({
      time_us: i * 1000,
      m_ms: i % 1000 === 500 ? 9 : Math.sin(i),
    }));
    const view = groups(rows).view({ table: 'group', columns: ['m_ms'], maxPoints: 100 });
    expect(finite(view.columns['m_ms']).filter((value) => value === 9)).toHaveLength(10);
  });

  it('keeps a gap a gap', () => {
    const rows = Array.from({ length: 3000 }, (_, i) => ({
      time_us: i,
      m_ms: i >= 1000 && i < 2000 ? NaN : 1,
    }));
    const { time_us, m_ms } = groups(rows).view({ table: 'group', columns: ['m_ms'], maxPoints: 60 }).columns;
    const gap = [...(m_ms ?? [])].flatMap((value, i) => (Number.isNaN(value) ? [time_us?.[i] ?? -1] : []));
    expect(gap.length).toBeGreaterThan(3);
    expect(Math.min(...gap)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...gap)).toBeLessThan(2000);
  });

  it('shows the same rows while a window slides within a bucket', () => {
    const random = seeded(5);
    const rows = Array.from({ length: 20000 }, (_, i) => ({ time_us: i * 1000, m_ms: random() }));
    const trace = groups(rows);
    const times = (fromUs: number): number[] => {
      const query = {
        table: 'group' as const,
        columns: ['m_ms'],
        fromUs,
        toUs: fromUs + 10e6,
        maxPoints: 200,
      };
      const all = [...(trace.view(query).columns['time_us'] ?? [])];
      return all.filter((time) => time > 4e6 && time < 12e6);
    };
    expect(times(3_010_000)).toEqual(times(3_050_000));
  });

  it('returns everything where it fits, one flow where asked, in order of time', () => {
    const rows = [
      { time_us: 5, m_ms: 1, flow: 0 },
      { time_us: 3, m_ms: 2, flow: 1 },
      { time_us: 4, m_ms: 3, flow: 1 },
      { time_us: 1, m_ms: 4, flow: 0 },
    ];
    const trace = groups(rows);
    const all = trace.view({ table: 'group', columns: ['m_ms'] }).columns;
    expect([...(all['time_us'] ?? [])]).toEqual([1, 3, 4, 5]);
    expect([...(all['m_ms'] ?? [])]).toEqual([4, 2, 3, 1]);
    const one = trace.view({
      table: 'group',
      columns: ['m_ms'],
      where: { column: 'flow', value: 1 },
    }).columns;
    expect([...(one['m_ms'] ?? [])]).toEqual([2, 3]);
    expect(trace.extent()).toMatchObject({ fromUs: 1, toUs: 5 });
  });

  it('names a column that does not exist', () => {
    expect(() => groups([]).view({ table: 'group', columns: ['mm'] })).toThrow(/columns: .*group, got mm/);
  });
});

describe('extent', () => {
  it('is empty for an empty trace', () => {
    expect(new TraceData().extent()).toMatchObject({ fromUs: null, toUs: null, events: 0 });
  });
});
