/** Changes in the middle of a simulation. A change must affect nothing before its time, and must apply from then on. */
import { beforeAll, describe, expect, it } from 'vitest';

import {
  CoreError,
  loadCore,
  tableSpec,
  type Core,
  type SimulationChange,
  type SimulationOptions,
  type TableName,
} from '../../src/core/index.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const CHANGE_US = 5e6;
const END_US = 10e6;

function rowsOf(
  changes: readonly SimulationChange[],
  table: TableName,
  more: Partial<SimulationOptions> = {},
) {
  const simulation = core.createSimulation({
    durationUs: END_US,
    forward: { capacityBps: 1e6, oneWayDelayUs: 20e3 },
    flows: [{ kind: 'tcp' }, { kind: 'media', preset: 'gcc', startUs: 1e6 }],
    trace: { tables: [table], intervalUs: 50e3 },
    changes,
    ...more,
  });
  try {
    simulation.runUntil(Infinity);
    const batches = simulation.drain();
    const names = tableSpec(table).columns.map(({ name }) => name);
    return batches.flatMap(({ columns, rows }) =>
      Array.from({ length: rows }, (_, row) =>
        Object.fromEntries(names.map((name, index) => [name, columns[index]?.[row] ?? NaN])),
      ),
    );
  } finally {
    simulation.destroy();
  }
}

const before = (row: Record<string, number>): boolean => (row['time_us'] ?? NaN) <= CHANGE_US;
const largest = (values: readonly number[]): number => Math.max(...values);

