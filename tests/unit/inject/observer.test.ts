/**
 * What an observer reports to listeners that come, go and come back. The page and its clock are fakes. (tests/inject
 * tests the observer in a browser.)
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Action, ActionTarget, PageBatch, PageMessage } from '../../../src/inject/protocol.js';

const clock = vi.hoisted(() => ({ ms: 0, tick: (): void => undefined }));
vi.mock('../../../src/inject/natives.js', async (original) => ({
  ...(await original<object>()),
  epochMs: () => clock.ms,
  listen: () => undefined,
  setInterval: (tick: () => void) => {
    clock.tick = tick;
    return 1;
  },
  clearInterval: () => (clock.tick = () => undefined),
}));

const { observe } = await import('../../../src/inject/page.js');

class Sender {
  maxBitrate: number | undefined;
  getParameters(): object {
    return { encodings: [{ ...(this.maxBitrate !== undefined && { maxBitrate: this.maxBitrate }) }] };
  }
  setParameters({ encodings }: RTCRtpSendParameters): Promise<void> {
    this.maxBitrate = encodings[0]?.maxBitrate;
    return Promise.resolve();
  }
}

/** Each test gets its own class, since the observer patches it. */
function newConnectionClass() {
  return class Connection {
    readonly sender = new Sender();
    signalingState = 'stable';
    connectionState = 'connected';
    localDescription = null;
    remoteDescription = null;
    getReceivers = (): object[] => [];
    getStats = (): Promise<object> => Promise.resolve(new Map());
    getTransceivers(): object[] {
      const { sender } = this;
      return [{ mid: '0', direction: 'sendrecv', sender, receiver: { track: { kind: 'audio' } } }];
    }
  };
}

const DOCUMENT = { readyState: 'loading', scripts: [], body: null, querySelectorAll: () => [] };

beforeEach(() => {
  clock.ms = 0;
  vi.stubGlobal('RTCPeerConnection', newConnectionClass());
  vi.stubGlobal('RTCRtpSender', Sender);
  vi.stubGlobal('RTCRtpReceiver', class extends Object {});
  vi.stubGlobal('RTCRtpTransceiver', class extends Object {});
  vi.stubGlobal('location', { href: 'https://call.test/' });
  vi.stubGlobal('document', DOCUMENT);
});
afterEach(() => void vi.unstubAllGlobals());

const TARGET: ActionTarget = { endpoint: 0, direction: 'send', mid: '0', ssrc: 1 };
const CAP: Action = { kind: 'cap', target: TARGET, encoding: null, maxBitrateBps: 100e3 };
const CONFIG = { originEpochMs: 0, relay: null, frameTiming: 'getStats', timesShownFrames: false } as const;

/** Lets all work finish that waits for nothing but the fakes. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function tick(ms: number): Promise<void> {
  clock.ms += ms;
  clock.tick();
  await settled();
}

function begin({ adoptsLate = false } = {}) {
  const batches: PageBatch[] = [];
  const listener = { isGone: false };
  const observer = observe({ ...CONFIG, adoptsLate }, (batch) => {
    batches.push(batch);
    return listener.isGone ? new Promise<void>(() => undefined) : undefined;
  });
  /** The messages since the last call. */
  const told = async (): Promise<PageMessage[]> => {
    await settled();
    return batches.splice(0).flatMap(({ messages }) => messages);
  };
  return { observer, listener, told };
}

const actionsIn = (messages: readonly PageMessage[]): unknown[] =>
  messages.flatMap((message) =>
    message.type === 'action'
      ? [[message.action.kind, message.timeUs, message.result.ok && message.result.inForce.length]]
      : [],
  );

describe('what is in force', () => {
  it('is told again to a listener that comes later, after the connection', async () => {
    const { observer, told } = begin();
    new RTCPeerConnection();
    clock.ms = 7;
    await observer.act(CAP);
    expect(actionsIn(await told())).toEqual([['cap', 7000, 1]]);
    clock.ms = 9;
    observer.resume();
    const again = await told();
    expect(actionsIn(again)).toEqual([['cap', 7000, 1]]);
    expect(again.map(({ type }) => type)).toEqual(['endpoint', 'source', 'state', 'action']);
  });

  it('is not told again once it was released, or ended with a pause', async () => {
    const { observer, told } = begin();
    new RTCPeerConnection();
    await observer.act(CAP);
    await observer.act({ kind: 'release', target: TARGET, of: null });
    await told();
    observer.resume();
    expect(actionsIn(await told())).toEqual([]);
    await observer.act(CAP);
    await observer.pause();
    await told();
    observer.resume();
    expect(actionsIn(await told())).toEqual([]);
  });

  it('is told to be undone when nobody takes the reports any more', async () => {
    const { observer, listener, told } = begin();
    const { sender } = new RTCPeerConnection() as unknown as { sender: Sender };
    await observer.act(CAP);
    await told();
    listener.isGone = true;
    // The report of this action is the first that nobody takes.
    await observer.act({ kind: 'key-frame', target: TARGET, encoding: null });
    await tick(500);
    expect(sender.maxBitrate).toBe(100e3);
    await told();
    await tick(11_000);
    expect(sender.maxBitrate).toBeUndefined();
    expect(actionsIn(await told())).toEqual([['release', 11_500_000, 0]]);
    observer.resume();
    expect(actionsIn(await told())).toEqual([]);
  });
});

describe('the search for a connection that the page made earlier', () => {
  it('begins again after a pause that interrupted it', async () => {
    vi.stubGlobal('document', { ...DOCUMENT, readyState: 'complete' });
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('Node', class extends Object {});
    vi.stubGlobal('navigator', {});
    // Each reading of this clock takes longer than a slice of the search.
    const spent = { ms: 0 };
    vi.stubGlobal('performance', { now: () => (spent.ms += 1000) });
    const parts = { peer: new RTCPeerConnection() };
    vi.stubGlobal('kept', { call: { parts } });
    const { observer, told } = begin({ adoptsLate: true });
    await observer.pause();
    expect(await told()).toEqual([]);
    observer.resume();
    for (let turn = 0; turn < 5000; turn++) {
      await tick(500);
      if ((await told()).some(({ type }) => type === 'endpoint')) return;
    }
    throw new Error('the connection was not found');
  });
});
