/** What the observer reports of a connection whose document is unloaded. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Endpoint, type Window } from '../../../src/inject/endpoint.js';
import type { PageBatch } from '../../../src/inject/protocol.js';
import { ReceiverTransforms } from '../../../src/inject/receivers.js';
import { Reporter } from '../../../src/inject/reporter.js';

beforeEach(() => void vi.stubGlobal('location', { href: 'http://localhost/' }));
afterEach(() => void vi.unstubAllGlobals());

/** A connection that only allows what the observer may do with it: reading and listening. */
class Peer extends EventTarget {
  signalingState: RTCSignalingState = 'stable';
  connectionState: RTCPeerConnectionState = 'connected';
  readonly localDescription = null;
  readonly remoteDescription = null;
  readonly getTransceivers = (): [] => [];
  readonly getReceivers = (): [] => [];
  readonly close = (): never => {
    throw new Error('the observer closed the connection of the page');
  };
}

function observed() {
  const batches: PageBatch[] = [];
  const reporter = new Reporter(0, (batch) => void batches.push(batch));
  const ended: Endpoint[] = [];
  const window: Window = {
    config: {
      originEpochMs: 0,
      relay: null,
      frameTiming: 'getStats',
      adoptsLate: false,
      timesShownFrames: false,
    },
    reporter,
    worker: null,
    // Its constructor needs a browser. It is not used without a worker.
    receivers: Object.create(ReceiverTransforms.prototype) as ReceiverTransforms,
    boundOf: () => NaN,
    closed: (endpoint) => void ended.push(endpoint),
  };
  const peer = new Peer();
  const known = { ownsTransforms: false, isLate: false, isReported: false };
  const endpoint = new Endpoint(3, peer as unknown as RTCPeerConnection, known, window);
  const states = async (): Promise<string[]> => {
    await reporter.send();
    const messages = batches.flatMap((batch) => batch.messages);
    return messages.flatMap((message) => (message.type === 'state' ? [message.state] : []));
  };
  return { peer, endpoint, ended, states };
}

describe('a connection whose document is unloaded', () => {
  it('is reported as closed, and never as connected again', async () => {
    const { peer, endpoint, ended, states } = observed();
    endpoint.unloaded();
    // Until the document is gone, the connection itself does not know of its end.
    peer.dispatchEvent(new Event('connectionstatechange'));
    endpoint.look();
    expect(await states()).toEqual(['connected', 'closed']);
    expect(ended).toEqual([endpoint]);
  });

  it('is reported as closed once, though the page closes it as well', async () => {
    const { peer, endpoint, ended, states } = observed();
    endpoint.unloaded();
    peer.signalingState = 'closed';
    peer.connectionState = 'closed';
    endpoint.look();
    endpoint.unloaded();
    expect(await states()).toEqual(['connected', 'closed']);
    expect(ended).toEqual([endpoint]);
  });

  it('was closed before', async () => {
    const { peer, endpoint, states } = observed();
    peer.signalingState = 'closed';
    endpoint.look();
    endpoint.unloaded();
    expect(await states()).toEqual(['connected', 'closed']);
  });
});
