import { describe, expect, it } from 'vitest';

import type { CallRecord, ShadowRecord } from '../../../src/calls/record/record.js';
import { loadCore, tableSpec, type TableName, type TraceBatch } from '../../../src/core/index.js';
import type { Action, ActionResult, PageBatch, PageMessage } from '../../../src/inject/protocol.js';
import { collector, recordedFlows, Replayer, TraceReader, type TraceSink } from '../../../src/trace/index.js';
import {
  NoRecordingError,
  recordOfTrace,
  Watch,
  type ExportOptions,
  type WatchOptions,
} from '../../../src/watch/index.js';
import { incidentsOfTrace } from '../../../src/watch/recorded_incidents.js';
import { seen as callSeen } from '../judge/incident_calls.js';
import { MID, PAGE_URL, pageBatches, SSRC, type PageOptions } from './synthetic_page.js';

const ORIGIN_MS = 1_790_000_000_000;
/** A queuing delay that grows to 200 ms and falls again every 20 s. */
const queueUs = (timeUs: number): number => {
  const s = (timeUs / 1e6) % 20;
  return s < 8 ? 0 : s < 12 ? (s - 8) * 50_000 : Math.max(0, (14 - s) * 100_000);
};

async function watched(page: PageOptions, options: Partial<WatchOptions> = {}): Promise<Watch> {
  const watch = new Watch({ originEpochMs: ORIGIN_MS, load: () => loadCore(), ...options });
  let hasBegun = false;
  for (const batch of pageBatches(page)) {
    watch.hear(batch, { page: 0, place: 'page' });
    if (!hasBegun) await watch.settled();
    hasBegun = true;
  }
  return watch;
}

function fileOf(watch: Watch, options?: ExportOptions): string {
  const { before, after } = watch.export(options);
  return before + [...after].join('');
}

const read = (text: string, sink: TraceSink): void => {
  const reader = new TraceReader(sink);
  reader.push(new TextEncoder().encode(text));
  reader.end();
};

/** All rows of one flow in a table, column by column. */
function columnsOf(batches: readonly TraceBatch[], table: TableName, flow: number): number[][] {
  const names = tableSpec(table).columns.map(({ name }) => name);
  const own = batches.filter((batch) => batch.table === table);
  const flows = own.flatMap(({ columns, rows }) =>
    [...(columns[names.indexOf('flow')] ?? [])].slice(0, rows),
  );
  return names.map((_, i) =>
    own
      .flatMap(({ columns, rows }) => [...(columns[i] ?? [])].slice(0, rows))
      .filter((_value, row) => flows[row] === flow),
  );
}

/** The rows of one flow in a recording's table, column by column. */
function recorded(text: string, table: TableName, flow: number): number[][] {
  const { sink, trace } = collector();
  read(text, sink);
  const data = trace.table(table);
  const columns = data.spec.columns.map((_, i) => data.column(i));
  return columnsOf([{ table, rows: data.rows, columns }], table, flow);
}

async function replayed(text: string, options: { controller?: 'nada' | 'lcc' } = {}): Promise<TraceBatch[]> {
  const batches: TraceBatch[] = [];
  const replayer = new Replayer(await loadCore(), { ...options, emit: (batch) => batches.push(batch) });
  read(text, replayer);
  replayer.end();
  replayer.destroy();
  return batches;
}

const shadowRows = ({ batches, flows }: ShadowRecord): unknown =>
  flows.map(({ flow }) =>
    (['arrival', 'inbound', 'group', 'feedback', 'rate', 'nada', 'lcc'] as const).map((table) =>
      columnsOf(batches, table, flow),
    ),
  );

/** A record in a form that can be compared: it does not depend on the batches in which rows arrived. */
const seen = (record: CallRecord): unknown => ({
  ...record,
  endpoints: record.endpoints.map(({ frames, ...endpoint }) => ({
    ...endpoint,
    frames: Object.values(frames).map((column: number | Float64Array) =>
      typeof column === 'number' ? column : [...column.subarray(0, frames.rows)],
    ),
  })),
  shadows: record.shadows.map((shadow) => ({ ...shadow, batches: shadowRows(shadow) })),
});

const named = (record: CallRecord): unknown =>
  JSON.parse(JSON.stringify(record.endpoints.map(({ samples }) => samples)));

