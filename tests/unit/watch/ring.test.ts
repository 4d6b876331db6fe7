import { expect, it } from 'vitest';

import { TABLE_SPECS } from '../../../src/core/index.js';
import { TraceRing } from '../../../src/watch/ring.js';

const QUEUE = TABLE_SPECS.find(({ name }) => name === 'queue');

function append(ring: TraceRing, timeUs: number): void {
  ring.advance(timeUs);
  const columns = (QUEUE?.columns ?? []).map(({ name }) => Float64Array.of(name === 'time_us' ? timeUs : 0));
  ring.append({ table: 'queue', rows: 1, columns });
}

it('returns the last rows of a period that several segments share', () => {
  const ring = new TraceRing(600e6);
  for (let second = 0; second < 120; second++) append(ring, second * 1e6);
  const last = (toUs?: number) => [
    ...(ring.view({ table: 'queue', columns: [], toUs, last: 2 }).columns['time_us'] ?? []),
  ];
  expect(last()).toEqual([118e6, 119e6]);
  expect(last(45.5e6)).toEqual([44e6, 45e6]);
});
