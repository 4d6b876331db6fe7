/**
 * Where packets are at a given moment: in their sender's pacer, in the bottleneck's queue, on their way to the
 * receiver, just lost, or (feedback) on their way back. The trace has a packet's row only once the packet has left the
 * queue. So only the sum of the bytes is known of the packets that are still in the queue when the run ends.
 */
import type { Columns } from '../../../charts/index.js';

/** One packet at one moment. */
export interface ShownPacket {
  flow: number;
  sizeBytes: number;
  /** `rest` stands for all packets that are in the queue at the moment and also when the run ends. */
  where: 'pacer' | 'queue' | 'rest' | 'way' | 'lost' | 'back';
  /**
   * In the queue, also for `rest`: the number of bytes that leave before this packet. Elsewhere: the packet's
   * progress, from 0 (it enters) to 1 (it leaves).
   */
  at: number;
  /** For a lost packet: its place, counted from 0. Packets that fall at the same time have different places. */
  place?: number;
}

/** A lost packet is drawn falling for this long. */
const LOST_US = 400e3;

/** Gives each lost packet, in the order of loss, the first place in which no other packet falls at that time. */
function lossPlaces(): (lostUs: number) => number {
  const freeFromUs: number[] = [];
  return (lostUs) => {
    const found = freeFromUs.findIndex((us) => us <= lostUs);
    const place = found < 0 ? freeFromUs.length : found;
    freeFromUs[place] = lostUs + LOST_US;
    return place;
  };
}

/** A flow whose last packet arrived earlier than this before the end of the run had stopped sending. */
const STOPPED_US = 1e6;

/** The flow of a packet that belongs to no flow, or to an unknown one. */
const NO_FLOW = -1;

interface Moment {
  timeUs: number;
  /** The end of the run; Infinity while it is being simulated. */
  endUs: number;
  /** The rows up to this time are known. */
  readUntilUs: number;
  /** The delay from the bottleneck to the receiver. */
  wayUs: number;
  /** The one-way delay from the receiver back to the sender. */
  backUs: number;
  /** Rows of the forward link's table `packet`, from before the moment until after it. */
  packets: Columns;
  /** Rows of the forward link's table `queue`. */
  queue: Columns;
  /** Rows of the table `arrival`. */
  arrivals: Columns;
  /** Rows of the table `feedback`. */
  feedback: Columns;
  /** The flows whose feedback is shown on its way back: the calls that send their media over the forward link. */
  calls: ReadonlySet<number>;
}

const numbers = (columns: Columns, name: string): Float64Array => columns[name] ?? new Float64Array();

/**
 * The bytes of the packets that are in the queue and stay there until the run ends: those that the latest row of the
 * table `queue` counts in addition to the packets with rows of their own.
 */
function stayingBytes({ timeUs, endUs, readUntilUs, packets, queue }: Moment): number {
  const row = numbers(queue, 'time_us').findLastIndex((us) => us <= timeUs);
  if (row < 0 || readUntilUs < endUs) return 0;
  const atUs = numbers(queue, 'time_us')[row] ?? NaN;
  const [left, size] = [numbers(packets, 'time_us'), numbers(packets, 'size_bytes')];
  const leaving = numbers(packets, 'offered_us').reduce(
    (sum, offeredUs, i) => sum + (offeredUs <= atUs && atUs < (left[i] ?? 0) ? (size[i] ?? 0) : 0),
    0,
  );
  return Math.max(0, (numbers(queue, 'queue_bytes')[row] ?? 0) - leaving);
}

/** The packets that wait in the queue, are on their way to the receiver, or were just lost. */
function onTheWay(moment: Moment): ShownPacket[] {
  const { timeUs, wayUs, packets } = moment;
  const [time, offered, size, flow, dropped] = [
    numbers(packets, 'time_us'),
    numbers(packets, 'offered_us'),
    numbers(packets, 'size_bytes'),
    numbers(packets, 'flow'),
    numbers(packets, 'dropped'),
  ];
  const shown: ShownPacket[] = [];
  let ahead = 0;
  const placeOf = lossPlaces();
  for (let i = 0; i < time.length; i++) {
    const [leftUs = 0, offeredUs = 0, sizeBytes = 0] = [time[i], offered[i], size[i]];
    const packet = { flow: flow[i] ?? 0, sizeBytes };
    const isLost = (dropped[i] ?? 0) > 0;
    const place = isLost ? placeOf(leftUs) : 0;
    if (offeredUs <= timeUs && timeUs < leftUs) {
      shown.push({ ...packet, where: 'queue', at: ahead });
      ahead += sizeBytes;
    } else if (leftUs <= timeUs && isLost && timeUs - leftUs < LOST_US)
      shown.push({ ...packet, where: 'lost', at: (timeUs - leftUs) / LOST_US, place });
    else if (leftUs <= timeUs && !isLost && timeUs - leftUs < wayUs)
      shown.push({ ...packet, where: 'way', at: (timeUs - leftUs) / wayUs });
  }
  const sizeBytes = stayingBytes(moment);
  if (sizeBytes > 0) shown.push({ flow: NO_FLOW, sizeBytes, where: 'rest', at: ahead });
  return shown;
}

