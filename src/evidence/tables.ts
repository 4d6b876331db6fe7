/** The tables behind the charts of one direction of a call: columns of values over time. */
import { DROP_REASONS } from '../core/link.js';
import { tableSpec } from '../core/index.js';
import type { EvidenceTable } from '../calls/evidence_page.js';
import { percentiles } from '../calls/percentile.js';
import { lineAt, samplePoints } from '../judge/rate_curve.js';
import type {
  DirectionRecord,
  EndpointRecord,
  PacketColumns,
  ShadowRecord,
  StatsSample,
} from '../calls/record/record.js';

const SECOND_US = 1e6;
/**
 * The time over which rates are averaged. In a long call a longer time is used, so that a line has at most MOST_BINS
 * points.
 */
const RATE_BIN_US = 250_000;
const MOST_BINS = 1000;
/**
 * If there are more packets than this, packets are divided into groups of successive packets. From each group, only
 * the packets with the shortest and the longest wait are shown.
 */
const MOST_PACKETS = 12_000;
const RANDOM_LOSS = DROP_REASONS.indexOf('random-loss');

/** A value rounded to `places` decimals; null if it is not finite. */
const digits = (value: number, places = 0): number | null =>
  Number.isFinite(value) ? Number(value.toFixed(places)) : null;

const indices = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Sums of a value in bins of equal length, from 0 to the end of the call. */
class Bins {
  readonly values: Float64Array;

  constructor(
    readonly lengthUs: number,
    durationUs: number,
  ) {
    this.values = new Float64Array(Math.max(1, Math.ceil(durationUs / lengthUs)));
  }

  add(timeUs: number, value: number): void {
    const bin = Math.min(this.values.length - 1, Math.max(0, Math.floor(timeUs / this.lengthUs)));
    this.values[bin] = (this.values[bin] ?? 0) + value;
  }

  /** Where each bin ends. */
  get timesUs(): number[] {
    return indices(this.values.length).map((bin) => (bin + 1) * this.lengthUs);
  }

  get perSecond(): (number | null)[] {
    return [...this.values].map((value) => digits((value * SECOND_US) / this.lengthUs));
  }
}

/** The capacity as steps, with its last value at the end of the call. */
export function capacityTable({ capacity }: DirectionRecord, durationUs: number): EvidenceTable {
  const last = capacity.at(-1);
  const steps = last === undefined ? [] : [...capacity, { ...last, timeUs: durationUs }];
  return {
    time_us: steps.map(({ timeUs }) => Math.round(timeUs)),
    capacity_bps: steps.map(({ capacityBps }) => digits(capacityBps)),
  };
}

/** The rates at the output of the bottleneck: the rate of all packets, and the rate of each connection's flows. */
export function rateTable(
  packets: PacketColumns,
  connections: readonly { id: number; flows: readonly number[] }[],
  durationUs: number,
): EvidenceTable {
  const lengthUs = Math.max(RATE_BIN_US, Math.ceil(durationUs / MOST_BINS / RATE_BIN_US) * RATE_BIN_US);
  const all = new Bins(lengthUs, durationUs);
  const each = connections.map(({ id, flows }) => ({ id, flows, bins: new Bins(lengthUs, durationUs) }));
  for (let i = 0; i < packets.rows; i++) {
    if (packets.reason[i] !== 0) continue;
    const bits = 8 * (packets.sizeBytes[i] ?? 0);
    const departUs = packets.departUs[i] ?? 0;
    all.add(departUs, bits);
    for (const { flows, bins } of each) if (flows.includes(packets.flow[i] ?? -1)) bins.add(departUs, bits);
  }
  return {
    time_us: all.timesUs,
    link_bps: all.perSecond,
    ...Object.fromEntries(each.map(({ id, bins }) => [`flow_${id}_bps`, bins.perSecond])),
  };
}

/**
 * The time that each packet waited in the queue; if there are very many packets, the shortest and the longest
 * wait of each group of successive packets.
 */
