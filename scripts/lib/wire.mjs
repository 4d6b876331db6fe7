// Measures a relay from outside: a sender and a receiver in threads of their own, with their own readings
// of the system's clock, and what an ideal link would have done with what was sent.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** IPv4 and UDP. */
export const HEADER_BYTES = 28;
/** Nothing came for so long: nothing will. */
const QUIET_MS = 500;

let connections = 0;

/**
 * Sends packets through the relay at this port. `ready` is asked until both ends are known to it.
 * `rateBps` counts packets with their headers.
 */
export async function sendThrough(
  port,
  { rateBps, sizeBytes, durationS, pattern = 'constant', seed = 1, ready },
) {
  const number = ++connections;
  const names = [`snd${number}`, `rcv${number}`];
  const intervalUs = (sizeBytes * 8e6) / rateBps;
  const flow = {
    packets: Math.round((durationS * 1e6) / intervalUs),
    sizeBytes,
    intervalUs,
    pattern,
    seed,
    headerBytes: HEADER_BYTES,
  };
  const peer = (role) =>
    new Worker(new URL('./wire_peer.mjs', import.meta.url), { workerData: { port, role, names, flow } });
  const [sender, receiver] = [peer('sender'), peer('receiver')];
  try {
    // Checks of both ends have been there and answered for by then.
    await ready(names);
    const sent = once(sender, 'message');
    sender.postMessage('send');
    const [{ sentUs }] = await sent;
    for (let before = -1, count = 0; count !== before;) {
      before = count;
      await sleep(QUIET_MS);
      receiver.postMessage('count');
      [{ count }] = await once(receiver, 'message');
    }
    receiver.postMessage('report');
    const [{ sequence, receivedUs }] = await once(receiver, 'message');
    return { sentUs, sequence, receivedUs, sizeBytes };
  } finally {
    for (const worker of [sender, receiver]) {
      worker.postMessage('close');
      await once(worker, 'exit');
    }
  }
}

/** Waits until the relay of a link knows both ends. */
export const readyWhen = (link) => async (names) => {
  for (;;) {
    await link.sync();
    const { flows, forward } = link.record;
    const flow = flows.find(({ offererUfrag }) => names.includes(offererUfrag))?.flow;
    const column = forward.packets.flow.subarray(0, forward.packets.rows);
    const back = link.record.back.packets;
    if (flow !== undefined && column.includes(flow) && back.flow.subarray(0, back.rows).includes(flow))
      return;
    await sleep(20);
  }
};

/**
 * How much later each received packet came than from an ideal link of this capacity: departure times by
 * Lindley's recursion from the actual times of sending, over the packets that were not lost. Microseconds.
 */
export function excessUs({ sentUs, sequence, receivedUs, sizeBytes }, { capacityBps, oneWayDelayUs = 0 }) {
  const serviceUs = (sizeBytes * 8e6) / capacityBps;
  let freeUs = -Infinity;
  return sequence.reduce((excess, number, i) => {
    freeUs = Math.max(freeUs, sentUs[number]) + serviceUs;
    excess[i] = receivedUs[i] - freeUs - oneWayDelayUs;
    return excess;
  }, new Float64Array(sequence.length));
}

/** Received bits per second, from the first packet to the last, without those before `skipS`. */
export function receivedBps({ sequence, receivedUs, sizeBytes }, skipS = 0) {
  const from = receivedUs.findIndex((timeUs) => timeUs >= receivedUs[0] + skipS * 1e6);
  const packets = sequence.length - 1 - from;
  return (packets * sizeBytes * 8e6) / (receivedUs.at(-1) - receivedUs[from]);
}

/** The quantile of numbers, NaN of none. */
export function quantile(values, q) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
