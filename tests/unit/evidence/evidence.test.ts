/** The evidence files of a synthetic call, in which every packet is known to the test. */
import { writeFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from 'vitest';

import { tableSpec } from '../../../src/core/schema.js';
import { pageReport } from '../../../src/command_line/call/page_report.js';
import { chartsOf } from '../../../src/evidence/charts.js';
import { evidenceHtml } from '../../../src/evidence/html.js';
import type { EvidenceInput } from '../../../src/evidence/input.js';
import { measure } from '../../../src/evidence/measure.js';
import { metricsJson } from '../../../src/evidence/metrics.js';
import { picture } from '../../../src/evidence/picture.js';
import { propertiesOf } from '../../../src/evidence/properties.js';
import { mediaTable, packetTable } from '../../../src/evidence/tables.js';
import { traceLines } from '../../../src/evidence/trace.js';
import type { CallRecord, PacketColumns } from '../../../src/calls/record/record.js';
import { checkHeader } from '../../../src/trace/index.js';
import { ccscope, rows, scratch } from '../../node/support.js';
import { endpoint, inbound, sample } from '../judge/synthetic.js';
import { syntheticCall } from './synthetic_record.js';

let record: CallRecord;
let input: EvidenceInput;
const files = scratch();

beforeAll(async () => {
  record = await syntheticCall();
  const window = { fromUs: 12e6, toUs: 18e6 };
  const judgement = {
    pass: false,
    settled: true,
    final: true,
    dueUs: null,
    expected: 'to recover',
    received: 'it did not',
    cause: null,
    window,
    metrics: null,
  };
  const judged = [{ matcher: 'toRecoverWithin', judgement, isNot: false, timeUs: 18e6, view: {} }];
  input = {
    record,
    judged,
    metrics: measure(record),
    title: 'a test',
    outcome: 'failed',
    error: '',
    created: new Date(0),
  };
});

const packets = (): PacketColumns => {
  const { forward } = record.link ?? {};
  if (!forward) throw new Error('no packets');
  return forward.packets;
};

/** The indices of the packets for which `holds` is true. */
const which = (holds: (i: number) => boolean): number[] =>
  Array.from({ length: packets().rows }, (_, i) => i).filter(holds);

describe('a call whose video never arrives', () => {
  const without = (): EvidenceInput => {
    const [sender, receiver] = record.endpoints;
    if (!sender || !receiver) throw new Error('the call has no two ends');
    const samples = receiver.samples.map((each) => ({ ...each, inbound: [] }));
    const endpoints = [sender, { ...receiver, samples, freezes: [] }];
    const blind = { ...record, endpoints };
    return { ...input, record: blind, metrics: measure(blind) };
  };

  it('has no number of freezes, which would be the best there is', () => {
    expect(propertiesOf(input.metrics).get('freezes')).toBe(1);
    expect(propertiesOf(input.metrics).get('longest_freeze_ms')).toBe(900);
    const names = [...propertiesOf(without().metrics).keys()];
    expect(names).toContain('received_bps');
    expect(names).not.toContain('freezes');
    expect(names).not.toContain('longest_freeze_ms');
    expect(metricsJson(without())['call']).toMatchObject({
      freezes: null,
      longest_freeze_ms: null,
      frozen_ms: null,
    });
  });

  it('says so on the page and in the report of a call', () => {
    const tile = (page: string): string => /<dt>Freezes<\/dt>\s*<dd>(.*?)<\/dd>/s.exec(page)?.[1] ?? '';
    expect(tile(evidenceHtml(input))).toBe('1 <small>longest 0.9 s</small>');
    expect(tile(evidenceHtml(without()))).toBe('– <small>no video was received</small>');
    const reportOf = (of: EvidenceInput) => pageReport(of, { fromUs: 0, toUs: 30e6 }, false);
    expect(reportOf(input)).toMatchObject({ freeze_count: 1, longest_freeze_s: 0.9 });
    expect(reportOf(without())).toMatchObject({ freeze_count: null, longest_freeze_s: null });
  });

  it('counts overuses if a detector watched, and knows none if it could not', () => {
    const reportOf = (shadows: CallRecord['shadows']) =>
      pageReport({ ...input, record: { ...record, shadows } }, { fromUs: 0, toUs: 30e6 }, false);
    const [shadow] = record.shadows;
    if (!shadow) throw new Error('nothing watched the call');
    const { columns } = tableSpec('group');
    const states = columns.find(({ name }) => name === 'signal')?.values ?? [];
    const signals = ['overuse', 'overuse', 'normal', 'overuse', 'underuse', 'overuse', 'overuse'];
    const values = Float64Array.from(signals, (signal) => states.indexOf(signal));
    const batch = {
      ...{ table: 'group' as const, rows: values.length },
      columns: columns.map(({ name }) => (name === 'signal' ? values : new Float64Array(values.length))),
    };
    expect(reportOf([{ ...shadow, batches: [batch] }]).overuse_count).toBe(3);
    // The detector has judged nothing yet.
    expect(reportOf([{ ...shadow, batches: [] }]).overuse_count).toBeNull();
    expect(reportOf([])).toMatchObject({ overuse_count: null, shadows: [] });
  });
});

describe('why a controller that watched would have changed its target', () => {
  it('is a line for each change, of the stream that it watched, and leads to its moment', () => {
    const arrivals = record.shadows[0]?.batches ?? [];
    const rate = tableSpec('rate').columns.map(({ name }) =>
      Float64Array.from([1e6, 1e6, 0.5e6], (target, i) =>
        name === 'flow' ? 0 : name === 'time_us' ? i * 2e6 : name === 'target_bps' ? target : NaN,
      ),
    );
    const batches = [...arrivals, { table: 'rate' as const, rows: 3, columns: rate }];
    const shadows = record.shadows.map((shadow) => ({ ...shadow, batches }));
    const [main] = chartsOf({ ...record, shadows }, []).directions;
    expect(main?.reasons).toMatchObject([
      {
        label: 'GCC watching video 1001',
        lines: [
          { timeUs: 1, down: false },
          { timeUs: 4e6, down: true, text: expect.stringContaining('target × 0.50 of 1 Mbps') as string },
        ],
      },
    ]);
  });

  it('is left out where none set a target', () => {
    expect(chartsOf(record, []).directions.map(({ reasons }) => reasons)).toEqual(
      chartsOf(record, []).directions.map(() => []),
    );
  });
});

describe('the trace', () => {
  it('has a time in which the machine was too busy, at its beginning and its end', () => {
    const late = Array.from({ length: 20 }, (_, i) => ({ timeUs: (i + 1) * 1e6, lateMs: i < 10 ? 90 : 1 }));
    const busy = { ...input, record: { ...record, late } };
    const events = [...traceLines(busy)].filter((line) => line.includes('"machine_'));
    expect(events.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { time_us: 5e6, name: 'machine_overloaded', detail: { reasons: [{ by: 'callbacks', value: 90 }] } },
      { time_us: 13e6, name: 'machine_recovered', detail: { for_us: 8e6 } },
    ]);
    expect(metricsJson(busy)['machine']).toMatchObject({
      overloaded: true,
      reasons: ['callbacks'],
      callbacks_late_ms: 90,
    });
    expect([...traceLines(input)].filter((line) => line.includes('"machine_'))).toEqual([]);
    expect(metricsJson(input)['machine']).toMatchObject({ overloaded: false, share: 0, reasons: [] });
  });

  it('names the preset of the GCC that watched, with which a replay runs', () => {
    const [header = ''] = traceLines(input);
    expect(JSON.parse(header)).toMatchObject({ controller: 'gcc', preset: 'gcc-live' });
  });

  it('is one that ccscope replay takes, frame by frame', async () => {
    const path = files.path('call.ndjson');
    writeFileSync(path, `${[...traceLines(input)].join('\n')}\n`);
    const { status, stdout, stderr } = await ccscope(['replay', path, '--preset', 'gcc']);
    expect(status, stderr).toBe(0);
    const groups = rows(stdout).filter(({ type }) => type === 'group');
    const frames = record.endpoints[1]?.frames.rows ?? 0;
    // The last group of frames is never complete, because no further group begins. The first group has no
    // previous group to compare it with.
    expect(groups.length).toBeGreaterThan(frames - 5);
    expect(groups.length).toBeLessThan(frames);
  });

  it('says in its head what it is of', () => {
    const [head = ''] = traceLines(input);
    const header = checkHeader(JSON.parse(head), 1, undefined);
    expect(header).toMatchObject({
      ccscope_trace: 1,
      source: 'test',
      backend: 'shaper',
      frame_source: 'transform',
      origin_epoch_ms: record.originEpochMs,
      flows: [{ flow: 0, name: 'page 1 → page 2, video 1001' }],
    });
  });

  it('has the queue, and what happened, each in order', () => {
    const lines = rows([...traceLines(input)].slice(1).join('\n'));
    const times = (type: string): number[] =>
      lines.filter((row) => row['type'] === type).map((row) => Number(row['time_us']));
    expect(times('queue')).toEqual(record.link?.forward?.rows.map(({ time_us }) => time_us));
    const events = lines.filter(({ type }) => type === 'event');
    expect(events.map(({ name }) => name)).toEqual([
      'link',
      ...Array<string>(4).fill('connection_state'),
      'link',
      'freeze',
      // Three incidents: both ends report that the rate fell, and the receiving end also reports the freeze.
      ...Array<string>(3).fill('incident'),
      'expectation',
      'link',
    ]);
    expect([...times('event')].sort((a, b) => a - b)).toEqual(times('event'));
  });
});

