/** Which frames are marked in the delay chart of a received stream, and where. */
import { expect, it } from 'vitest';

import { frameMarks } from '../../src/charts/stream_charts.js';
import { tableSpec } from '../../src/core/schema.js';
import { TraceData } from '../../src/trace/index.js';

type Frame = Readonly<Record<'arrival_time_us' | 'send_time_us' | 'rtp_timestamp' | 'key_frame', number>>;

const NEEDED = [...new Set(frameMarks.flatMap(({ columns }) => columns))];

/** The rows of one stream, among those of another stream whose frames come in between. */
function drawn(frames: readonly Frame[], maxPoints?: number) {
  const trace = new TraceData();
  const append = (row: Readonly<Record<string, number>>): void =>
    trace.appendRow(
      'arrival',
      Float64Array.from(tableSpec('arrival').columns, ({ name }) => row[name] ?? NaN),
    );
  for (const frame of frames) {
    append({ ...frame, flow: 1 });
    append({ ...frame, flow: 2, send_time_us: 1e9 - frame.send_time_us, key_frame: 1 });
  }
  const where = { column: 'flow', value: 1 };
  return trace.view({ table: 'arrival', columns: NEEDED, where, maxPoints }).columns;
}

/** The marks of a series: for each row its delay in ms, or NaN. */
function marksOf(id: string, columns: ReturnType<typeof drawn>): number[] {
  const series = frameMarks.find((each) => each.id === id);
  return Array.from(columns['time_us'] ?? [], (_, row) => series?.value(columns, row) ?? NaN);
}

it('marks key frames and overtaken ones at their delays, and no others', () => {
  const columns = drawn(
    [
      [0, 0, 1],
      [33, 40, 0],
      // The frame sent at 67 ms is lost and retransmitted, so it arrives after the next one.
      [100, 102, 0],
      [67, 150, 0],
      [133, 151, 0],
      [167, 190, 1],
    ].map(([sent = NaN, arrived = NaN, key_frame = NaN]) => ({
      send_time_us: sent * 1e3,
      arrival_time_us: arrived * 1e3,
      rtp_timestamp: sent * 90,
      key_frame,
    })),
  );
  expect(marksOf('key_frames', columns)).toEqual([0, NaN, NaN, NaN, NaN, 23]);
  expect(marksOf('overtaken', columns)).toEqual([NaN, NaN, NaN, 83, NaN, NaN]);
});

it('marks frames of upper spatial layers, which have the timestamp of the one below (webrtc-svc)', () => {
  const columns = drawn(
    [
      [0, 0, 5],
      [0, 0, 9],
      [3000, 33, 40],
      [3000, 33, 42],
      [3000, 33, 47],
      [6000, 67, 70],
    ].map(([rtp_timestamp = NaN, sent = NaN, arrived = NaN]) => ({
      send_time_us: sent * 1e3,
      arrival_time_us: arrived * 1e3,
      rtp_timestamp,
      key_frame: 0,
    })),
  );
  expect(marksOf('upper_layers', columns)).toEqual([NaN, 9, NaN, 9, 14, NaN]);
});

it('loses no group of overtaken frames or upper layers where rows are thinned', () => {
  const MARKED = Array.from({ length: 20 }, (_, i) => 20 + i * 44);
  const LAYERED = MARKED.map((frame) => frame + 5);
  // Thirty seconds of video, 30 frames a second.
  const frames = Array.from({ length: 900 }, (_, i): Frame => {
    const sentUs = (i - (MARKED.includes(i) ? 1.5 : 0)) * 33_333;
    const rtp_timestamp = (LAYERED.includes(i) ? i - 1 : i) * 3000;
    const arrival_time_us = i * 33_333 + 20e3 + (i % 7) * 1e3;
    return { send_time_us: sentUs, arrival_time_us, rtp_timestamp, key_frame: 0 };
  });
  for (const maxPoints of [300, 500, 800]) {
    const columns = drawn(frames, maxPoints);
    const isMarked = (id: string): number => marksOf(id, columns).filter((ms) => !Number.isNaN(ms)).length;
    expect(columns['time_us']?.length).toBeLessThan(maxPoints);
    // In this example, no two marks fall into the same bucket.
    expect([isMarked('overtaken'), isMarked('upper_layers')]).toEqual([20, 20]);
  }
});
