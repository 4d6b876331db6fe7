/**
 * Pages that are not prepared for the script. Their media must flow as without the script, and the script must
 * report their calls correctly.
 */
import type { BrowserContext } from '@playwright/test';

import { describeConnections, touchConnections } from '../../src/observe/heap.js';
import type { ActionResult, PageMessage } from '../../src/inject/protocol.js';
import {
  codesOf,
  expect,
  expectTrueRate,
  isWatched,
  lateWays,
  observerScript,
  received,
  script,
  sent,
  test,
  type Visit,
} from './support.js';

interface Injected {
  show(): void;
  detach(): void;
}

/** Calls the function `name` of the object that the script has left in the page. */
const inject = ({ page }: Visit, name: keyof Injected): Promise<void> =>
  page.evaluate((each) => {
    const scope = globalThis as unknown as Record<symbol, Injected | undefined>;
    scope[Symbol.for('ccscope.inject')]?.[each]();
  }, name);

test('a page that calls itself, with the script before all others', async ({ foreign }) => {
  const visit = await foreign.visit('loop.html', { way: 'early' });
  const state = await visit.until(
    'two connections that are watched',
    (now) => now.connections.length === 2 && isWatched(now),
  );
  expect(state).toMatchObject({ core: 'wasm', place: 'worker', notices: [] });
  expect(state.connections.map((each) => [each.state, codesOf(each)])).toEqual([
    ['connected', []],
    ['connected', []],
  ]);
  expect(state.connections.map(({ frameSource }) => frameSource)).toEqual(['transform', 'transform']);
  expect([received(state).length, sent(state).length]).toEqual([1, 1]);
  await expectTrueRate(visit, 'callee');
  visit.expectUntroubled();
});

for (const [how, bring] of Object.entries(lateWays))
  test(`a call that runs already, with the script ${how}`, async ({ foreign }) => {
    const { a, b } = await foreign.visitBoth('plain.html');
    await b.showsMoreThan(30);
    for (const visit of [a, b]) await bring(visit);
    const state = await b.until('a watched stream', isWatched);
    expect(state.connections).toHaveLength(1);
    expect(codesOf(state.connections[0])).toEqual(['joined-late']);
    expect(state.connections[0]?.frameSource).toBe('elements');
    await a.until('the stream that is sent', (now) => sent(now).some(({ rateBps }) => rateBps > 0));
    await expectTrueRate(b, 'peer');
    const shown = await b.shown();
    await b.showsMoreThan(shown + 30);
    a.expectUntroubled();
    b.expectUntroubled();
  });

for (const uses of ['method', 'listener', 'event'])
  test(`a connection that its page keeps to itself, until it uses it (${uses})`, async ({ foreign }) => {
    const visit = await foreign.visit(`hidden.html?uses=${uses}`);
    await visit.showsMoreThan(30);
    await visit.page.evaluate(script());
    const before = await visit.until('what is shown', (now) =>
      received(now).some(({ framesPerSecond }) => framesPerSecond > 5),
    );
    expect(before.connections.map(codesOf)).toEqual([['only-shown']]);
    expect(
      received(before).map(({ frameWidth, rateBps, shadows }) => [frameWidth > 0, rateBps, shadows]),
    ).toEqual([[true, NaN, []]]);
    await visit.page.evaluate(() => (globalThis as unknown as { useIt(): void }).useIt());
    if (uses === 'event') {
      // The script had not seen the caller before, because the caller receives no video.
      const state = await visit.until('the connection', ({ connections }) =>
        connections.some((each) => each.route !== '' && each.state === 'connected'),
      );
      expect(state.connections.length).toBeGreaterThan(1);
    } else {
      const state = await visit.until('a watched stream of the connection', isWatched);
      expect(state.connections.map(codesOf)).toEqual([['joined-late']]);
    }
    visit.expectUntroubled();
  });

