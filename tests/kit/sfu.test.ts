/** Calls through selective forwarding units: nothing of them goes around the link. */
import { expect, secondsOfVideo, test } from './bed.js';
import { startJanus } from './sfu/janus.js';

for (const iceLite of [false, true]) {
  test(`Janus, ${iceLite ? 'ICE-lite' : 'full ICE'}`, async ({ bed }) => {
    const janus = await startJanus({ iceLite });
    try {
      const at = (role: string) => `janus.html?role=${role}&server=${encodeURIComponent(janus.url)}`;
      const publisher = await bed.open(at('publish'));
      publisher.on('console', (m) => console.log('pub', m.text()));
      const watcher = await bed.open(at('watch'));
      watcher.on('console', (m) => console.log('watch', m.text()));
      await bed.until('video', ({ endpoints }) => endpoints.some((e) => secondsOfVideo(e) >= 6), 25_000).catch((e) => console.log(String(e)));
      await bed.observer.collect();
      await bed.link.sync();
      for (const e of bed.record.endpoints) {
        const s = e.samples.at(-1);
        console.log(e.id, e.page, e.role, e.states.map((x) => x.state).join(), e.routed, JSON.stringify(e.notices), JSON.stringify({ ...s, inbound: s?.inbound.length, outbound: s?.outbound.length }), e.localUfrags, e.remoteUfrags);
      }
      console.log(JSON.stringify(bed.record.connections), JSON.stringify(bed.record.link?.flows), JSON.stringify(bed.record.link?.latenessMs), bed.record.link?.forward?.packets.rows, bed.record.link?.back?.packets.rows);
      expect(1).toBe(1);
    } finally {
      await janus.close();
    }
  });
}