describe('the metrics', () => {
  it('count from the connecting at 0.5 s', () => {
    const metrics = metricsJson(input);
    // 11.5 s at 1 Mbps, 8 s at 0.5 Mbps and 10 s at 1 Mbps make 25.5 Mbit in 29.5 s. The metrics end slightly
    // before 30 s, hence the tolerance of 1 %.
    expect(metrics['call']).toMatchObject({ from_us: 5e5 });
    const call = metrics['call'] as Record<string, number>;
    expect(call['capacity_mean_bps']).toBeGreaterThan(0.99 * (25.5e6 / 29.5));
    expect(call['capacity_mean_bps']).toBeLessThan(1.01 * (25.5e6 / 29.5));
    // The fall of the capacity fills the drop-tail queue, which holds 300 ms of data. So the longest wait is
    // about 300 ms.
    expect(call['queue_delay_max_ms']).toBeGreaterThan(250);
    expect(call['queue_delay_max_ms']).toBeLessThan(312);
  });

  it('count up to the end of the call, though the record goes on', () => {
    // The call ends at 20 s. Until then, the capacity is 1 Mbps for 11.5 s and 0.5 Mbps for 8 s: 15.5 Mbit in 19.5 s.
    const [offerer, answerer] = record.endpoints;
    if (offerer === undefined || answerer === undefined) throw new Error('no endpoints');
    const states = [...offerer.states, { timeUs: 20e6, state: 'closed' as const }];
    const ended = { ...record, endpoints: [{ ...offerer, states }, answerer] };
    const { call, connections } = measure(ended);
    expect(call?.window).toEqual({ fromUs: 5e5, toUs: 20e6 });
    expect(connections.map(({ metrics }) => metrics.window)).toEqual([call?.window]);
    expect(call?.capacityBps).toBeCloseTo(15.5e6 / 19.5, 3);
    expect(measure(record).call?.window.toUs).toBeGreaterThan(29.9e6);
  });

  it('name what went wrong: at both ends the rate fell to about a half', () => {
    const incidents = metricsJson(input)['incidents'] as Record<string, unknown>[];
    expect(incidents.map(({ kind, direction }) => `${String(direction)} ${String(kind)}`).sort()).toEqual([
      'receive freeze',
      'receive rate-fall',
      'send rate-fall',
    ]);
    for (const { kind, before_bps, after_bps, from_us } of incidents) {
      if (kind !== 'rate-fall') continue;
      expect(Number(after_bps) / Number(before_bps)).toBeGreaterThan(0.35);
      expect(Number(after_bps) / Number(before_bps)).toBeLessThan(0.7);
      expect(Number(from_us)).toBeGreaterThan(12e6);
      expect(Number(from_us)).toBeLessThan(15e6);
    }
  });

  it('name every expectation with its verdict', () => {
    expect(metricsJson(input)['expectations']).toMatchObject([
      { matcher: 'toRecoverWithin', pass: false, received: 'it did not', from_us: 12e6, to_us: 18e6 },
    ]);
  });

  it('say nothing of a call that was never connected', () => {
    const unconnected = {
      ...record,
      endpoints: record.endpoints.map((one) => ({ ...one, states: [] })),
    };
    expect(measure(unconnected)).toEqual({ call: null, connections: [], timeTo90S: null, incidents: [] });
  });
});

