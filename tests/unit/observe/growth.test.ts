import { describe, expect, it } from 'vitest';

import { assignFlows } from '../../../src/calls/record/connections.js';
import { Endpoints } from '../../../src/calls/record/endpoints.js';
import type { CallRecord } from '../../../src/calls/record/record.js';
import { Shadows } from '../../../src/calls/record/shadows.js';
import type { PageMessage } from '../../../src/inject/protocol.js';
import { sample } from '../judge/synthetic.js';

/** The messages of a page's batch, if the page has this many pairs of connections. */
function messagesOf(pairs: number): PageMessage[] {
  const look = sample(1e-6);
  return Array.from(
    { length: 2 * pairs },
    (_, endpoint) => ({ type: 'sample', endpoint, sample: look }) as const,
  );
}

function page(pairs: number): { record: CallRecord; batch(): void } {
  const record: CallRecord = {
    ...{ originEpochMs: 0, pages: [], endpoints: [], connections: [], shadows: [], late: [], notices: [] },
    link: {
      ...{
        backend: 'shaper',
        page: null,
        own: [],
        changes: [],
        forward: null,
        backward: null,
        latenessMs: null,
        late: [],
        notices: [],
      },
      interruptions: [],
      flows: Array.from({ length: pairs }, (_, i) => ({
        flow: i + 1,
        offererUfrag: `u${2 * i}`,
        answererUfrag: `u${2 * i + 1}`,
      })),
    },
  };
  const endpoints = new Endpoints(record, undefined, new Shadows(record));
  const hear = (messages: PageMessage[]) => {
    endpoints.hear({ window: 'w', url: '', timeUs: 1, messages }, { page: 0, place: 'page' });
    assignFlows(record);
  };
  for (let endpoint = 0; endpoint < 2 * pairs; endpoint++) {
    const mate = endpoint ^ 1;
    hear([
      { type: 'endpoint', endpoint, timeUs: 0 },
      { type: 'local', endpoint, role: null, ufrags: [`u${endpoint}`] },
      { type: 'remote', endpoint, sides: [{ ufrag: `u${mate}`, candidates: [] }] },
    ]);
  }
  const messages = messagesOf(pairs);
  return { record, batch: () => hear(messages) };
}

/** The processor time that five batches take. */
function spentUs(batch: () => void): number {
  const before = process.cpuUsage();
  for (let i = 0; i < 5; i++) batch();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe('the observer', () => {
  it('takes a batch in a time that grows as the connections do', () => {
    const [few, many] = [page(200), page(800)];
    for (const [{ record }, pairs] of [
      [few, 200],
      [many, 800],
    ] as const)
      expect(record.connections.flatMap(({ flows }) => flows)).toHaveLength(pairs);
    // Measures both pages alternately, so that conditions are the same. For each page, the shortest time is used,
    // since other programs disturbed that measurement least.
    let [fewUs, manyUs] = [Infinity, Infinity];
    for (let round = 0; round < 30; round++) {
      fewUs = Math.min(fewUs, spentUs(few.batch));
      manyUs = Math.min(manyUs, spentUs(many.batch));
    }
    // Batches of four times as many connections should take 4 times as long. If each connection were compared with
    // every other connection, the batches would take 16 times as long.
    expect(manyUs / fewUs).toBeLessThan(8);
  });
});