describe('a recording of a watch', () => {
  it('gives the controllers the same rows again, bit by bit', async () => {
    const watch = await watched({ durationS: 45, queueUs });
    const text = fileOf(watch);
    const flows = recordedFlows(JSON.parse(text.slice(0, text.indexOf('\n'))) as object);
    const received = flows.filter(({ kind, controller }) => kind === 'received' && controller === 'gcc');
    expect(received.map(({ name }) => name)).toEqual(['receives video 1, GCC', 'receives video 2, GCC']);
    const gcc = await replayed(text);
    const others = {
      nada: await replayed(text, { controller: 'nada' }),
      lcc: await replayed(text, { controller: 'lcc' }),
    };
    for (const { flow } of received) {
      for (const table of ['group', 'rate'] as const) {
        const live = recorded(text, table, flow);
        expect(live[0]?.length, `${table} rows`).toBeGreaterThan(100);
        expect(columnsOf(gcc, table, flow), `${table} of flow ${flow}`).toEqual(live);
      }
      for (const shadow of flows.filter(({ kind, of }) => kind === 'shadow' && of === flow)) {
        const table = shadow.controller === 'nada' ? 'nada' : 'lcc';
        // In the replay, a shadow's rows (those of a controller that only watches) have the flow number of the
        // arrivals. So the column `flow` is not compared.
        const [, ...live] = recorded(text, table, shadow.flow);
        const [, ...again] = columnsOf(others[table], table, flow);
        expect(live[0]?.length, `${table} rows`).toBeGreaterThan(20);
        expect(again, `${table} of flow ${flow}`).toEqual(live);
      }
    }
    const signal = recorded(text, 'group', received[0]?.flow ?? NaN)[
      tableSpec('group').columns.findIndex(({ name }) => name === 'signal')
    ];
    expect(new Set(signal).size, 'signals').toBeGreaterThan(1);
  });

  it('gives the record that the watch had, as far as it was kept', async () => {
    const watch = await watched({ durationS: 150, queueUs, streams: 1 });
    const { record } = await recordOfTrace(fileOf(watch, { identifiers: true }), { keepUs: 120e6 });
    expect(record.shadows).toHaveLength(1);
    expect(seen(record)).toEqual(seen(watch.record));
  });

  it('tells a judge about the record at the same moments', async () => {
    const live: unknown[] = [];
    const watch = new Watch({ originEpochMs: ORIGIN_MS, load: () => loadCore() });
    const look = (record: CallRecord): unknown => ({
      samples: record.endpoints.map(({ samples }) => samples.length),
      rows: record.shadows.map(({ batches }) => batches.reduce((sum, { rows }) => sum + rows, 0)),
      late: record.late.length,
    });
    for (const batch of pageBatches({ durationS: 30, queueUs })) {
      watch.hear(batch, { page: 0, place: 'page' });
      await watch.settled();
      live.push(look(watch.record));
    }
    const again: unknown[] = [];
    await recordOfTrace(fileOf(watch), { onHeard: (record) => again.push(look(record)) });
    // When the first batch arrived in the live call, the controllers were still loading. So the rows of the first
    // batch were recorded later than in the replay, and the states after this batch are not compared.
    expect(again.slice(1)).toEqual(live.slice(1));
  });

  it('says nothing that identifies anybody, unless it was asked to', async () => {
    const watch = await watched({ durationS: 5 });
    watch.bookmark('it broke');
    const secrets = [
      PAGE_URL,
      'meet.example',
      MID,
      'Alice',
      String(SSRC),
      'ufragA',
      'upper',
      '192.0.2',
      '2001:db8',
      '.local',
      'turn.example',
    ];
    const redacted = fileOf(watch);
    for (const secret of secrets) expect(redacted, secret).not.toContain(secret);
    expect(redacted).toContain('"text":"it broke"');
    expect(fileOf(watch, { identifiers: true })).toContain(PAGE_URL);
    const { record, events } = await recordOfTrace(redacted);
    expect(events).toContainEqual({ time_us: 5e6, name: 'bookmark', detail: { text: 'it broke' } });
    const [receiver, sender] = record.endpoints;
    expect(receiver?.samples[0]?.inbound.map(({ ssrc, mid }) => [ssrc, mid])).toEqual([
      [1, 'mid 1'],
      [2, 'mid 2'],
      [3, 'mid 3'],
    ]);
    expect(sender?.samples.at(-1)?.outbound[0]).toMatchObject({
      ssrc: 4,
      mid: 'mid 4',
      rid: 'rid 1',
      codec: 'VP8',
    });
    expect(receiver?.notices[0]?.message).toBe('Packets went to [address 1] and to [address 2], by [url 2]');
    expect(record.shadows.map(({ ssrc }) => ssrc)).toEqual([1, 2]);
    expect(named(record)).not.toEqual(named(watch.record));
  });

  it('can be read where a blocked page reported all frames of a minute at once', async () => {
    const [batch] = [...pageBatches({ durationS: 0.5, streams: 1 })];
    if (batch === undefined) throw new Error('the page reports nothing');
    const [streams, framesEach] = [20, 1800];
    const rows = Array.from({ length: framesEach }, (_, i) =>
      Array.from({ length: streams }, (_each, stream) => [
        ...[SSRC + stream, 1_000_000_000 + i * 3000, 1_000_000 + i * 33_333 + stream, 4000, 0, 0, i % 2],
      ]),
    ).flat(2);
    // The controllers are never loaded, because only the page's own reports matter here.
    const load = () => new Promise<never>(() => undefined);
    const watch = new Watch({ originEpochMs: ORIGIN_MS, load });
    const blocked: PageMessage = { type: 'frames', endpoint: 0, rows };
    for (const each of [batch, { ...batch, timeUs: 62e6, messages: [blocked] }])
      watch.hear(each, { page: 0, place: 'page' });
    const { record } = await recordOfTrace(fileOf(watch, { identifiers: true }));
    expect(record.endpoints[0]?.frames.rows).toBeGreaterThanOrEqual(streams * framesEach);
    const { endpoints } = seen(record) as { endpoints: unknown };
    expect(endpoints).toEqual((seen(watch.record) as { endpoints: unknown }).endpoints);
  });

  it('marks the frames that later ones overtook', async () => {
    const text = fileOf(await watched({ durationS: 40, streams: 1 }));
    const { events, record } = await recordOfTrace(text);
    const late = events.filter(({ name }) => name === 'late_frame');
    expect(late.length).toBeGreaterThan(3);
    const frames = record.endpoints[0]?.frames;
    for (const { time_us } of late) expect(frames?.arrivalUs).toContain(time_us);
  });

  it('is refused where it is another kind of trace', async () => {
    const other = '{"ccscope_trace":1,"source":"call"}\n';
    await expect(recordOfTrace(other, { file: 'a.ndjson' })).rejects.toThrow(NoRecordingError);
    await expect(recordOfTrace(other, { file: 'a.ndjson' })).rejects.toThrow(
      /a\.ndjson: source: expected .* got "call"/,
    );
    const damaged = '{"ccscope_trace":1,"source":"inject","origin_epoch_ms":0,"flows":[{"flow":"first"}]}\n';
    await expect(recordOfTrace(damaged)).rejects.toThrow('flows.0.flow: expected number, got "first"');
  });
});

