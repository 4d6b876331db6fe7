import { describe, expect, it } from 'vitest';

import { frameColumns } from '../../../src/calls/record/columns.js';
import { assignFlows, join, mateOf } from '../../../src/calls/record/connections.js';
import type { CallRecord, EndpointRecord } from '../../../src/calls/record/record.js';

type Said = Pick<EndpointRecord, 'role' | 'localUfrags' | 'remoteUfrags'>;

const endpoint = (id: number, said: Said): EndpointRecord => ({
  ...{ id, page: id, url: '', place: 'page', ...said, samples: [], frameSource: 'getStats', freezes: [] },
  ...{ states: [{ timeUs: 0, state: 'connected' }], frames: frameColumns(), routed: true, notices: [] },
});

const record = (...said: Said[]): CallRecord => ({
  ...{ originEpochMs: 0, pages: [], connections: [], shadows: [], late: [], notices: [] },
  endpoints: said.map((each, id) => endpoint(id, each)),
  link: {
    ...{ backend: 'shaper', page: null, own: [], changes: [], flows: [], forward: null, backward: null },
    ...{ latenessMs: null, late: [], interruptions: [], notices: [] },
  },
});

function joinAll(call: CallRecord): void {
  for (const each of call.endpoints) join(call, each);
}

describe('connections of a record', () => {
  it.each([
    ['offerer', 'answerer', { offerer: 0, answerer: 1 }],
    ['answerer', 'offerer', { offerer: 1, answerer: 0 }],
    [null, 'offerer', { offerer: 1, answerer: 0 }],
    ['answerer', null, { offerer: 1, answerer: 0 }],
  ] as const)('seats %s and %s', (a, b, seats) => {
    const call = record(
      { role: a, localUfrags: ['a'], remoteUfrags: ['b'] },
      { role: b, localUfrags: ['b'], remoteUfrags: ['a'] },
    );
    joinAll(call);
    expect(call.connections).toEqual([{ id: 0, ...seats, flows: [] }]);
  });

  it('joins two that both offered, as in perfect negotiation, and believes the relay about who did', () => {
    const call = record(
      { role: 'offerer', localUfrags: ['a', 'rolled back'], remoteUfrags: ['b'] },
      { role: 'offerer', localUfrags: ['b'], remoteUfrags: ['a'] },
    );
    joinAll(call);
    expect(call.connections).toHaveLength(1);
    expect(mateOf(call, 0)?.id).toBe(1);
    call.link?.flows.push({ flow: 7, offererUfrag: 'b', answererUfrag: 'a' });
    assignFlows(call);
    assignFlows(call);
    expect(call.connections).toEqual([{ id: 0, offerer: 1, answerer: 0, flows: [7] }]);
  });

  it('keeps the seats after an ICE restart in which the other side is the controlling one', () => {
    const call = record(
      { role: 'offerer', localUfrags: ['a', 'a2'], remoteUfrags: ['b', 'b2'] },
      { role: 'answerer', localUfrags: ['b', 'b2'], remoteUfrags: ['a', 'a2'] },
    );
    joinAll(call);
    call.link?.flows.push({ flow: 1, offererUfrag: 'a', answererUfrag: 'b' });
    call.link?.flows.push({ flow: 2, offererUfrag: 'b2', answererUfrag: 'a2' });
    assignFlows(call);
    expect(call.connections).toEqual([{ id: 0, offerer: 0, answerer: 1, flows: [1, 2] }]);
  });

  it('has one seat free where the far side is not under test, until it turns out to be', () => {
    const call = record({ role: 'answerer', localUfrags: ['a'], remoteUfrags: ['b'] });
    joinAll(call);
    expect(call.connections).toEqual([{ id: 0, offerer: 0, answerer: null, flows: [] }]);
    call.endpoints.push(endpoint(1, { role: 'offerer', localUfrags: ['b'], remoteUfrags: ['a'] }));
    joinAll(call);
    expect(call.connections).toEqual([{ id: 0, offerer: 1, answerer: 0, flows: [] }]);
  });
});