describe('the charts', () => {
  it('have the rates of all that passed', () => {
    const [forward] = chartsOf(record, []).directions;
    const rates = forward?.tables['rates'];
    const binS = 0.25;
    expect(rates?.['time_us']?.[0]).toBe(binS * 1e6);
    const bits = (rates?.['link_bps'] ?? []).reduce<number>((sum, bps) => sum + (bps ?? 0) * binS, 0);
    const { sizeBytes, reason } = packets();
    const sent = which((i) => reason[i] === 0).reduce((sum, i) => sum + 8 * (sizeBytes[i] ?? 0), 0);
    // The rate of each bin is rounded to whole bits per second.
    expect(Math.abs(bits - sent)).toBeLessThan(200);
  });

  it('estimate queuing delays where nobody saw the packets, and say so', () => {
    const { link } = record;
    if (link === null) throw new Error('no link');
    const unseen: CallRecord = {
      ...record,
      connections: record.connections.map((one) => ({ ...one, flows: [] })),
      link: { ...link, backend: 'devtools', forward: null, backward: null },
    };
    const [seen] = chartsOf(record, []).directions;
    const [estimated] = chartsOf(unseen, []).directions;
    expect([seen?.delaysAreEstimates, estimated?.delaysAreEstimates]).toEqual([false, true]);
    expect(Object.keys(estimated?.tables ?? {})).toEqual(['packets', 'delays', 'media', 'group', 'video']);
    // The estimate for a frame contains the queuing delay of its packets, and also their transmission times.
    const p95 = estimated?.queueDelayMs?.p95 ?? NaN;
    expect(p95).toBeGreaterThan((seen?.queueDelayMs?.p95 ?? NaN) * 0.8);
    expect(p95).toBeLessThan((seen?.queueDelayMs?.p95 ?? NaN) + 40);
  });

  describe('of received rates', () => {
    /** A receiver of a steady megabit per second from the beginning of the call, with samples at these times. */
    const receiver = (timesS: readonly number[]) =>
      endpoint(1, 0, {
        samples: timesS.map((s) => sample(s, { inbound: [inbound({ bytesReceived: s * 125_000 })] })),
      });
    const rates = (timesS: readonly number[], others: readonly (readonly number[])[] = []) =>
      mediaTable([], [timesS, ...others].map(receiver), 20e6)['received_bps'] ?? [];
    const everySecond = Array.from({ length: 20 }, (_, i) => i + 0.25);
    const unsteady = Array.from({ length: 40 }, (_, i) => i / 2 + (i % 3) * 0.01);

    it.each([
      ['once a second', everySecond],
      ['twice a second, some of them late', unsteady],
    ])('have the same rate wherever samples come %s', (_, timesS) => {
      const known = rates(timesS).filter((bps) => bps !== null);
      expect(known.length).toBeGreaterThan(36);
      for (const bps of known) expect(bps).toBeCloseTo(1e6, -1);
    });

    it('end with the first of the receivers’ last samples', () => {
      const both = rates(everySecond, [unsteady.slice(0, -2)]);
      expect(both.slice(1, 37).every((bps) => Math.abs((bps ?? 0) - 2e6) < 10)).toBe(true);
      expect(both.slice(37)).toEqual([null, null, null]);
    });

    it('go on when a receiver left in the middle of the call', () => {
      const left = rates(unsteady, [everySecond.slice(0, 10)]);
      expect(left[17]).toBeCloseTo(2e6, -1);
      expect(left[20]).toBeCloseTo(1e6, -1);
    });
  });

  it('count every loss once, by its reason', () => {
    const [forward] = chartsOf(record, []).directions;
    const { reason } = packets();
    const last = (name: string): number | null | undefined => forward?.tables['loss']?.[name]?.at(-1);
    expect(last('random')).toBe(which((i) => reason[i] === 1).length);
    expect(last('queue')).toBe(which((i) => (reason[i] ?? 0) > 1).length);
    expect(last('queue')).toBeGreaterThan(0);
  });

  it('put what overlaps below one another', () => {
    const twice = [...input.judged, ...input.judged];
    const { lanes, spans } = chartsOf(record, twice);
    expect(lanes).toEqual(['link', 'expect', '', 'states', '', 'freezes']);
    for (const [lane] of lanes.entries()) {
      const own = spans.filter((span) => span.lane === lane).sort((a, b) => a.fromUs - b.fromUs);
      own.slice(1).forEach((span, i) => expect(span.fromUs).toBeGreaterThanOrEqual(own[i]?.toUs ?? 0));
    }
  });

  it('keep the largest wait of very many packets', () => {
    const count = 50_000;
    const column = (value: (i: number) => number): Float64Array =>
      Float64Array.from({ length: count }, (_, i) => value(i));
    const many: PacketColumns = {
      rows: count,
      offeredUs: column((i) => i * 100),
      departUs: column((i) => i * 100),
      sizeBytes: column(() => 100),
      queueDelayUs: column((i) => (i === 31_234 ? 77_000 : i % 50)),
      reason: column(() => 0),
      flow: column(() => 1),
    };
    const { time_us: times = [], queue_delay_ms: delays = [] } = packetTable(many);
    expect(times.length).toBeLessThanOrEqual(12_000);
    expect(times[delays.indexOf(77)]).toBe(3_123_400);
  });
});

it('a picture without a browser is a sentence on why', async () => {
  expect(await picture('<p></p>', null)).toEqual({ missing: expect.stringContaining('browser') as string });
});
