/** Pages that nobody here controls: their media go on as without the script, and what is shown of them is true. */
import {
  codesOf,
  expect,
  expectTrueRate,
  isWatched,
  lateWays,
  received,
  script,
  sent,
  test,
} from './support.js';

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
      // Of the caller, which has no video to receive, nothing was seen before.
      const state = await visit.until('the connection', ({ connections }) =>
        connections.some((each) => each.route !== '' && each.state === 'connected'),
      );
      expect(state.connections.length).toBeGreaterThan(1);
    } else {
      const state = await visit.until('a watched stream of the connection', isWatched);
      const open = state.connections.filter((each) => each.state !== 'closed');
      expect(open.map(codesOf)).toEqual([['joined-late']]);
    }
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
    // Pictures come out only if each frame was unscrambled, once.
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
