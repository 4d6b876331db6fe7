/**
 * Actions on a call that are requested before the observation ends, but would take effect only afterwards. They must
 * have no effect. (tests/inject tests actions in a browser.)
 */
import { afterEach, expect, test, vi } from 'vitest';

import { Actions } from '../../../src/inject/actions.js';
import type { Action, ActionTarget } from '../../../src/inject/protocol.js';
import { SenderParameters } from '../../../src/inject/sender_parameters.js';

type Parameters = Pick<RTCRtpSendParameters, 'encodings'>;

/** Classes like those of browsers. Each test gets its own copies, since actions patch them. */
function classes() {
  class Sender {
    maxBitrate: number | undefined;
    active: boolean | undefined;
    /** `setParameters` waits for this promise before it takes effect. */
    waitsFor = Promise.resolve();
    #bytes = 0;

    getParameters(): Parameters {
      const { maxBitrate, active } = this;
      return {
        encodings: [
          { ...(maxBitrate !== undefined && { maxBitrate }), ...(active !== undefined && { active }) },
        ],
      };
    }
    async setParameters({ encodings }: Parameters): Promise<void> {
      await this.waitsFor;
      this.maxBitrate = encodings[0]?.maxBitrate;
      this.active = encodings[0]?.active;
    }
    getStats(): Promise<Map<string, object>> {
      const stat = { type: 'outbound-rtp', ssrc: 1, bytesSent: (this.#bytes += 50e3), timestamp: Date.now() };
      return Promise.resolve(new Map([['', stat]]));
    }
  }
  class Receiver {
    /** The delay that the browser applies. The page may read another value. */
    delayMs: number | null = null;
    readonly track = { kind: 'video' };
    waitsFor = Promise.resolve();

    get jitterBufferTarget(): number | null {
      return this.delayMs;
    }
    set jitterBufferTarget(value: number | null) {
      this.delayMs = value;
    }
    async getStats(): Promise<Map<string, object>> {
      await this.waitsFor;
      return new Map([['', { type: 'inbound-rtp', ssrc: 2 }]]);
    }
  }
  class Connection {
    readonly sender = new Sender();
    readonly receiver = new Receiver();

    getTransceivers(): object[] {
      const { sender, receiver } = this;
      return [{ mid: '0', direction: 'sendrecv', sender, receiver }];
    }
  }
  return { Sender, Receiver, Connection };
}

afterEach(() => vi.unstubAllGlobals());

function begin() {
  const { Sender, Receiver, Connection } = classes();
  vi.stubGlobal('RTCRtpSender', Sender);
  vi.stubGlobal('RTCRtpReceiver', Receiver);
  vi.stubGlobal('RTCPeerConnection', Connection);
  const peer = new Connection();
  const told: string[] = [];
  const actions = new Actions({
    parameters: new SenderParameters(),
    connection: (endpoint) => (endpoint === 0 ? (peer as unknown as RTCPeerConnection) : null),
    isHidden: (endpoint) => endpoint === 1,
    told: ({ kind }, { ok }) => told.push(`${kind} ${ok ? 'done' : 'refused'}`),
  });
  return { actions, sender: peer.sender, receiver: peer.receiver, told };
}

const SENT: ActionTarget = { endpoint: 0, direction: 'send', mid: '0', ssrc: 1 };
const RECEIVED: ActionTarget = { endpoint: 0, direction: 'receive', mid: '', ssrc: 2 };
const REFUSED = { ok: false, why: expect.stringContaining('no longer watches') as string };

/** A promise for an action to wait for, and the function that resolves it. */
function delay(): { done: Promise<void>; end: () => void } {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { done, end };
}

test('a hold is done while the watch goes on', async () => {
  const { actions, sender } = begin();
  expect(await actions.act({ kind: 'hold', target: SENT })).toMatchObject({ ok: true });
  expect(sender.maxBitrate).toBeGreaterThan(300e3);
});

for (const beginsAgain of [false, true])
  test(`a hold that the end overtakes does nothing${beginsAgain ? ', also when a watch begins again' : ''}`, async () => {
    const { actions, sender } = begin();
    const holding = actions.act({ kind: 'hold', target: SENT });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await actions.end();
    if (beginsAgain) actions.begin();
    expect(await holding).toMatchObject(REFUSED);
    expect(sender.maxBitrate).toBeUndefined();
  });

const onSender: readonly Action[] = [
  { kind: 'cap', target: SENT, encoding: null, maxBitrateBps: 100e3 },
  { kind: 'drive', target: SENT, controller: 'GCC', maxBitrateBps: 100e3 },
  { kind: 'layer', target: SENT, encoding: null, active: false },
];

for (const action of onSender)
  test(`a ${action.kind} that is being set at the end is taken back`, async () => {
    const { actions, sender, told } = begin();
    const { done, end } = delay();
    sender.waitsFor = done;
    const acting = actions.act(action);
    await Promise.resolve();
    const ending = actions.end();
    end();
    await ending;
    expect(await acting).toMatchObject(REFUSED);
    expect(sender.maxBitrate).toBeUndefined();
    expect(sender.active).not.toBe(false);
    // A drive (a controller that sets the sender's rate) ends if it is not renewed for three seconds. This drive
    // has already ended, so nothing more must be reported.
    if (action.kind === 'drive') await new Promise((resolve) => setTimeout(resolve, 3200));
    expect(told).toEqual([`${action.kind} refused`]);
  });

test('a receiver that is found only after the end is not delayed', async () => {
  const { actions, receiver } = begin();
  const { done, end } = delay();
  receiver.waitsFor = done;
  const acting = actions.act({ kind: 'playout-delay', target: RECEIVED, delayMs: 300 });
  await Promise.resolve();
  await actions.end();
  end();
  expect(await acting).toMatchObject(REFUSED);
  expect(receiver.delayMs).toBeNull();
});

test('a receiver that is found by its SSRC is delayed', async () => {
  const { actions, receiver } = begin();
  expect(await actions.act({ kind: 'playout-delay', target: RECEIVED, delayMs: 300 })).toMatchObject({
    ok: true,
  });
  expect(receiver.delayMs).toBe(300);
});

test('a stream of a connection that the page keeps to itself is not said to be closed', async () => {
  const { actions } = begin();
  const release: Action = { kind: 'release', target: { ...SENT, endpoint: 1 }, of: null };
  expect(await actions.act(release)).toEqual({
    ok: false,
    why: 'The page does not expose the connection of this stream, so ccscope cannot act on it.',
    fix: "do what the connection's notice says",
  });
  expect(await actions.act({ ...release, target: { ...SENT, endpoint: 2 } })).toMatchObject({
    why: 'The connection is closed.',
  });
});
