// Measures the shaper that tests use, with real UDP packets. The sender and the receiver run in their own
// threads and read the clock themselves. The results are compared with those of an ideal link, computed from
// the actual send times.
import { binomialInterval, excessUs, quantile, rateRatio, sendThrough } from '../lib/wire.mjs';
import { heading, row } from './report.mjs';

const ONE_WAY_US = 25_000;
const sizeAt = (capacityBps) => (capacityBps < 5e5 ? 250 : 1250);
const named = (bps) => (bps < 1e6 ? `${bps / 1e3} kbps` : `${bps / 1e6} Mbps`);

async function withLink(settings, measure) {
  const { openShaperLink } = await import('../../dist/lib/shaper/index.js');
  const link = await openShaperLink({ settings: { rtt: (2 * ONE_WAY_US) / 1e3, ...settings } });
  try {
    return await measure(link);
  } finally {
    await link.close();
  }
}

/** Sends more than the link carries: the rate of the packets that arrive is then the rate of the link. */
async function rates(durationS) {
  heading('Rate of the shaper under 1.3 times its capacity (target: within 2 %)');
  for (const capacityBps of [1e5, 1e6, 5e6, 20e6]) {
    const passage = await withLink({ capacity: capacityBps }, (link) =>
      sendThrough(link, { rateBps: 1.3 * capacityBps, sizeBytes: sizeAt(capacityBps), durationS }),
    );
    const deviation = Math.abs(rateRatio(passage, capacityBps) - 1) * 100;
    row(`${named(capacityBps)}, deviation`, deviation, '%', 'target', 2);
  }
}

/** Poisson arrivals at 0.8 of the capacity: the queue fills and empties again and again. */
async function delays(durationS) {
  heading(
    'Delay beyond the ideal link, p95, Poisson packets at 0.8 of the capacity (target: 3 ms and a packet)',
  );
  for (const capacityBps of [1e5, 1e6, 5e6, 20e6]) {
    const sizeBytes = sizeAt(capacityBps);
    const [excess, lateness] = await withLink(
      { capacity: capacityBps, queue: 'droptail:1000p' },
      async (link) => {
        const traffic = { rateBps: 0.8 * capacityBps, sizeBytes, durationS, pattern: 'poisson' };
        const passage = await sendThrough(link, traffic);
        await link.sync();
        return [excessUs(passage, { capacityBps, oneWayDelayUs: ONE_WAY_US }), link.record.latenessMs];
      },
    );
    const packetMs = (sizeBytes * 8e3) / capacityBps;
    row(`${named(capacityBps)}, on the wire`, quantile(excess, 0.95) / 1e3, 'ms', 'target', 3 + packetMs);
    row(`${named(capacityBps)}, lateness as the shaper counts it`, lateness.p95, 'ms', 'target', 1);
  }
}

async function losses(durationS) {
  heading('Random loss (target: within the 99 % binomial interval)');
  for (const loss of [0.01, 0.1]) {
    const { sentUs, sequence } = await withLink({ capacity: '20mbps', loss }, (link) =>
      sendThrough(link, { rateBps: 2e6, sizeBytes: 250, durationS }),
    );
    const lost = sentUs.length - sequence.length;
    const [least, most] = binomialInterval(sentUs.length, loss, 0.99);
    const verdict = lost >= least && lost <= most ? 'inside' : 'OUTSIDE';
    console.log(
      `  ${loss * 100} %: ${lost} of ${sentUs.length} lost, interval ${least} to ${most}: ${verdict}`,
    );
  }
}

async function four(durationS) {
  const capacityBps = 1e6;
  heading('Four links of 1 Mbps at once, Poisson packets at 0.8 of the capacity, p95');
  const one = (seed) =>
    withLink({ capacity: capacityBps, queue: 'droptail:1000p' }, async (link) => {
      const traffic = { rateBps: 0.8 * capacityBps, sizeBytes: 1250, durationS, pattern: 'poisson', seed };
      const passage = await sendThrough(link, traffic);
      await link.sync();
      return [excessUs(passage, { capacityBps, oneWayDelayUs: ONE_WAY_US }), link.record.latenessMs];
    });
  const all = await Promise.all([1, 2, 3, 4].map(one));
  for (const [i, [excess, lateness]] of all.entries()) {
    row(`link ${i + 1}, on the wire`, quantile(excess, 0.95) / 1e3, 'ms', 'target', 13);
    row(`link ${i + 1}, lateness as the shaper counts it`, lateness.p95, 'ms', 'target', 1);
  }
}

/** The load that eight participants of a conference put on a link: each of them receives seven streams. */
async function conference(durationS) {
  const [capacityBps, sizeBytes, connections] = [25e6, 1250, 56];
  heading('56 connections on one link, 20 Mbps in all, Poisson packets, p95');
  const [excess, lateness] = await withLink(
    { capacity: capacityBps, queue: 'droptail:1000p' },
    async (link) => {
      const traffic = { rateBps: 20e6, sizeBytes, durationS, pattern: 'poisson', connections };
      const passage = await sendThrough(link, traffic);
      await link.sync();
      return [excessUs(passage, { capacityBps, oneWayDelayUs: ONE_WAY_US }), link.record.latenessMs];
    },
  );
  row('on the wire', quantile(excess, 0.95) / 1e3, 'ms', 'target', 3);
  row('lateness as the shaper counts it', lateness.p95, 'ms', 'target', 2);
}

/** Each measurement takes a tenth of the duration, but at least 2 s. */
export async function benchShaper({ durationS }) {
  const eachS = Math.max(2, durationS / 10);
  await rates(eachS);
  await delays(eachS);
  await losses(eachS);
  await four(eachS);
  await conference(eachS);
}