describe('changes in the middle of a simulation', () => {
  it('leave everything before them as it was', () => {
    const without = rowsOf([], 'packet').filter(before);
    const changes: SimulationChange[] = [
      {
        atUs: CHANGE_US,
        forward: { lossRatio: 0.2, queue: { kind: 'codel' } },
        backward: { oneWayDelayUs: 80e3 },
      },
    ];
    const withThem = rowsOf(changes, 'packet').filter(before);
    expect(without.length).toBeGreaterThan(300);
    expect(withThem).toEqual(without);
  });

  it('make another queue of the one that waits', () => {
    const changes = [{ atUs: CHANGE_US, forward: { queue: { kind: 'droptail' as const, limitMs: 50 } } }];
    const rows = rowsOf(changes, 'queue');
    // TCP fills the DropTail queue. The queue holds 300 ms before the change and 50 ms after it.
    expect(largest(rows.filter(before).map((row) => row['queue_delay_us'] ?? NaN))).toBeGreaterThan(200e3);
    const later = rows.filter((row) => !before(row)).map((row) => row['queue_delay_us'] ?? NaN);
    expect(largest(later)).toBeLessThan(65e3);
    expect(largest(later)).toBeGreaterThan(30e3);
  });

  it('lose and delay packets from their time on', () => {
    const lost = rowsOf([{ atUs: CHANGE_US, forward: { lossRatio: 1 } }], 'packet');
    const passed = lost.filter((row) => row['dropped'] === 0).map((row) => row['time_us'] ?? NaN);
    // Packets that are already in the queue when the link changes are still sent. They leave within 300 ms,
    // the queue's limit.
    expect(largest(passed)).toBeGreaterThan(CHANGE_US);
    expect(largest(passed)).toBeLessThan(CHANGE_US + 350e3);

    const flows: SimulationOptions['flows'] = [{ kind: 'media', preset: 'gcc' }];
    const forward = { capacityBps: 100e6, oneWayDelayUs: 20e3 };
    const far = rowsOf(
      [{ atUs: CHANGE_US, forward: { oneWayDelayUs: 90e3 }, backward: { oneWayDelayUs: 30e3 } }],
      'arrival',
      { flows, forward },
    );
    const delay = (row: Record<string, number>): number =>
      (row['arrival_time_us'] ?? NaN) - (row['send_time_us'] ?? NaN);
    const early = far.filter((row) => (row['send_time_us'] ?? NaN) < CHANGE_US - 100e3).map(delay);
    const late = far.filter((row) => (row['send_time_us'] ?? NaN) > CHANGE_US).map(delay);
    expect(Math.min(...early)).toBeCloseTo(20e3, -3);
    expect(largest(early)).toBeLessThan(30e3);
    expect(Math.min(...late)).toBeGreaterThan(89e3);
    expect(largest(late)).toBeLessThan(100e3);
  });

  it('end outages, and jitter, that a path began with', () => {
    const outages = { meanOnUs: 100e3, meanOffUs: 100e3 };
    const flows: SimulationOptions['flows'] = [{ kind: 'tcp' }];
    const rows = rowsOf(
      [{ atUs: CHANGE_US, forward: { outages: null, jitterUs: 0, reordering: null, bottleneck: 'serial' } }],
      'queue',
      { flows, forward: { capacityBps: 1e6, outages, jitterUs: 2e3 } },
    );
    const through = (from: number, to: number): number => {
      const within = rows.filter((row) => (row['time_us'] ?? NaN) >= from && (row['time_us'] ?? NaN) <= to);
      return (within.at(-1)?.['delivered_bytes'] ?? NaN) - (within[0]?.['delivered_bytes'] ?? NaN);
    };
    const half = through(1e6, CHANGE_US) / 4;
    const whole = through(6e6, END_US) / 4;
    expect(half).toBeGreaterThan(0.3 * 125e3);
    expect(half).toBeLessThan(0.75 * 125e3);
    expect(whole).toBeGreaterThan(0.95 * 125e3);
    expect(whole).toBeLessThan(1.01 * 125e3);
  });

  it('give a controller other parameters', () => {
    const controller = { flow: 1, preset: 'gcc', parameters: { max_bitrate_bps: 100e3 } };
    const rows = rowsOf([{ atUs: CHANGE_US, controller }], 'rate', {
      flows: [
        { kind: 'tcp', stopUs: 10e3 },
        { kind: 'media', preset: 'gcc' },
      ],
    }).filter((row) => row['flow'] === 1);
    const targets = (from: number, to: number): number[] =>
      rows
        .filter((row) => (row['time_us'] ?? NaN) >= from && (row['time_us'] ?? NaN) <= to)
        .map((row) => row['target_bps'] ?? NaN);
    expect(Math.min(...targets(4e6, CHANGE_US))).toBeGreaterThan(300e3);
    expect(largest(targets(6e6, END_US))).toBe(100e3);
  });

  it('keep the preset of a flow whose controller gets other parameters', () => {
    const flows: SimulationOptions['flows'] = [{ kind: 'media', preset: 'nada-2015' }];
    const parameters = { max_bitrate_bps: 600e3 };
    const changed = (preset?: string) =>
      rowsOf([{ atUs: CHANGE_US, controller: { flow: 0, parameters, ...(preset && { preset }) } }], 'rate', {
        flows,
      });
    expect(changed()).toEqual(changed('nada-2015'));
    expect(changed()).not.toEqual(changed('nada-rfc8698'));
  });

  it.each<[string, SimulationChange[], string]>([
    ['changes.1.atUs', [{ atUs: 2e6 }, { atUs: 1e6 }], 'expected a time at or after the previous change'],
    ['changes.0.forward.lossRatio', [{ atUs: 1e6, forward: { lossRatio: 2 } }], 'expected 0 to 1'],
    [
      'changes.0.backward.capacityBps',
      [{ atUs: 1e6, backward: { jitterUs: 1 } }],
      'expected a path that has a capacity',
    ],
    [
      'changes.0.controller.flow',
      [{ atUs: 1e6, controller: { flow: 0 } }],
      'expected the number of a media flow',
    ],
    [
      'changes.0.controller.parameters.k_u',
      [{ atUs: 1e6, controller: { flow: 1, parameters: { k_u: 7 } } }],
      'expected',
    ],
  ])('name %s where they are refused', (field, changes, expected) => {
    const run = (): unknown => rowsOf(changes, 'queue');
    expect(run).toThrow(CoreError);
    expect(run).toThrow(`${field}: `);
    expect(run).toThrow(expected);
  });
});