test('a connection of which only the picture was seen takes its place when the console finds it', async ({
  foreign,
}) => {
  const visit = await foreign.visit('hidden.html?uses=nothing');
  await visit.showsMoreThan(30);
  await visit.page.evaluate(script());
  const before = await visit.until('what is shown', ({ connections }) => connections.length > 0);
  const [notice] = before.connections[0]?.notices ?? [];
  expect(notice?.code).toBe('only-shown');
  // Does what the user would do in the console: calls `queryObjects`, and stores its result as the global variable
  // `temp1`.
  const session = await visit.page.context().newCDPSession(visit.page);
  const { result } = await session.send('Runtime.evaluate', { expression: 'RTCPeerConnection.prototype' });
  const { objects } = await session.send('Runtime.queryObjects', {
    prototypeObjectId: result.objectId ?? '',
  });
  await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: 'function () { globalThis.temp1 = this; }',
  });
  const [line] = /temp1\.map\(.*\)\)/.exec(notice?.fix ?? '') ?? ['temp1: no line'];
  await visit.page.evaluate(`void ${line}`);
  const state = await visit.until(
    'both connections',
    (now) => isWatched(now) && now.connections.length > 1 && sent(now).some(({ rateBps }) => rateBps > 0),
  );
  expect(state.connections.map((each) => [each.state, codesOf(each)])).toEqual([
    ['connected', ['joined-late']],
    ['connected', ['joined-late']],
  ]);
  expect(
    received(state)
      .filter(({ isLive }) => isLive)
      .map(({ endpoint }) => endpoint),
  ).toEqual([0]);
  // The search of the page's memory can stop the page for so long that its picture freezes.
  expect(state.incidents.filter(({ kind }) => kind !== 'freeze')).toEqual([]);
  visit.expectUntroubled();
});

test('a connection of which its page uses a receiver alone', async ({ foreign }) => {
  const visit = await foreign.visit('hidden.html?uses=receiver');
  await visit.showsMoreThan(30);
  await visit.page.evaluate(script());
  await visit.page.evaluate(() => (globalThis as unknown as { useIt(): void }).useIt());
  const state = await visit.until('a watched stream of the receiver', isWatched);
  const open = state.connections.filter((each) => each.state !== 'closed');
  expect(open.map(codesOf)).toEqual([['only-receiver', 'joined-late']]);
  visit.expectUntroubled();
});

test('a page that opens and closes a hundred calls', async ({ foreign }) => {
  test.setTimeout(240_000);
  const visit = await foreign.visit('reopens.html', { way: 'early' });
  const CALLS = 100;
  for (let call = 0; call < CALLS; call++)
    await visit.page.evaluate(() => (globalThis as unknown as { callOnce(): Promise<void> }).callOnce());
  const state = await visit.until('the end of all calls', ({ connections }) =>
    connections.every(({ state: each }) => each === 'closed'),
  );
  expect(state.connections).toHaveLength(2 * CALLS);
  expect(state.streams).toEqual([]);
  expect(state.notices).toEqual([]);
  visit.expectUntroubled();
});

/** The number of peer connections in the page's memory after a garbage collection. */
async function connectionsInMemory({ page }: Visit): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', { expression: 'RTCPeerConnection.prototype' });
  const prototypeObjectId = result.objectId ?? '';
  const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId });
  const counted = await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: 'function () { return this.length; }',
    returnByValue: true,
  });
  await session.detach();
  return counted.result.value as number;
}

for (const way of ['early', 'none'] as const)
  test(`a page that opens and closes a hundred calls after Detach (script ${way})`, async ({ foreign }) => {
    test.setTimeout(240_000);
    const visit = await foreign.visit('reopens.html', { way });
    if (way === 'none') await visit.page.evaluate(script());
    await inject(visit, 'detach');
    for (let call = 0; call < 100; call++)
      await visit.page.evaluate(() => (globalThis as unknown as { callOnce(): Promise<void> }).callOnce());
    await expect.poll(() => connectionsInMemory(visit)).toBeLessThan(10);
    await inject(visit, 'show');
    expect((await visit.until('a new watch', () => true)).connections).toEqual([]);
    // Of all calls, only the next one is shown: it is made after the new watch has begun.
    await visit.page.evaluate(() => (globalThis as unknown as { callOnce(): Promise<void> }).callOnce());
    await visit.until('the one call', ({ connections }) => connections.length === 2);
    visit.expectUntroubled();
  });

test('a call that is made after Detach is seen frame by frame once it is watched again', async ({
  foreign,
}) => {
  const path = 'plain.html?room=detached&side=';
  const b = await foreign.visit(`${path}b`, {
    way: 'early',
    prepare: async (context) => {
      await context.addInitScript(() => {
        const scope = globalThis as unknown as Record<symbol, Injected | undefined>;
        scope[Symbol.for('ccscope.inject')]?.detach();
      });
    },
  });
  const a = await foreign.visit(`${path}a`);
  await b.showsMoreThan(30);
  await inject(b, 'show');
  const state = await b.until('a watched stream', isWatched);
  expect(state.connections.map(({ frameSource }) => frameSource)).toEqual(['transform']);
  await expectTrueRate(b, 'peer');
  a.expectUntroubled();
  b.expectUntroubled();
});

