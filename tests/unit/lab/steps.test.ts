import { expect, it } from 'vitest';

import { decisionSteps, packetSteps } from '../../../src/app/lab/playback/steps.js';

const CALL = { flow: 0, name: 'call', kind: 'media', direction: 'forward', controller: 'gcc' } as const;

it('stops at a decision of GCC only where signal, state or A_r changes', () => {
  const { query, tell } = decisionSteps(CALL);
  expect(query).toMatchObject({ table: 'group', where: { column: 'flow', value: 0 } });
  const before = { signal: 0, state: 1, a_r_bps: 1e6, m_ms: 1 };
  expect(tell({ ...before, m_ms: 2 }, before)).toBe('');
  expect(tell({ ...before, a_r_bps: 1.05e6 }, before)).toBe('A_r 1.05 Mbps');
  expect(tell({ signal: 2, state: 2, a_r_bps: 863e3 }, before)).toBe(
    'signal overuse, state decrease, A_r 863 kbps',
  );
});

it('stops at the decisions of the other controllers, and at what a user’s controller received', () => {
  const nada = decisionSteps({ ...CALL, controller: 'nada' });
  expect(nada.tell({ mode: 1, x_curr_ms: 12 }, { mode: 0, x_curr_ms: 12 })).toBe('mode gradual');
  const lcc = decisionSteps({ ...CALL, controller: 'lcc' });
  expect(lcc.tell({ action: 1, next_rate_bps: 7e5 }, { action: 1, next_rate_bps: 1e6 })).toBe(
    'next rate 700 kbps',
  );
  const { controller, ...own } = CALL;
  expect(controller).toBe('gcc');
  expect(decisionSteps(own).tell({ received_bps: 7e5 }, undefined)).toBe('received 700 kbps');
});

it('says what happens to a packet, and whose packet it is', () => {
  const { tell } = packetSteps([CALL, { flow: 1, name: 'tcp-2', kind: 'tcp', direction: 'forward' }]);
  expect(tell({ flow: 1, dropped: 0 }, undefined)).toBe('a packet of tcp-2 leaves the queue');
  expect(tell({ flow: 0, dropped: 2 }, undefined)).toBe(
    'a packet of call is dropped, because the queue is full',
  );
});
