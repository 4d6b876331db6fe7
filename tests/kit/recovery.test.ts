/**
 * The shaper's thread ends in the middle of a call in a real Chromium; the call must continue over the same
 * link.
 */
import { CallObserver } from '../../src/observe/observer.js';
import { openShaperLink } from '../../src/shaper/index.js';
import { ObservedCall } from '../../src/playwright/call.js';
import { expect as kitExpect } from '../../src/playwright/index.js';
import { endThread, mortalThread } from '../node/mortal.js';
import { Bed, expect, framesDecoded, secondsOfVideo, test as base } from './bed.js';

const SEED = 8000;

const test = base.extend({
  bed: async ({ browser, server }, use) => {
    const originEpochMs = Date.now();
    const settings = { capacity: '500kbps', queue: 'droptail:300ms', rtt: 40, seed: SEED };
    const link = await openShaperLink({ settings, originEpochMs, thread: mortalThread });
    const bed = new Bed(server, link, new CallObserver({ link, originEpochMs }), () => browser.newContext());
    await use(bed);
    await bed.close();
  },
});

test("the shaper's thread ends: packets pass again, the record goes on, and verdicts say so", async ({
  bed,
}) => {
  await bed.openBoth('plain.html');
  const receiver = await bed.receiveVideo(1);
  const { link, record } = bed;
  await link.set({ capacity: '450kbps' });
  const { flows } = structuredClone(link.record);
  const [rows = 0, frames] = [link.record.forward?.packets.rows, framesDecoded(receiver)];
  endThread(SEED);
  await bed.until('packets pass again', () => link.record.interruptions.some(({ toUs }) => toUs !== null));
  await bed.until('video goes on', () => framesDecoded(receiver) > frames + 30);
  await link.sync();

  expect(record.endpoints.map(({ states }) => states.at(-1)?.state)).toEqual(['connected', 'connected']);
  expect(link.record.flows).toEqual(flows);
  expect(link.record.forward?.packets.rows).toBeGreaterThan(rows + 30);
  expect(link.record.forward?.rows.at(-1)?.capacity_bps).toBe(450e3);
  const [notice, ...more] = link.record.notices;
  const isLate = (link.record.latenessMs?.p95 ?? 0) > 3;
  expect(more.map(({ code }) => code)).toEqual(isLate ? ['packets-late'] : []);
  expect(notice).toMatchObject({ level: 'warning', code: 'shaper-restarted' });
  expect(notice?.message).toMatch(/its thread ended with code 3.*No packets passed from .* s to .* s\./);

  const [{ fromUs, toUs } = { fromUs: NaN, toUs: NaN }] = link.record.interruptions;
  test.info().annotations.push({ type: 'outage', description: `${((toUs ?? NaN) - fromUs) / 1e6} s` });
  expect(secondsOfVideo(receiver)).toBeGreaterThan((toUs ?? NaN) / 1e6 - fromUs / 1e6);
  const call = new ObservedCall(bed.observer, link);
  const over = `${Math.ceil((call.nowUs - fromUs) / 1e6)}s`;
  await kitExpect(call).toLoseLessThan('100%', { over });
  expect(call.judgements[0]?.judgement.received).toMatch(
    /the shaper's thread was down from .* to .*no packet passed/,
  );
});