for (const keeps of [true, false])
  test(`a page that shows a received track twice (${keeps ? 'known' : 'hidden'} connection)`, async ({
    foreign,
  }) => {
    const visit = await foreign.visit(`clones.html${keeps ? '?keeps=1' : ''}`);
    await visit.showsMoreThan(60);
    await visit.page.evaluate(script());
    if (keeps) await visit.until('a watched stream', isWatched);
    else await visit.until('what is shown', (now) => received(now).length > 0);
    // If a clone were mistaken for another track, it would be reported within this time.
    await visit.page.waitForTimeout(4000);
    const state = await visit.until('the state', () => true);
    expect(state.connections.map(codesOf)).toEqual(
      keeps ? [['joined-late'], ['joined-late']] : [['only-shown']],
    );
    visit.expectUntroubled();
  });

// The search for connections pauses when it has taken too long, and continues later.
test('a connection beside an object whose properties are slow to list', async ({ foreign }) => {
  const prepare = async (context: BrowserContext): Promise<void> => {
    await context.addInitScript(() => {
      const ownKeys = (): string[] => {
        const endMs = performance.now() + 50;
        while (performance.now() < endMs);
        return [];
      };
      Object.assign(window, { slow: new Proxy({}, { ownKeys }) });
    });
  };
  const visit = await foreign.visit('clones.html?keeps=1', { prepare });
  await visit.showsMoreThan(5);
  await visit.page.evaluate(script());
  await visit.until('a watched stream', isWatched);
  visit.expectUntroubled();
});

for (const by of ['Subclass', 'Unrelated'])
  test(`a page that has replaced the class of connections by its own: ${by}`, async ({ foreign }) => {
    const visit = await foreign.visit(`replaced.html?by=${by}`);
    await visit.showsMoreThan(30);
    expect(await describeConnections(visit.page)).toHaveLength(2);
    await visit.page.evaluate(script());
    const state = await visit.until('a watched stream', (now) => isWatched(now) && sent(now).length === 1);
    expect(state.connections.map(codesOf)).toEqual([['joined-late'], ['joined-late']]);
    await visit.page.evaluate('call()');
    const then = await visit.until(
      'frames of the next call',
      ({ connections, streams }) =>
        connections.length === 4 && streams.filter(({ rateBps }) => rateBps > 0).length === 4,
    );
    expect(then.connections.slice(2).map(codesOf)).toEqual([[], []]);
    expect(then.connections[3]?.frameSource).toBe('transform');
    visit.expectUntroubled();
  });

test('a class of the page that uses its new connections, before it returns them', async ({ foreign }) => {
  const visit = await foreign.visit('replaced.html?by=Listening&waits');
  await visit.page.evaluate(script());
  await visit.page.evaluate('call()');
  const state = await visit.until('a watched stream', (now) => isWatched(now) && sent(now).length > 0);
  expect(state.connections.map(codesOf)).toEqual([[], []]);
  expect([received(state).length, sent(state).length]).toEqual([1, 1]);
  expect(state.connections.map(({ frameSource }) => frameSource)).toEqual(['transform', 'transform']);
  visit.expectUntroubled();
});

test('connections of classes of the page, found by a debugger', async ({ foreign }) => {
  const visit = await foreign.visit('subclass.html');
  await visit.showsMoreThan(30);
  expect(await describeConnections(visit.page)).toHaveLength(2);
  await visit.page.evaluate(script());
  await touchConnections(visit.page);
  const state = await visit.until('a watched stream', isWatched);
  const open = state.connections.filter((each) => each.state !== 'closed');
  expect(open.map(codesOf)).toEqual([['joined-late'], ['joined-late']]);
  visit.expectUntroubled();
});

test('connections that are handed over beside objects of other kinds', async ({ foreign }) => {
  const visit = await foreign.visit('quiet.html', { way: 'early' });
  await visit.page.evaluate(() => {
    type Adopting = Record<symbol, { adopt(...peers: unknown[]): void } | undefined>;
    class Connection extends RTCPeerConnection {}
    const scope = globalThis as unknown as Adopting;
    scope[Symbol.for('ccscope.inject')]?.adopt(Connection.prototype, null, new Connection());
    // The script must still notice connections that are made afterwards.
    new Connection();
  });
  await visit.until('two connections', ({ connections }) => connections.length === 2);
  visit.expectUntroubled();
});