export function packetTable(packets: PacketColumns): EvidenceTable {
  const passed = indices(packets.rows).filter((i) => Number.isFinite(packets.queueDelayUs[i]));
  const delay = (i: number): number => packets.queueDelayUs[i] ?? 0;
  const group = Math.ceil((2 * passed.length) / MOST_PACKETS);
  const kept =
    passed.length <= MOST_PACKETS
      ? passed
      : indices(Math.ceil(passed.length / group)).flatMap((g) => {
          const some = passed.slice(g * group, (g + 1) * group);
          const extreme = (better: (a: number, b: number) => boolean): number =>
            some.reduce((best, i) => (better(delay(i), delay(best)) ? i : best));
          const ends = new Set([extreme((a, b) => a < b), extreme((a, b) => a > b)]);
          return [...ends].sort((a, b) => a - b);
        });
  return {
    time_us: kept.map((i) => Math.round(packets.departUs[i] ?? 0)),
    queue_delay_ms: kept.map((i) => digits(delay(i) / 1e3, 2)),
  };
}

/**
 * The number of seconds into which a call is divided. A remainder of less than half a second belongs to the last
 * second; a longer remainder counts as one more second.
 */
const secondsIn = (durationUs: number): number => Math.max(1, Math.round(durationUs / SECOND_US));
const secondOf = (timeUs: number, durationUs: number): number =>
  Math.min(secondsIn(durationUs) - 1, Math.max(0, Math.floor(timeUs / SECOND_US)));
/**
 * The start of each second, and the end of the call. `withEnd` repeats the last value for the end of the call, so that
 * the value is drawn until then.
 */
const seconds = (durationUs: number): number[] => [
  ...indices(secondsIn(durationUs)).map((second) => second * SECOND_US),
  Math.round(durationUs),
];
const withEnd = <T>(values: readonly T[]): T[] => [...values, ...values.slice(-1)];

/** Percentiles of the packets' waits in each second. */
export function delayTable(packets: PacketColumns, durationUs: number): EvidenceTable {
  const bins = indices(secondsIn(durationUs)).map((): number[] => []);
  for (let i = 0; i < packets.rows; i++) {
    const delayUs = packets.queueDelayUs[i] ?? NaN;
    if (Number.isFinite(delayUs)) bins[secondOf(packets.departUs[i] ?? 0, durationUs)]?.push(delayUs / 1e3);
  }
  const ranks = bins.map((values) => percentiles(values, [50, 95]));
  return {
    time_us: seconds(durationUs),
    p50_ms: withEnd(ranks.map(([p50 = NaN]) => digits(p50, 2))),
    p95_ms: withEnd(ranks.map(([, p95 = NaN]) => digits(p95, 2))),
  };
}

/** The share of packets lost in each second, and the cumulative number of lost packets by reason. */
export function lossTable(packets: PacketColumns, durationUs: number): EvidenceTable {
  const counts = indices(secondsIn(durationUs)).map(() => ({ packets: 0, random: 0, queue: 0 }));
  for (let i = 0; i < packets.rows; i++) {
    const count = counts[secondOf(packets.departUs[i] ?? 0, durationUs)];
    if (count === undefined) continue;
    count.packets++;
    if (packets.reason[i] === RANDOM_LOSS) count.random++;
    else if (packets.reason[i] !== 0) count.queue++;
  }
  const total = { random: 0, queue: 0 };
  const running = counts.map(({ random, queue }) => {
    total.random += random;
    total.queue += queue;
    return { ...total };
  });
  return {
    time_us: seconds(durationUs),
    loss_ratio: withEnd(counts.map((one) => digits((one.random + one.queue) / one.packets, 4))),
    random: withEnd(running.map(({ random }) => random)),
    queue: withEnd(running.map(({ queue }) => queue)),
  };
}

const sumOf = (values: readonly number[]): number => {
  const known = values.filter(Number.isFinite);
  return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0);
};

/**
 * Returns a function that finds the last sample that an endpoint reported at or before a time. The function
 * must be called with ascending times.
 */
function lookups({ samples }: EndpointRecord): (timeUs: number) => StatsSample | undefined {
  let next = 0;
  return (timeUs) => {
    while (next < samples.length && (samples[next]?.timeUs ?? 0) <= timeUs) next++;
    return samples[next - 1];
  };
}

const bytesIn = (sample: StatsSample | undefined): number =>
  sumOf((sample?.inbound ?? []).map((one) => one.bytesReceived + (one.headerBytesReceived || 0)));

/**
 * Samples of an endpoint are at most about this far apart: they come twice a second, or once a second from a page in
 * the background.
 */
const SAMPLES_APART_US = 2e6;

