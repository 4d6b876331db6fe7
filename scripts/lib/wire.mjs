// Measures a relay from outside. A sender and a receiver run in their own threads, and read the system's clock
// themselves. Their results are compared with those of an ideal link that gets the same packets.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The headers of IPv4 and UDP. */
export const HEADER_BYTES = 28;
/** If no packet has arrived for this long, no more packets will arrive. */
const QUIET_MS = 500;

let passages = 0;

/**
 * Sends packets through the relay of a link, in the forward direction. `rateBps` includes the headers of the
 * packets. `prepare` is called, and awaited, after both ends have answered each other's ICE checks, and before the
 * first packet.
 */
export async function sendThrough(link, traffic) {
  const { rateBps, sizeBytes, durationS, pattern = 'constant', seed = 1, connections = 1, prepare } = traffic;
  const number = ++passages;
  const names = [`send${number}`, `recv${number}`];
  const intervalUs = (sizeBytes * 8e6) / rateBps;
  const packets = Math.round((durationS * 1e6) / intervalUs);
  const flow = { packets, sizeBytes, intervalUs, pattern, seed, connections, headerBytes: HEADER_BYTES };
  // The relay forwards only the packets of agents that are registered with it.
  for (let i = 0; i < connections; i++) names.forEach((name, page) => link.local(`${name}.${i}`, page));
  const workers = ['sender', 'receiver'].map((role) => {
    const workerData = { port: link.relay.port, role, names, flow };
    return new Worker(new URL('./wire_peer.mjs', import.meta.url), { workerData, execArgv: [] });
  });
  const [sender, receiver] = workers;
  try {
    // The ends behave like ICE agents: they send data only after their checks have been answered. The relay would not
    // forward earlier data.
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    await prepare?.();
    const sent = once(sender, 'message');
    for (const worker of workers) worker.postMessage('begin');
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
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/**
 * The times, in microseconds, at which the received packets would have left an ideal link of this capacity. They
 * are computed with Lindley's recursion from the actual times of sending. Lost packets are left out.
 */
function idealUs({ sentUs, sequence, sizeBytes }, capacityBps) {
  const serviceUs = (sizeBytes * 8e6) / capacityBps;
  let freeUs = -Infinity;
  return Float64Array.from(sequence, (number) => (freeUs = Math.max(freeUs, sentUs[number]) + serviceUs));
}

/** By how much each received packet arrived later than over an ideal link, in microseconds. */
export function excessUs(passage, { capacityBps, oneWayDelayUs = 0 }) {
  const ideal = idealUs(passage, capacityBps);
  return passage.receivedUs.map((timeUs, i) => timeUs - ideal[i] - oneWayDelayUs);
}

/**
 * The times, in microseconds, at which packets would have left an ideal link with a drop-tail queue of a given delay.
 * They are computed only from the times of sending: it does not matter which packets arrived.
 */
function idealDeparturesUs({ sentUs, sizeBytes }, capacityBps, queueUs) {
  const serviceUs = (sizeBytes * 8e6) / capacityBps;
  const departures = [];
  let freeUs = -Infinity;
  for (const timeUs of sentUs) {
    if (freeUs - timeUs > queueUs) continue;
    freeUs = Math.max(freeUs, timeUs) + serviceUs;
    departures.push(freeUs);
  }
  return departures;
}

/**
 * The rate at which packets arrived, divided by the rate of an ideal link that got the same packets. The first
 * `skipS` seconds are left out. The lateness of the k-th arrival is its time minus the time at which the k-th packet
 * leaves the ideal link. Both rates are computed between two packets: the least late packet of the first third, and
 * the least late packet of the last third. These two packets arrived while the receiver was awake, so a receiver
 * that sleeps now and then does not change the result. When the sender pauses, the ideal link pauses, too.
 */
export function rateRatio(passage, capacityBps, { skipS = 1, queueUs = 300_000 } = {}) {
  const ideal = idealDeparturesUs(passage, capacityBps, queueUs);
  const { receivedUs } = passage;
  const end = Math.min(ideal.length, receivedUs.length);
  const from = receivedUs.findIndex((timeUs) => timeUs >= receivedUs[0] + skipS * 1e6);
  const third = Math.floor((end - from) / 3);
  const leastLate = (begin) => {
    let least = begin;
    for (let i = begin; i < begin + third; i++) {
      if (receivedUs[i] - ideal[i] < receivedUs[least] - ideal[least]) least = i;
    }
    return least;
  };
  const [first, last] = [leastLate(from), leastLate(end - third)];
  return (ideal[last] - ideal[first]) / (receivedUs[last] - receivedUs[first]);
}

/** The quantile of numbers; NaN if there are none. */
export function quantile(values, q) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** ln(n!); for n of at least 10, by Stirling's series. */
function lnFactorial(n) {
  if (n < 10) {
    let sum = 0;
    for (let i = 2; i <= n; i++) sum += Math.log(i);
    return sum;
  }
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3);
}

/**
 * The narrowest range of counts that leaves out at most (1 - confidence) / 2 of a binomial distribution on either side.
 */
export function binomialInterval(n, p, confidence) {
  const chance = (k) =>
    Math.exp(
      lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k) + k * Math.log(p) + (n - k) * Math.log(1 - p),
    );
  const tail = (1 - confidence) / 2;
  let least = 0;
  for (let below = chance(0); below <= tail; below += chance(++least));
  let most = n;
  for (let above = chance(n); above <= tail; above += chance(--most));
  return [least, most];
}
