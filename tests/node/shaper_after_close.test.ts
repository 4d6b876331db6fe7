/** A closed shaper does nothing. In particular, it does not affect the next shaper that uses its ports. */
import { expect, it } from 'vitest';

import { ShaperError, startShaper } from '../../src/shaper/shaper.js';

it('refuses changes after its end, and leaves the shaper alone that has its ports then', async () => {
  const config = { capacity: '1mbps' };
  const closed = await startShaper({ config });
  await closed.close();
  const next = await startShaper({ config, ports: [closed.a.port, closed.b.port] });
  for (const change of [{ capacity: '9mbps' }, { rtt_ms: 300 }]) {
    const refused = closed.set(change);
    await expect(refused).rejects.toThrow(ShaperError);
    await expect(refused).rejects.toThrow(/^the link is closed; open another one$/);
  }
  expect(closed.config).toMatchObject(config);
  await closed.close();
  await next.sync();
  expect(next.stats().capacityBps).toBe(1e6);
  await next.close();
});
