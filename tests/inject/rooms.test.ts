/**
 * Calls of third-party clients, and calls through servers: the script does not affect their media, and
 * reports the calls correctly.
 */
import type { ConnectionState } from '../../src/watch/index.js';
import { startPeerServer } from '../kit/peer_server.js';
import { isInstalled } from '../kit/sfu/process.js';
import { UNITS } from '../kit/sfu/servers.js';
import {
  codesOf,
  expect,
  expectTrueRate,
  isWatched,
  received,
  script,
  sent,
  test,
  type PageState,
  type Visit,
  type Way,
} from './support.js';

/**
 * For each way to start the script: its name, a phrase for the test's title that says when the script starts, and
 * the expected notices. A script that starts before the page sees every frame. A script that starts later finds a
 * running connection, which a notice reports.
 */
const WAYS: readonly (readonly [Way, string, readonly string[]])[] = [
  ['early', 'before the page', []],
  ['none', 'after the call began', ['joined-late']],
];

/** The connections that carry media; PeerJS also makes one for data only. */
const withMedia = ({ connections, streams }: PageState): ConnectionState[] =>
  connections.filter(({ endpoint }) => streams.some((stream) => stream.endpoint === endpoint));

/**
 * Expects that the received stream is watched, the sent rate is known, the video continues, and no page has
 * errors.
 */
async function expectWatched(way: Way, sender: Visit, receiver: Visit, notices: readonly string[]) {
  await receiver.showsMoreThan(30);
  if (way === 'none') for (const { page } of [sender, receiver]) await page.evaluate(script());
  const state = await receiver.until('a watched stream', isWatched);
  const [stream] = received(state);
  expect(stream?.frameWidth).toBeGreaterThan(0);
  expect(withMedia(state).map(codesOf)).toEqual([notices]);
  const other = await sender.until('what is sent', (now) => sent(now).some(({ rateBps }) => rateBps > 50e3));
  expect(withMedia(other).map(codesOf)).toEqual([notices]);
  await expectTrueRate(receiver, 'connection()');
  await receiver.showsMoreThan((await receiver.shown()) + 30);
  for (const visit of [sender, receiver]) visit.expectUntroubled();
}

for (const [way, when, notices] of WAYS) {
  for (const { name, program, start } of UNITS)
    test(`a room through ${name}, with the script ${when}`, async ({ foreign }) => {
      test.skip(!isInstalled(program), `${program} is not installed`);
      // The first build fetches and compiles pion.
      if (program === 'go') test.setTimeout(300_000);
      const unit = await start('page');
      try {
        const sender = await foreign.visit(unit.page('publish'), { way });
        const receiver = await foreign.visit(unit.page('watch'), { way });
        await expectWatched(way, sender, receiver, notices);
      } finally {
        await unit.close();
      }
    });

  test(`PeerJS with its own server, with the script ${when}`, async ({ foreign }) => {
    const server = await startPeerServer();
    try {
      const { a, b } = await foreign.visitBoth(`peerjs.html?add=early&port=${server.port}`, way);
      await expectWatched(way, a, b, notices);
    } finally {
      await server.close();
    }
  });
}
