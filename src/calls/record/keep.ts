/**
 * Limits the memory for the record of a call that lasts for hours. Data older than `keepUs` are dropped, an
 * eighth of `keepUs` at a time. Counters are compared from one sample to the next. So each endpoint also keeps
 * its last sample from before the kept data. Endpoints, their states, connections, freezes and notices are all
 * kept, since they are few.
 */
import type { TraceBatch } from '../../core/index.js';
import { tableSpec } from '../../core/index.js';
import { dropRows, FRAME_COLUMNS, frameColumns, PACKET_COLUMNS } from './columns.js';
import type { CallRecord, DirectionRecord, EndpointRecord, FrameColumns, LateSecond } from './record.js';
import type { Shadows } from './shadows.js';

/** Two hours: about 40 MB per endpoint, at two samples and thirty frames a second. */
export const KEPT_US = 2 * 3600e6;
const PIECES = 8;

export class Keeper {
  #dropAtUs: number;

  constructor(
    private readonly record: CallRecord,
    private readonly keepUs: number,
    private readonly shadows: Pick<Shadows, 'end'>,
    /** Whether to add a notice to the record when old data are dropped. */
    private readonly tells = true,
  ) {
    this.#dropAtUs = this.keepUs + this.keepUs / PIECES;
  }

  /**
   * Drops data that are older than `keepUs` at the time `nowUs`. Does nothing if the last drop was less than an
   * eighth of `keepUs` ago.
   */
  advance(nowUs: number): void {
    if (nowUs < this.#dropAtUs) return;
    this.#dropAtUs = nowUs + this.keepUs / PIECES;
    this.#drop(nowUs - this.keepUs);
  }

  #drop(fromUs: number): void {
    const { endpoints, link, notices } = this.record;
    for (const endpoint of endpoints) this.#dropOf(endpoint, fromUs);
    for (const seconds of [this.record.late, link?.late]) if (seconds) dropSeconds(seconds, fromUs);
    for (const path of link === null ? [] : [link, ...link.own])
      for (const direction of [path.forward, path.backward]) if (direction) dropDirection(direction, fromUs);
    for (const shadow of this.record.shadows)
      shadow.batches = shadow.batches.filter((batch) => !(lastTimeUs(batch) < fromUs));
    const code = 'record-bounded';
    if (!this.tells || notices.some((notice) => notice.code === code)) return;
    notices.push({
      level: 'info',
      code,
      message: `The record keeps the last ${(this.keepUs / 60e6).toFixed(0)} minutes of the call: older data are dropped (see \`keptFromUs\`).`,
      fix: 'make assertions and reports more often, before their data are dropped',
    });
  }

  #dropOf(endpoint: EndpointRecord, fromUs: number): void {
    const { samples, states } = endpoint;
    const before = samples.findLastIndex(({ timeUs }) => timeUs <= fromUs);
    if (before > 0) samples.splice(0, before);
    const last = states.at(-1);
    if (last?.state === 'closed' && last.timeUs < fromUs) {
      endpoint.frames = frameColumns(0);
      this.shadows.end(endpoint);
    } else dropFrames(endpoint.frames, fromUs);
    endpoint.keptFromUs = fromUs;
  }
}

/**
 * Frames are in the order of arrival, except that frames of different streams may be slightly out of order. So a few
 * frames from just before `fromUs` may stay.
 */
function dropFrames(frames: FrameColumns, fromUs: number): void {
  const kept = frames.arrivalUs.subarray(0, frames.rows).findIndex((timeUs) => timeUs >= fromUs);
  dropRows(frames, FRAME_COLUMNS, kept < 0 ? frames.rows : kept);
}

function dropSeconds(seconds: LateSecond[], fromUs: number): void {
  const kept = seconds.findIndex(({ timeUs }) => timeUs >= fromUs);
  seconds.splice(0, kept < 0 ? seconds.length : kept);
}

function dropDirection(direction: DirectionRecord, fromUs: number): void {
  const { packets, rows, capacity } = direction;
  const kept = packets.departUs.subarray(0, packets.rows).findIndex((timeUs) => timeUs > fromUs);
  dropRows(packets, PACKET_COLUMNS, kept < 0 ? packets.rows : kept);
  // Also keep the last row and the last capacity from before `fromUs`: the rows' counts are cumulative, and a
  // capacity lasts until the next change.
  rows.splice(
    0,
    rows.findLastIndex(({ time_us }) => time_us <= fromUs),
  );
  capacity.splice(
    0,
    capacity.findLastIndex(({ timeUs }) => timeUs <= fromUs),
  );
  direction.keptFromUs = Math.max(direction.keptFromUs ?? -Infinity, fromUs);
}

/** The time of the last row of a batch; NaN if the batch is empty. */
function lastTimeUs({ table, columns }: TraceBatch): number {
  const name = table === 'arrival' ? 'arrival_time_us' : 'time_us';
  return columns[tableSpec(table).columns.findIndex((column) => column.name === name)]?.at(-1) ?? NaN;
}
