/** Calls through servers: no packet bypasses the link. */
import { routingOf } from '../../src/judge/routing.js';
import { pathsOf } from '../../src/judge/view.js';
import type { CallRecord, EndpointRecord } from '../../src/calls/record/record.js';
import { expect, secondsOfVideo, test, type Bed } from './bed.js';
import { isInstalled } from './sfu/process.js';
import { startTurn, startWerift, UNITS, type Unit } from './sfu/servers.js';

const VIDEO_S = 5;
/** The round-trip time of the bed's link. */
const RTT_S = 0.04;
/** Bytes that a candidate pair counted at least this long ago have passed through the link by now. */
const SETTLED_US = 1e6;

const leastRttS = ({ samples }: EndpointRecord): number =>
  Math.min(...samples.map(({ rttS }) => rttS).filter((rttS) => rttS > 0));

/** The bytes that the endpoint's candidate pairs had sent and received SETTLED_US before the link's last row. */
function settledBytes({ link }: CallRecord, { samples }: EndpointRecord): number {
  const untilUs = (link?.forward?.rows.at(-1)?.time_us ?? 0) - SETTLED_US;
  const look = samples.findLast(({ timeUs }) => timeUs <= untilUs);
  return (look?.bytesSent ?? NaN) + (look?.bytesReceived ?? NaN);
}

interface Row {
  role: string;
  bytes: number;
  rttS: number;
}

/**
 * Waits for a watcher's video. Checks that every connection uses the link, and that the record has exactly these
 * notices.
 */
async function expectThroughLink(bed: Bed, connections: number, notices: string[] = []): Promise<Row[]> {
  await bed.until(
    `${VIDEO_S} s of video`,
    ({ endpoints }) => endpoints.some((endpoint) => secondsOfVideo(endpoint) >= VIDEO_S),
    40_000,
  );
  await bed.observer.collect();
  await bed.link.sync();
  const { record } = bed;
  expect(record.endpoints).toHaveLength(connections);
  const routing = routingOf(record, pathsOf(record, {}));
  expect(routing?.endpoints).toHaveLength(connections);
  return (routing?.endpoints ?? []).map(({ endpoint, outsideBytes, linkBytes }) => {
    const bytes = settledBytes(record, endpoint);
    const rttS = leastRttS(endpoint);
    expect(endpoint.routed).toBe(true);
    expect(endpoint.notices.map(({ code }) => code)).toEqual(notices);
    expect(bytes).toBeGreaterThan(50_000);
    expect(outsideBytes).toBe(0);
    expect(linkBytes).toBeGreaterThan(0.999 * bytes);
    expect(rttS).toBeGreaterThanOrEqual(RTT_S);
    const sends = (endpoint.samples.at(-1)?.outbound.length ?? 0) > 0;
    return { role: sends ? 'publisher' : 'subscriber', bytes, rttS };
  });
}

/** A row, as a line of the table in the guide. */
const rowText = ({ role, bytes, rttS }: Row): string =>
  `${role} | ${(bytes / 1e3).toFixed(0)} kB | ${(1e3 * rttS).toFixed(0)} ms`;

async function withUnit(start: () => Promise<Unit>, use: (unit: Unit) => Promise<void>): Promise<void> {
  const unit = await start();
  try {
    await use(unit);
  } finally {
    await unit.close();
  }
}

for (const { name, program, start } of UNITS) {
  test(`through ${name}: a publisher and a subscriber`, async ({ bed }, testInfo) => {
    test.skip(!isInstalled(program), `${program} is not installed`);
    // The first build fetches and compiles pion.
    if (program === 'go') test.setTimeout(300_000);
    await withUnit(start, async (unit) => {
      await bed.open(unit.page('publish'));
      await bed.open(unit.page('watch'));
      const rows = await expectThroughLink(bed, 2);
      testInfo.annotations.push(...rows.map((row) => ({ type: name, description: rowText(row) })));
    });
  });
}

test("with iceTransportPolicy 'relay' and a TURN server", async ({ bed }) => {
  test.skip(!isInstalled('turnserver'), 'coturn is not installed');
  const turn = await startTurn();
  try {
    await withUnit(startWerift, async (unit) => {
      const flags = `&policy=relay&turn=${encodeURIComponent(turn.url)}`;
      await bed.open(`${unit.page('publish')}${flags}`);
      await bed.open(`${unit.page('watch')}${flags}`);
      await expectThroughLink(bed, 2, ['relay-policy']);
    });
  } finally {
    await turn.close();
  }
});
