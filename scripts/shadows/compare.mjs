// Compares two controllers: one sees only RTP timestamps, the other gets the send times of frames. Both get the
// arrivals of the same recorded call, which contains the timestamps and the send times.
import { open } from 'node:fs/promises';

import { loadCore, tableSpec } from '../../dist/lib/core/index.js';
import { collector, readTrace } from '../../dist/lib/trace/index.js';
import { FrameArrivals } from '../../dist/lib/worker/media/frame_arrivals.js';

/** The filter starts from arbitrary values, so the first seconds are not compared. */
const WARM_UP_US = 5e6;
/** An overuse counts as new if no overuse was signalled for at least this long before it. */
const APART_US = 2e6;
/** A forced overload must be signalled within this time. */
const SHOWS_US = 4e6;

const GCC = { controller: 'gcc', preset: 'gcc-live' };

/** A column of a table, from the rows that a controller recorded. */
function column(batches, table, name) {
  const index = tableSpec(table).columns.findIndex((each) => each.name === name);
  return batches.filter((batch) => batch.table === table).flatMap(({ columns }) => [...columns[index]]);
}

async function arrivalsOf(file) {
  const { sink, trace } = collector();
  const handle = await open(file);
  await readTrace(handle.createReadStream(), sink, { file });
  const names = [
    'seq',
    'send_time_us',
    'arrival_time_us',
    'size_bytes',
    'rtp_timestamp',
    'key_frame',
    'rtt_us',
  ];
  const { columns } = trace.view({ table: 'arrival', columns: names, where: { column: 'flow', value: 0 } });
  return Array.from(columns.send_time_us, (sendTimeUs, row) => ({
    seq: columns.seq[row],
    sendTimeUs,
    arrivalTimeUs: columns.arrival_time_us[row],
    sizeBytes: columns.size_bytes[row],
    rtpTimestamp: columns.rtp_timestamp[row],
    keyFrame: columns.key_frame[row] === 1,
    rttUs: columns.rtt_us[row],
  }));
}

/**
 * The rows of the table `group`, one for each packet group. m is GCC's estimate of the one-way delay gradient. While
 * the filter is held (paused), m does not change.
 */
function groupsOf(core, arrivals) {
  const receiver = core.createReceiver(GCC);
  for (const arrival of arrivals) receiver.pushArrival(arrival);
  const batches = receiver.drain();
  receiver.destroy();
  const overuse = tableSpec('group')
    .columns.find(({ name }) => name === 'signal')
    .values.indexOf('overuse');
  const [times, m, signals, held] = ['time_us', 'm_ms', 'signal', 'held'].map((name) =>
    column(batches, 'group', name),
  );
  return times.map((timeUs, row) => ({
    ...{ timeUs, mMs: m[row], isOveruse: signals[row] === overuse, isHeld: held[row] === 1 },
  }));
}

/** Pearson's correlation of two columns. */
function correlation(pairs) {
  const mean = (index) => pairs.reduce((sum, pair) => sum + pair[index], 0) / pairs.length;
  const [a, b] = [mean(0), mean(1)];
  let [ab, aa, bb] = [0, 0, 0];
  for (const [x, y] of pairs) {
    ab += (x - a) * (y - b);
    aa += (x - a) ** 2;
    bb += (y - b) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

/** Times at which overuse begins. */
function onsets(groups) {
  const found = [];
  let lastUs = -Infinity;
  for (const { timeUs, isOveruse } of groups) {
    if (!isOveruse) continue;
    if (timeUs - lastUs > APART_US) found.push(timeUs);
    lastUs = timeUs;
  }
  return found;
}

/** Compares the two controllers on a recorded call; see `compareArrivals`. */
export const compare = async (file, overloadsUs) => compareArrivals(await arrivalsOf(file), overloadsUs);

/**
 * Compares the two controllers on the arrivals of a call. `overloadsUs` are the times at which the link's capacity
 * fell. `overloads` is the number of falls after which the controller with send times signals overuse. `within` is
 * the number of these falls after which the other controller also signals overuse, at most 300 ms earlier or later.
 */
export async function compareArrivals(told, overloadsUs) {
  const core = await loadCore();
  const frames = new FrameArrivals();
  const derived = told.flatMap(
    ({ arrivalTimeUs, rtpTimestamp, sizeBytes, keyFrame, spatialIndex = 0, rttUs }) => {
      const frame = { rtpTimestamp, arrivalTimeUs, sizeBytes, keyFrame, spatialIndex };
      const arrival = frames.of({ trailer: null, ...frame });
      if (arrival === null) return [];
      frames.took(arrival);
      return [{ ...arrival, rttUs }];
    },
  );
  const [truth, shadow] = [groupsOf(core, told), groupsOf(core, derived)];
  const beginUs = (truth[0]?.timeUs ?? 0) + WARM_UP_US;
  const byTime = new Map(shadow.map((group) => [group.timeUs, group]));
  const both = truth
    .filter(({ timeUs }) => timeUs > beginUs && byTime.has(timeUs))
    .map((group) => [group, byTime.get(group.timeUs)]);
  // While a filter is held, m keeps its previous value, so these groups are left out.
  const running = both.filter((groups) => groups.every(({ isHeld }) => !isHeld));
  const pairs = both.map((groups) => groups.map(({ mMs }) => mMs));
  const [ours, theirs] = [onsets(truth), onsets(shadow)];
  const first = (times, fromUs) => times.find((timeUs) => timeUs > fromUs && timeUs < fromUs + SHOWS_US);
  const seen = overloadsUs.map((fromUs) => [first(ours, fromUs), first(theirs, fromUs)]);
  const forced = seen.filter(([timeUs]) => timeUs !== undefined);
  const within = forced.filter(([a, b]) => b !== undefined && Math.abs(b - a) <= 300e3).length;
  return {
    correlation: correlation(pairs),
    whileRunning: correlation(running.map((groups) => groups.map(({ mMs }) => mMs))),
    held: 1 - running.length / both.length,
    ...{ groups: pairs.length, overloads: forced.length, within },
  };
}