/**
 * Returns a function that gives the rate at which receivers received media between two times, in bit/s; NaN if it is
 * unknown. A count between two samples is interpolated, since the samples do not come at even times. The times must be
 * ascending.
 */
function receivedRates(
  receivers: readonly EndpointRecord[],
  durationUs: number,
): (fromUs: number, toUs: number) => number {
  const lines = receivers.map((endpoint) => {
    const { samples } = endpoint;
    return {
      points: samplePoints(samples, (one) => bytesIn(one) || 0),
      look: lookups(endpoint),
      firstUs: samples[0]?.timeUs ?? NaN,
      lastUs: samples.at(-1)?.timeUs ?? NaN,
    };
  });
  // The last samples of the receivers that stay until the end of the call come at different times. After the first of
  // these times, a sum would be without some of the receivers.
  const last = lines.map(({ lastUs }) => lastUs).filter((us) => us > durationUs - SAMPLES_APART_US);
  const knownUntilUs = Math.min(durationUs, ...last);
  return (fromUs, toUs) => {
    const grown = lines.map(({ points, look, firstUs, lastUs }) => {
      const isKnown = !Number.isNaN(bytesIn(look(toUs))) && fromUs >= firstUs && toUs <= lastUs;
      return isKnown ? lineAt(points, toUs) - lineAt(points, fromUs) : NaN;
    });
    return toUs > knownUntilUs ? NaN : (sumOf(grown) * 8 * SECOND_US) / (toUs - fromUs);
  };
}

/**
 * The encoders' target rates, bandwidth estimates and received rates, twice a second. They come from the counters of
 * senders and receivers.
 */
export function mediaTable(
  senders: readonly EndpointRecord[],
  receivers: readonly EndpointRecord[],
  durationUs: number,
): EvidenceTable {
  const stepUs = 500_000;
  const times = indices(Math.floor(durationUs / stepUs)).map((i) => (i + 1) * stepUs);
  const sending = senders.map(lookups);
  const received = receivedRates(receivers, durationUs);
  const rows = times.map((timeUs) => {
    const looks = sending.map((look) => look(timeUs));
    return {
      target: sumOf(looks.flatMap((look) => (look?.outbound ?? []).map(({ targetBps }) => targetBps))),
      estimate: sumOf(looks.map((look) => look?.availableOutgoingBps ?? NaN)),
      received: received(timeUs - stepUs, timeUs),
    };
  });
  return {
    time_us: times,
    target_bps: rows.map(({ target }) => digits(target)),
    estimate_bps: rows.map(({ estimate }) => digits(estimate)),
    received_bps: rows.map(({ received }) => digits(received)),
  };
}

/** Frames per second of each receiver's video, as its browser counts them. */
export function videoTable(receivers: readonly EndpointRecord[]): EvidenceTable {
  const times = [...new Set(receivers.flatMap(({ samples }) => samples.map(({ timeUs }) => timeUs)))];
  times.sort((a, b) => a - b);
  const columns = receivers.map((endpoint) => {
    const look = lookups(endpoint);
    const fps = times.map((timeUs) =>
      digits(
        sumOf(
          (look(timeUs)?.inbound ?? [])
            .filter(({ kind }) => kind === 'video')
            .map(({ framesPerSecond }) => framesPerSecond),
        ),
        1,
      ),
    );
    return [`endpoint_${endpoint.id}_fps`, fps] as const;
  });
  const seen = columns.some(([, fps]) => fps.some((value) => value !== null));
  return seen ? { time_us: times.map(Math.round), ...Object.fromEntries(columns) } : { time_us: [] };
}

const GROUP_COLUMNS = ['delay_variation_ms', 'm_ms', 'detector_input_ms', 'gamma_ms', 'signal'];

/**
 * The values that the chart of the overuse detector shows, from the `group` rows of a shadow (a GCC that only
 * watches).
 */
export function groupTable({ batches }: ShadowRecord): EvidenceTable {
  const { columns } = tableSpec('group');
  const groups = batches.filter(({ table }) => table === 'group');
  const values = (name: string, places: number): (number | null)[] => {
    const index = columns.findIndex((column) => column.name === name);
    return groups.flatMap((batch) =>
      Array.from(batch.columns[index] ?? [], (value) => digits(value, places)),
    );
  };
  return {
    time_us: values('time_us', 0),
    ...Object.fromEntries(GROUP_COLUMNS.map((name) => [name, values(name, 3)])),
  };
}
