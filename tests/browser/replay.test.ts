/** A recording of a real call, replayed in Node, gives the same results as the call's own controller. */
import { loadCore } from '../../src/core/index.js';
import { formatTrace, Replayer, RowFormatter, TraceData, TraceReader } from '../../src/trace/index.js';
import { tableSpec, type TraceBatch } from '../../src/core/index.js';
import { expect, test, type CallPage } from './support.js';

const SETTINGS = { minBitrateBps: 100_000, maxBitrateBps: 2_000_000, startBitrateBps: 400_000 };

/** The page's recording so far, as a file. */
async function recording(call: CallPage): Promise<string> {
  const items = await call.page.evaluate(() =>
    window.harness.recorded.map((item) => {
      if (!('batch' in item)) return item;
      const { table, rows, columns } = item.batch;
      return { batch: { table, rows, columns: columns.map((column) => [...column]) } };
    }),
  );
  const trace = new TraceData();
  for (const item of items) {
    if ('event' in item) trace.appendEvent(item.event);
    else
      trace.append({ ...item.batch, columns: item.batch.columns.map((column) => Float64Array.from(column)) });
  }
  const parameters = {
    min_bitrate_bps: SETTINGS.minBitrateBps,
    max_bitrate_bps: SETTINGS.maxBitrateBps,
    start_bitrate_bps: SETTINGS.startBitrateBps,
  };
  return [...formatTrace(trace, { ccscope_trace: 1, source: 'call', preset: 'gcc-live', parameters })].join(
    '',
  );
}

/** The `group` rows that a replay of the recording `text` produces, one per line. */
async function replayed(text: string): Promise<string[]> {
  const lines: string[] = [];
  const formatter = new RowFormatter(tableSpec('group'));
  const emit = (batch: TraceBatch): void => {
    if (batch.table !== 'group') return;
    for (let row = 0; row < batch.rows; row++) lines.push(formatter.line(batch.columns, row));
  };
  const replayer = new Replayer(await loadCore(), { emit });
  const reader = new TraceReader(replayer);
  reader.push(new TextEncoder().encode(text));
  reader.end();
  replayer.end();
  replayer.destroy();
  return lines;
}

test('a replayed recording gives the same rows as the call did, bit for bit', async ({ call }) => {
  const queue = { kind: 'droptail', limitMs: 300 } as const;
  await call.start({ ...SETTINGS, bottleneck: { capacityBps: 600_000, queue, oneWayDelayUs: 25_000 } });
  await call.flowing(90);
  await call.page.evaluate(() => window.harness.call?.setParameter('k_u', 0.02));
  await call.flowing(180);
  await call.page.evaluate(() => window.harness.call?.setPreset('libwebrtc-2016-08'));
  await call.flowing(270);
  const text = await recording(call);
  const recorded = text.split('\n').filter((line) => line.startsWith('{"type":"group"'));
  expect(recorded.length).toBeGreaterThan(150);
  expect(recorded.at(-1)).toMatch(/"m_ms":-?\d/);
  expect(text).toContain('"name":"parameter"');
  expect(text).toContain('"name":"preset"');
  expect(await replayed(text)).toEqual(recorded);
});
