/**
 * A page may put any string into labels, ids, descriptions or statistics. No string may be executed, become
 * markup, or break the view.
 */
import { expect, received, script, test, type Visit } from './support.js';

/**
 * Strings that would have an effect if they were used as markup, a script, a format string or a property name.
 */
const HOSTILE: readonly string[] = [
  '<img src=x onerror="canary(1)">',
  '<script>canary(2)</script>',
  '"><svg onload=canary(3)>',
  "'-canary(4)-'",
  '${canary(5)}',
  '{{canary(6)}}',
  'javascript:canary(7)',
  '</style><iframe srcdoc="<script>parent.canary(8)</script>">',
  '__proto__',
  'constructor',
  'toString',
  '%00%0a\r\n\u0000',
  '\ud800\udfff\ufeff\u202e',
  'x'.repeat(100_000),
  '',
];

/**
 * Installs functions that record an alarm if a hostile string is executed or becomes markup. Must run before all
 * other scripts.
 */
const canaries = (): void => {
  const scope = globalThis as unknown as { alarms: unknown[]; canary(n: number): void };
  scope.alarms = [];
  Object.defineProperty(scope, 'canary', { value: (n: number) => scope.alarms.push(n), writable: false });
  // The overlay's shadow root is closed to the page. This code runs before the script, so it can still watch
  // the shadow root.
  const native = Element.prototype.attachShadow;
  const watch = (root: Node): void => {
    const look = (node: Node): void => {
      if (!(node instanceof Element)) return;
      for (const each of [node, ...node.querySelectorAll('*')]) {
        if (/^(script|iframe|img|object|embed|link|base)$/i.test(each.localName))
          scope.alarms.push(each.outerHTML);
        for (const { name } of each.attributes) if (/^on/i.test(name)) scope.alarms.push(each.outerHTML);
      }
    };
    new MutationObserver((records) => records.forEach(({ addedNodes }) => addedNodes.forEach(look))).observe(
      root,
      {
        childList: true,
        subtree: true,
      },
    );
  };
  Element.prototype.attachShadow = function (options) {
    const root = native.call(this, options);
    watch(root);
    return root;
  };
};

/**
 * Makes `getStats` return hostile strings, and replaces some numbers with odd values. Ids, types and similar
 * fields are left unchanged.
 */
const hostileStats = (texts: readonly string[]): void => {
  const native = RTCPeerConnection.prototype.getStats;
  const odd: unknown[] = [NaN, -1, Infinity, 1e300, null, undefined, 'many', {}, []];
  let turn = 0;
  RTCPeerConnection.prototype.getStats = async function (this: RTCPeerConnection) {
    const report = (await Reflect.apply(native, this, [])) as unknown as Map<string, Record<string, unknown>>;
    const changed = new Map<string, Record<string, unknown>>();
    report.forEach((stat, id) => {
      const kept = new Set([
        'id',
        'type',
        'kind',
        'timestamp',
        'ssrc',
        'codecId',
        'localId',
        'mediaSourceId',
      ]);
      const entries = Object.entries(stat).map(([name, value]) => {
        turn += 1;
        if (kept.has(name)) return [name, value];
        if (typeof value === 'string') return [name, texts[turn % texts.length]];
        if (typeof value === 'number' && turn % 3 === 0) return [name, odd[turn % odd.length]];
        return [name, value];
      });
      changed.set(id, Object.fromEntries(entries) as Record<string, unknown>);
    });
    return changed;
  };
};

async function expectQuiet(visit: Visit): Promise<void> {
  expect(await visit.page.evaluate(() => (globalThis as unknown as { alarms: unknown[] }).alarms)).toEqual(
    [],
  );
  visit.expectUntroubled();
}

test('the canaries sing when markup is put into a shadow root', async ({ foreign }) => {
  const visit = await foreign.visit('frame.html?inner=about:blank', {
    prepare: async (context) => {
      await context.addInitScript(canaries);
    },
  });
  await visit.page.evaluate((text) => {
    const host = document.body.appendChild(document.createElement('div'));
    host.attachShadow({ mode: 'closed' }).innerHTML = text;
  }, HOSTILE[0] ?? '');
  await expect
    .poll(() => visit.page.evaluate(() => (globalThis as unknown as { alarms: unknown[] }).alarms.length))
    .toBeGreaterThanOrEqual(2);
});

test('hostile statistics are shown as text, and break nothing', async ({ foreign }) => {
  const visit = await foreign.visit('loop.html', {
    prepare: async (context) => {
      await context.addInitScript(canaries);
      await context.addInitScript(hostileStats, HOSTILE);
      await context.addInitScript(script());
    },
  });
  await visit.showsMoreThan(150);
  const state = await visit.state();
  expect(state?.connections).toHaveLength(2);
  expect(state === null ? 0 : received(state).length).toBeGreaterThan(0);
  // The state contains a hostile string unchanged.
  expect(HOSTILE).toContain(state?.streams.map(({ mid }) => mid).find((mid) => mid.length > 3) ?? '?');
  await expectQuiet(visit);
});

test('hostile labels, ids, descriptions and addresses', async ({ foreign }) => {
  const visit = await foreign.visit(`loop.html?${encodeURIComponent(HOSTILE.slice(0, 8).join('&'))}`, {
    prepare: async (context) => {
      await context.addInitScript(canaries);
      await context.addInitScript(script());
    },
  });
  await visit.showsMoreThan(30);
  await visit.page.evaluate(async (texts) => {
    history.replaceState(null, '', `#${texts[0]}`);
    for (const text of texts) {
      const peer = new RTCPeerConnection();
      try {
        peer.createDataChannel(text.slice(0, 60_000));
        peer.addTransceiver('video', { sendEncodings: [{ rid: 'r' }] });
        await peer.setLocalDescription();
      } catch {
        // The browser refuses some strings, even without the script.
      }
      const lines = [
        `a=mid:${text}`,
        `a=ice-ufrag:${text}`,
        `b=AS:${text}`,
        `a=candidate:${text}`,
        `m=${text}`,
      ];
      for (const line of lines)
        await peer.setRemoteDescription({ type: 'offer', sdp: `v=0\r\n${line}\r\n` }).catch(() => undefined);
      await peer
        .addIceCandidate({ candidate: `candidate:1 1 udp 1 ${text} 9 typ host`, sdpMid: text })
        .catch(() => undefined);
    }
  }, HOSTILE);
  const state = await visit.until(
    'all connections',
    ({ connections }) => connections.length >= 2 + HOSTILE.length,
  );
  expect(received(state).length).toBe(1);
  await expectQuiet(visit);
});
