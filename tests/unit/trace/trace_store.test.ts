import { expose } from 'comlink';
import { afterEach, describe, expect, it } from 'vitest';

import { SCHEMA, type TraceBatch } from '../../../src/core/index.js';
import { TraceError } from '../../../src/trace/index.js';
import { connectTraceStore, type TraceStore } from '../../../src/worker/trace/trace_client.js';
import { TraceService } from '../../../src/worker/trace/trace_service.js';
import { HEADER, HEADER_LINE, randomTrace, text } from './support.js';

let ports: MessagePort[] = [];
const errors: Error[] = [];

/**
 * A store whose worker part runs in this thread. It is connected through a message channel, as in a real
 * worker.
 */
function store(): TraceStore {
  const { port1, port2 } = new MessageChannel();
  ports = [port1, port2];
  port1.start();
  port2.start();
  expose(new TraceService(), port1);
  return connectTraceStore(port2, (error) => errors.push(error));
}

afterEach(() => {
  for (const port of ports) port.close();
  errors.length = 0;
});

function groups(...times: number[]): TraceBatch {
  const columns = SCHEMA.tables
    .find((table) => table.name === 'group')
    ?.columns.map(({ name }) => Float64Array.from(times, (time) => (name === 'time_us' ? time : time / 7)));
  return { table: 'group', rows: times.length, columns: columns ?? [] };
}

describe('a trace in a worker', () => {
  it('keeps rows and events in the order of the calls, and moves the columns', async () => {
    const trace = store();
    const batch = groups(1, 2);
    trace.append(batch);
    trace.appendEvent({ time_us: 2, name: 'mode', detail: 'cap' });
    trace.append(groups(3));
    expect(batch.columns[0]?.length).toBe(0);
    const lines = (await (await trace.exportNdjson(HEADER)).text()).trimEnd().split('\n');
    expect(lines[0]).toBe(HEADER_LINE);
    const order = lines.slice(1).map((line) => JSON.parse(line) as { type: string; time_us: number });
    expect(order.map(({ type, time_us }) => [type, time_us])).toEqual([
      ['group', 1],
      ['group', 2],
      ['event', 2],
      ['group', 3],
    ]);
    const { columns } = await trace.view({ table: 'group', columns: ['m_ms'] });
    expect([...(columns['m_ms'] ?? [])]).toEqual([1 / 7, 2 / 7, 3 / 7]);
    expect(await trace.extent()).toMatchObject({ fromUs: 1, toUs: 3, events: 1 });
    expect(await trace.events()).toEqual([{ time_us: 2, name: 'mode', detail: 'cap' }]);
    expect(errors).toEqual([]);
  });

  it('opens what it exported, with progress, and exports it again unchanged', async () => {
    const trace = store();
    const content = text(randomTrace(11, 3000));
    const progress: number[] = [];
    const header = await trace.open(new Blob([content]), (bytes) => progress.push(bytes));
    expect(header).toEqual(HEADER);
    expect(await (await trace.exportNdjson()).text()).toBe(content);
    expect(progress.at(-1)).toBe(content.length);
    await trace.clear();
    expect(await trace.extent()).toMatchObject({ fromUs: null });
  });

  it('names what is wrong with a file and keeps what was there', async () => {
    const trace = store();
    trace.append(groups(5));
    const file = new File([`${HEADER_LINE}\n{"type":"group","time_us":"x"}\n`], 'mine.ndjson');
    const error = await trace.open(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TraceError);
    expect(error).toMatchObject({ file: 'mine.ndjson', line: 2, field: 'time_us', got: '"x"' });
    expect(await trace.extent()).toMatchObject({ fromUs: 5, toUs: 5 });
  });

  it('tells of a batch that does not fit, and goes on', async () => {
    const trace = store();
    trace.append({ ...groups(1), table: 'groups' as 'group' });
    trace.append(groups(2));
    expect(await trace.extent()).toMatchObject({ fromUs: 2, toUs: 2 });
    expect(errors.map((error) => error.message)).toEqual([expect.stringContaining('got groups')]);
  });
});
