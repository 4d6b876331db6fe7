/**
 * Pages whose Content Security Policy blocks WebAssembly, workers or other features that the injected script uses.
 * The script must work without these features, and notices must tell the user what is blocked.
 */
import { codesOf, expect, isWatched, received, script, test } from './support.js';

const codes = (notices: readonly { code: string }[]): string[] => notices.map(({ code }) => code).sort();

/** Allows inline scripts, because the test server's pages contain some. */
const INLINE = "script-src 'self' 'unsafe-inline'";

interface Policy {
  what: string;
  policy: string;
  core: 'wasm' | 'javascript';
  place: 'worker' | 'page';
  frames: 'transform' | 'elements';
  notices: string[];
}

const policies: readonly Policy[] = [
  {
    what: 'WebAssembly',
    policy: `${INLINE}; worker-src blob:`,
    core: 'javascript',
    place: 'worker',
    frames: 'transform',
    notices: ['core-in-javascript'],
  },
  {
    what: 'workers',
    policy: `${INLINE} 'wasm-unsafe-eval'; worker-src 'none'`,
    core: 'wasm',
    place: 'page',
    frames: 'elements',
    notices: ['watch-in-page'],
  },
  {
    what: 'workers from blobs, and WebAssembly',
    policy: `default-src 'self'; ${INLINE}; worker-src 'self'; style-src 'self'; connect-src 'self'`,
    core: 'javascript',
    place: 'page',
    frames: 'elements',
    notices: ['core-in-javascript', 'watch-in-page'],
  },
  {
    what: 'script URLs that no policy has made',
    policy: `${INLINE} 'wasm-unsafe-eval' blob:; require-trusted-types-for 'script'`,
    core: 'wasm',
    place: 'worker',
    frames: 'transform',
    notices: [],
  },
  {
    what: 'script URLs that no policy has made, and policies',
    policy: `${INLINE} 'wasm-unsafe-eval' blob:; require-trusted-types-for 'script'; trusted-types 'none'`,
    core: 'wasm',
    place: 'page',
    frames: 'elements',
    notices: ['watch-in-page'],
  },
];

for (const { what, policy, core, place, frames, notices } of policies)
  test(`a policy that refuses ${what}`, async ({ foreign }) => {
    const visit = await foreign.visit('loop.html', {
      way: 'early',
      headers: { 'Content-Security-Policy': policy },
    });
    const state = await visit.until('a watched stream', isWatched);
    expect(state).toMatchObject({ core, place });
    expect(codes(state.notices)).toEqual(notices);
    const [receiver] = state.connections.filter(({ endpoint }) => received(state)[0]?.endpoint === endpoint);
    expect(receiver?.frameSource).toBe(frames);
    expect(codesOf(receiver)).toEqual(frames === 'elements' ? ['worker-refused'] : []);
    await visit.showsMoreThan((await visit.shown()) + 30);
    visit.expectUntroubled();
  });

test('a policy that refuses workers and WebAssembly, for a call that ran before', async ({ foreign }) => {
  const visit = await foreign.visit('loop.html?kept=1', {
    headers: { 'Content-Security-Policy': `${INLINE}; worker-src 'none'` },
  });
  await visit.showsMoreThan(30);
  await visit.page.evaluate(script());
  const state = await visit.until('controllers as JavaScript on the thread of the page', isWatched);
  expect(state).toMatchObject({ core: 'javascript', place: 'page' });
  expect(codes(state.notices)).toEqual(['core-in-javascript', 'watch-in-page']);
  await visit.showsMoreThan((await visit.shown()) + 30);
  visit.expectUntroubled();
});
