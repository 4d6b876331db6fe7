import { describe, expect, it } from 'vitest';

import { callMetrics, DroppedRecordError, judgeQueuingDelay } from '../../../src/judge/index.js';
import { packetsIn } from '../../../src/judge/view.js';
import type { DirectionRecord } from '../../../src/calls/record/record.js';
import { appendPackets, boundDirection, emptyLinkRecord } from '../../../src/shaper/link_record.js';
import { LOG_COLUMNS, MAX_PACKETS, PacketLog } from '../../../src/link/packet_log.js';
import { callRecord, steady } from '../judge/synthetic.js';

const BATCH = 20_000;

/**
 * A batch of packets, one per millisecond, in the form that PacketLog.take returns. The first packet has the number
 * `first`.
 */
function taken(first: number): Float64Array {
  const columns = new Float64Array(LOG_COLUMNS * BATCH);
  for (let i = 0; i < BATCH; i++) {
    const timeUs = (first + i) * 1000;
    [timeUs, 1000, 0, timeUs, 0, 1].forEach((value, column) => (columns[column * BATCH + i] = value));
  }
  return columns;
}

function directionWith(batches: number): { direction: DirectionRecord; notices: number } {
  const direction = emptyLinkRecord('shaper').forward;
  if (direction === null) throw new Error('a shaper records');
  let notices = 0;
  for (let batch = 0; batch < batches; batch++) {
    appendPackets(direction.packets, taken(batch * BATCH));
    if (boundDirection(direction)) notices++;
  }
  return { direction, notices };
}

describe('the record of a link that goes on', () => {
  const { direction, notices } = directionWith(200);
  const { packets, keptFromUs = NaN } = direction;

  it('keeps the latest packets in a memory that does not grow', () => {
    expect(notices).toBe(1);
    expect(packets.rows).toBeLessThanOrEqual(MAX_PACKETS);
    expect(packets.rows).toBeGreaterThan((MAX_PACKETS * 7) / 8 - BATCH);
    expect(packets.departUs.length * 8 * LOG_COLUMNS).toBeLessThan(67e6);
    expect(packets.departUs[packets.rows - 1]).toBe((200 * BATCH - 1) * 1000);
    expect(packets.departUs[0]).toBe(keptFromUs + 1000);
  });

  it('is read where it is kept, and refused before that', () => {
    const window = { fromUs: keptFromUs, toUs: keptFromUs + 5000 };
    expect(packetsIn(direction, null, window)).toHaveLength(5);
    const before = { fromUs: keptFromUs - 1, toUs: keptFromUs + 5000 };
    expect(() => packetsIn(direction, null, before)).toThrow(DroppedRecordError);
    expect(() => packetsIn(direction, null, before)).toThrow(/window\.fromUs: expected .* choose a shorter/);
  });

  it('bounds the rows of its queue and the changes of its capacity', () => {
    const { forward } = emptyLinkRecord('shaper');
    if (forward === null) throw new Error('a shaper records');
    for (let i = 0; i < 300_000; i++) {
      forward.rows.push({ time_us: i } as (typeof forward.rows)[number]);
      forward.capacity.push({ timeUs: i, capacityBps: 1 });
      boundDirection(forward);
    }
    expect(forward.rows.length).toBeLessThanOrEqual(2 ** 16);
    expect(forward.capacity.length).toBeLessThanOrEqual(2 ** 17);
    expect(forward.keptFromUs).toBeGreaterThanOrEqual(forward.capacity[0]?.timeUs ?? Infinity);
    expect(forward.keptFromUs).toBe((forward.rows[0]?.time_us ?? NaN) - 1);
  });

  it('is judged by what it has: a longer window is an error, the whole call what is left of it', () => {
    const record = callRecord({ packets: steady(0, 50, 5e5) });
    const { forward } = record.link ?? {};
    if (!forward) throw new Error('a call over a shaper');
    forward.keptFromUs = 20e6;
    const asked = { record, view: {}, askedUs: 0, nowUs: 40e6 };
    const judge = (overUs: number) =>
      judgeQueuingDelay(asked, { overUs, mode: 'once', limits: [{ percentile: 95, ms: 1000 }] });
    expect(() => judge(30e6)).toThrow(DroppedRecordError);
    expect(callMetrics(record).window.fromUs).toBe(20e6);
  });
});

describe('the log of a shaper that goes on', () => {
  it('keeps the latest packets', () => {
    const most = 4096;
    const log = new PacketLog(most);
    const delivery = { packetId: 0, sizeBytes: 1, queueDelayUs: 0, deliverUs: 0 };
    for (let i = 0; i < most; i++) log.delivered({ ...delivery, offeredUs: i, departUs: i });
    expect([log.length, log.keptFromUs]).toEqual([most, null]);
    log.delivered({ ...delivery, offeredUs: most, departUs: most });
    expect(log.length).toBe((most * 7) / 8 + 1);
    expect(log.keptFromUs).toBe(most / 8 - 1);
    expect(log.take().subarray(0, 1)).toEqual(Float64Array.of(most / 8));
  });
});