/** The rate of the RTP clock for video. */
const RTP_HZ = 90e3;

/**
 * When each packet entered its pacer, by its row in `arrivals`. All packets of a frame enter the pacer together and
 * share an RTP timestamp. In each flow, the packet with the smallest difference between send time and RTP time is
 * assumed not to have waited. That difference relates the RTP clock to the run's clock.
 */
function paceBegins(arrivals: Columns): Float64Array {
  const [sent, flow] = [numbers(arrivals, 'send_time_us'), numbers(arrivals, 'flow')];
  const offsets = new Map<number, number>();
  const madeUs = numbers(arrivals, 'rtp_timestamp').map((ticks) => (ticks / RTP_HZ) * 1e6);
  sent.forEach((sentUs, i) => {
    const number = flow[i] ?? 0;
    const offset = sentUs - (madeUs[i] ?? NaN);
    offsets.set(number, Math.min(offset, offsets.get(number) ?? Infinity));
  });
  return madeUs.map((us, i) => us + (offsets.get(flow[i] ?? 0) ?? 0));
}

/** The packets that wait in the pacers. */
function inPacers({ timeUs, arrivals }: Moment): ShownPacket[] {
  const [sent, size, flow] = [
    numbers(arrivals, 'send_time_us'),
    numbers(arrivals, 'size_bytes'),
    numbers(arrivals, 'flow'),
  ];
  const begins = paceBegins(arrivals);
  const shown: ShownPacket[] = [];
  sent.forEach((sentUs, i) => {
    const beganUs = begins[i] ?? NaN;
    if (beganUs <= timeUs && timeUs < sentUs)
      shown.push({
        flow: flow[i] ?? 0,
        sizeBytes: size[i] ?? 0,
        where: 'pacer',
        at: (timeUs - beganUs) / (sentUs - beganUs),
      });
  });
  return shown;
}

/**
 * Whether the pacers may contain more packets than are shown. Packets in pacers are known from their arrival, so those
 * that would arrive after the run are unknown.
 */
export function mayPacersHaveMore({ timeUs, endUs, readUntilUs, arrivals }: Moment): boolean {
  if (readUntilUs < endUs) return false;
  const [time, flow] = [numbers(arrivals, 'time_us'), numbers(arrivals, 'flow')];
  const begins = paceBegins(arrivals);
  const latest = new Map([...flow.entries()].map(([row, number]) => [number, row]));
  return [...latest.values()].some(
    (row) => (time[row] ?? NaN) > endUs - STOPPED_US && timeUs >= (begins[row] ?? NaN),
  );
}

/** The size of each RTCP packet in the simulator. */
const FEEDBACK_BYTES = 96;

/**
 * The feedback messages on their way back. The trace contains their send times; each message arrives `backUs` later.
 */
function goingBack({ timeUs, backUs, feedback, calls }: Moment): ShownPacket[] {
  const [sent, flow] = [numbers(feedback, 'time_us'), numbers(feedback, 'flow')];
  const shown: ShownPacket[] = [];
  sent.forEach((sentUs, i) => {
    const agoUs = timeUs - sentUs;
    const number = flow[i] ?? 0;
    if (agoUs >= 0 && agoUs < backUs && calls.has(number))
      shown.push({ flow: number, sizeBytes: FEEDBACK_BYTES, where: 'back', at: agoUs / backUs });
  });
  return shown;
}

/** All packets that are drawn at a moment. */
export const packetsAt = (moment: Moment): ShownPacket[] => [
  ...inPacers(moment),
  ...onTheWay(moment),
  ...goingBack(moment),
];