test('a stream of a connection that nobody can reach is not acted upon', async ({ foreign }) => {
  const visit = await foreign.visit('hidden.html?uses=receiver');
  await visit.showsMoreThan(30);
  await visit.page.evaluate(observerScript());
  const acted = (code: string): Promise<ActionResult | null> =>
    visit.page.evaluate(async (wanted) => {
      const { watched } = globalThis as unknown as {
        watched: { told: PageMessage[]; act(action: unknown): Promise<ActionResult> };
      };
      const notice = watched.told.find((each) => each.type === 'notice' && each.notice.code === wanted);
      if (notice?.type !== 'notice') return null;
      const target = { endpoint: notice.endpoint, direction: 'receive', mid: '', ssrc: 0 };
      return watched.act({ kind: 'playout-delay', target, delayMs: 100 });
    }, code);
  const refused = { ok: false, why: expect.stringMatching(/does not expose the connection/) as unknown };
  await expect.poll(() => acted('only-shown')).toMatchObject(refused);
  await visit.page.evaluate(() => (globalThis as unknown as { useIt(): void }).useIt());
  await expect.poll(() => acted('only-receiver')).toMatchObject(refused);
  visit.expectUntroubled();
});

test('a frame without a call has no overlay, also if the script was there before its document', async ({
  foreign,
}) => {
  const visit = await foreign.visit('quiet.html', { way: 'early' });
  await visit.page.evaluate((text) => {
    const element = document.createElement('iframe');
    element.src = 'quiet.html?inside';
    document.body.append(element);
    // Runs the script before the frame's document is loaded; the loaded document gets the same window object.
    (element.contentWindow as unknown as { eval(text: string): void }).eval(text);
  }, script());
  const frame = visit.page.frames()[1];
  if (frame === undefined) throw new Error('there is no frame');
  await frame.waitForURL(/inside/);
  // Runs the script once more, as user scripts do in the document of every frame.
  await frame.evaluate(script());
  const hasOverlay = (): Promise<boolean> =>
    frame.evaluate(() => document.querySelector('ccscope-overlay') !== null);
  await visit.page.waitForTimeout(3000);
  expect(await hasOverlay()).toBe(false);
  await frame.evaluate(() => (globalThis as unknown as { call(): void }).call());
  await expect.poll(hasOverlay).toBe(true);
  visit.expectUntroubled();
});

const transformModes = [
  'script-handler',
  'script-later',
  'script-before',
  'streams-handler',
  'streams-configured',
];

for (const mode of transformModes)
  test(`a page that transforms frames itself (${mode})`, async ({ foreign }) => {
    const { a, b } = await foreign.visitBoth(`own_transforms.html?mode=${mode}`, 'early');
    const state = await b.until('a watched stream', isWatched);
    // The receiver can decode frames only if each scrambled frame was unscrambled exactly once.
    await b.showsMoreThan((await b.shown()) + 60);
    expect(state.connections.map(codesOf)).toEqual([['page-transforms']]);
    expect(state.connections.map(({ frameSource }) => frameSource)).toEqual(['elements']);
    a.expectUntroubled();
    b.expectUntroubled();
  });

test('a page that transforms frames itself, and ran before', async ({ foreign }) => {
  const { a, b } = await foreign.visitBoth('own_transforms.html?mode=script-handler');
  await b.showsMoreThan(30);
  for (const visit of [a, b]) await visit.page.evaluate(script());
  const state = await b.until('a watched stream', isWatched);
  expect(state.connections.map(codesOf)).toEqual([['joined-late']]);
  await b.showsMoreThan((await b.shown()) + 60);
  a.expectUntroubled();
  b.expectUntroubled();
});

test('simple-peer, with tracks added to a connection that is there', async ({ foreign }) => {
  const { a, b } = await foreign.visitBoth('simple_peer.html?add=late', 'early');
  const state = await b.until('a watched stream', isWatched);
  expect(state.connections.map(codesOf)).toEqual([[]]);
  a.expectUntroubled();
  b.expectUntroubled();
});

test('a call in iframes without an address', async ({ foreign }) => {
  const visit = await foreign.visit('inside.html', { way: 'early' });
  await visit.showsMoreThan(30);
  const [, ...inner] = visit.page.frames();
  const states = await Promise.all(
    inner.map((frame) =>
      visit.until('a connection', ({ connections }) => connections.length === 1, { frame }),
    ),
  );
  expect(states.flatMap(received)).toHaveLength(1);
  expect(states.flatMap(sent)).toHaveLength(1);
  visit.expectUntroubled();
});

test('a call in a popup', async ({ foreign }) => {
  const opener = await foreign.visit(`popup.html?inner=${encodeURIComponent('loop.html')}`, { way: 'early' });
  const popup =
    opener.page
      .context()
      .pages()
      .find((page) => page !== opener.page) ?? (await opener.page.context().waitForEvent('page'));
  await popup.waitForLoadState();
  await opener.until('a watched stream', isWatched, { frame: popup.mainFrame() });
  opener.expectUntroubled();
});
