/** Which tables a run records for its charts. */
import { expect, it } from 'vitest';

import type { FlowOptions, SimulationOptions } from '../../../src/core/index.js';
import { traceOf } from '../../../src/runs/run.js';

const tablesOf = (flows: readonly FlowOptions[], durationUs = 60e6): readonly string[] => {
  const options: SimulationOptions = { durationUs, forward: { capacityBps: 1e6 }, flows };
  return traceOf(options, { packets: false, inside: false }).tables;
};

it('the received rate of controllers other than GCC is in the feedback, which is recorded for their chart', () => {
  expect(tablesOf([{ kind: 'media' }, { kind: 'tcp' }])).not.toContain('feedback');
  expect(tablesOf([{ kind: 'media', preset: 'static-threshold' }])).not.toContain('feedback');
  expect(tablesOf([{ kind: 'media' }, { kind: 'media', controller: 'nada' }])).toContain('feedback');
  expect(tablesOf([{ kind: 'media', preset: 'lcc' }])).toContain('feedback');
  // A run of many flows for a long time has too many of these rows.
  const many = Array.from({ length: 100 }, (): FlowOptions => ({ kind: 'media', controller: 'nada' }));
  expect(tablesOf(many, 400e6)).not.toContain('feedback');
});