describe('a recording whose beginning was dropped', () => {
  it('says so, and has the record of what is left', async () => {
    const watch = await watched({ durationS: 150, queueUs }, { keepUs: 60e6 });
    const text = fileOf(watch, { identifiers: true });
    const header = JSON.parse(text.slice(0, text.indexOf('\n'))) as { cut_before_us: number };
    expect(header.cut_before_us).toBeGreaterThan(60e6);
    const { record } = await recordOfTrace(text);
    const since = <T extends { timeUs: number }>(rows: readonly T[] = []): T[] =>
      rows.filter(({ timeUs }) => timeUs > header.cut_before_us);
    for (const [i, endpoint] of record.endpoints.entries()) {
      const live = watch.record.endpoints[i];
      expect(endpoint.states).toEqual(live?.states);
      expect(endpoint.notices).toEqual(live?.notices);
      expect(endpoint.localUfrags).toEqual(live?.localUfrags);
      expect(since(endpoint.samples)).toEqual(since(live?.samples));
    }
  });

  const target = { endpoint: 0, direction: 'send', mid: '0', ssrc: 11 } as const;
  type InForce = Extract<ActionResult, { ok: true }>['inForce'];
  const done = (timeS: number, action: Action, inForce: InForce): PageMessage => ({
    ...{ type: 'action', endpoint: 0, timeUs: timeS * 1e6, action },
    result: { ok: true, message: '', inForce },
  });
  const batchAt = (timeS: number, messages: PageMessage[]): PageBatch => ({
    ...{ window: 'w', url: PAGE_URL, timeUs: timeS * 1e6 },
    messages:
      timeS > 0
        ? messages
        : [
            { type: 'endpoint', endpoint: 0, timeUs: 0 },
            { type: 'state', endpoint: 0, timeUs: 0, state: 'connected' },
            ...messages,
          ],
  });

  it('blames a bound of its own controller on nobody else, though the drive began before', async () => {
    const [call] = callSeen('send', 200, (timeS) =>
      timeS > 180
        ? { bps: 2.5e5, loss: 0.2, stream: { targetBps: 2.5e5, maxBitrateBps: 2.6e5 } }
        : { stream: { maxBitrateBps: 1e6 } },
    ).endpoints;
    const drive = { kind: 'drive', controller: 'GCC', maxBitrateBps: 1e6 } as const;
    const watch = new Watch({ originEpochMs: ORIGIN_MS, load: () => loadCore(), keepUs: 60e6 });
    for (const sample of call?.samples ?? []) {
      const timeS = sample.timeUs / 1e6;
      const driven = timeS === 10 ? [done(timeS, { ...drive, target }, [drive])] : [];
      watch.hear(batchAt(timeS, [...driven, { type: 'sample', endpoint: 0, sample }]), {
        ...{ page: 0, place: 'page' },
      });
    }
    const live = watch.state.incidents.map(({ cause }) => cause.kind);
    expect(live).toEqual(['loss']);
    const text = new TextEncoder().encode(fileOf(watch));
    const { incidents } = await incidentsOfTrace(
      (async function* () {
        yield await Promise.resolve(text);
      })(),
    );
    expect(incidents.map(({ cause }) => cause.kind)).toEqual(live);
  });

  it('has of what was done before only what is still in force', async () => {
    const watch = new Watch({ originEpochMs: ORIGIN_MS, load: () => loadCore(), keepUs: 60e6 });
    const hear = (timeS: number, ...messages: PageMessage[]): void =>
      watch.hear(batchAt(timeS, messages), { page: 0, place: 'page' });
    const before = async (): Promise<unknown> => {
      const { record } = await recordOfTrace(fileOf(watch, { identifiers: true }));
      return record.endpoints[0]?.actions?.map(({ action }) => action);
    };
    const preference = { kind: 'degradation-preference', preference: 'maintain-framerate' } as const;
    const capped = (bps: number) =>
      ({ kind: 'cap', encoding: null, maxBitrateBps: 1000 * bps }) satisfies InForce[number];
    hear(0, done(0, { ...preference, target }, [preference]));
    for (let timeS = 1; timeS <= 100; timeS++)
      hear(timeS, done(timeS, { ...capped(timeS), target }, [preference, capped(timeS)]));
    for (let timeS = 101; timeS <= 250; timeS++) hear(timeS);
    expect(await before()).toEqual([
      { ...preference, target },
      { ...capped(100), target },
    ]);
    hear(251, done(251, { kind: 'release', target, of: null }, []));
    for (let timeS = 252; timeS <= 400; timeS++) hear(timeS);
    expect(await before()).toBeUndefined();
  });

  it('has the rows of controllers that knew the beginning: a replay does not, and its detector soon agrees', async () => {
    const whole = await watched({ durationS: 90, queueUs, streams: 1 });
    const text = fileOf(whole, { lastUs: 50e6 });
    const names = tableSpec('group').columns.map(({ name }) => name);
    const [time, signal, m] = ['time_us', 'signal', 'm_ms'].map((name) => names.indexOf(name)) as [
      number,
      number,
      number,
    ];
    const live = recorded(text, 'group', 0);
    const again = columnsOf(await replayed(text), 'group', 0);
    const byTime = new Map(again[time]?.map((timeUs, row) => [timeUs, row]));
    const cutUs = live[time]?.[0] ?? NaN;
    const rows = (live[time] ?? []).map((timeUs, row) => ({ timeUs, row, other: byTime.get(timeUs) ?? NaN }));
    const agreement = (fromS: number): { share: number; apartMs: number } => {
      const later = rows.filter(({ timeUs }) => timeUs >= cutUs + fromS * 1e6);
      const same = later.filter(({ row, other }) => live[signal]?.[row] === again[signal]?.[other]);
      const apart = later.map(({ row, other }) =>
        Math.abs((live[m]?.[row] ?? NaN) - (again[m]?.[other] ?? NaN)),
      );
      return { share: same.length / later.length, apartMs: Math.max(...apart) };
    };
    expect(live).not.toEqual(again);
    expect(agreement(10).share).toBeGreaterThan(0.9);
  });

  it('is complete where somebody kept what left the memory', async () => {
    const spilled: string[] = [];
    const watch = new Watch({ originEpochMs: ORIGIN_MS, load: () => loadCore(), keepUs: 20e6 });
    watch.spill = ({ lines }) => spilled.push(...lines);
    for (const batch of pageBatches({ durationS: 80, queueUs, streams: 1 })) {
      watch.hear(batch, { page: 0, place: 'page' });
      await watch.settled();
    }
    expect(spilled.length).toBeGreaterThan(100);
    const { before, after } = watch.export({ keptFrom: { number: 0, fromUs: 0 } });
    const text = `${before}${spilled.join('\n')}\n${[...after].join('')}`;
    const unspilled = await watched({ durationS: 80, queueUs, streams: 1 });
    expect(text).not.toContain('cut_before_us');
    expect(text.split('\n').slice(1)).toEqual(fileOf(unspilled).split('\n').slice(1));
    expect(columnsOf(await replayed(text), 'group', 0)).toEqual(recorded(text, 'group', 0));
  });
});
