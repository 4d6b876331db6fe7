/** A closed shaper changes nothing any more: its links' memory may be another one's. */
import { expect, it } from 'vitest';

import { CoreError, loadCoreModule } from '../../src/core/index.js';
import { startShaper } from '../../src/shaper/shaper.js';

it('refuses changes after its end, and leaves the shaper alone that has its memory then', async () => {
  const core = await loadCoreModule();
  const open = () => startShaper({ core, config: { capacity: '1mbps' } });
  const closed = await open();
  await closed.close();
  const next = await open();
  const refusal = /^this link was destroyed; create another one$/;
  for (const act of [
    () => closed.set({ capacity: '9mbps' }),
    () => closed.set({ rtt_ms: 300 }),
    () => closed.stats(),
    () => closed.row(),
  ]) {
    expect(act).toThrow(CoreError);
    expect(act).toThrow(refusal);
  }
  await closed.close();
  expect(next.stats().capacityBps).toBe(1e6);
  await next.close();
});
