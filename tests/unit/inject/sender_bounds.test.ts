import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { SenderParameters } from '../../../src/inject/sender_parameters.js';

beforeEach(() => {
  vi.stubGlobal(
    'RTCRtpSender',
    class {
      getParameters = (): object => ({ encodings: [] });
      setParameters(): Promise<void> {
        return Promise.resolve();
      }
    },
  );
  vi.stubGlobal('RTCPeerConnection', class extends Object {});
});
afterEach(() => void vi.unstubAllGlobals());

it.each([
  ['layers with rids, in whatever order', ['a', 'b', 'c'], [2, 0, 1]],
  ['layers without rids', [undefined, undefined, undefined], [0, 1, 2]],
])('the limit of each encoding is its own: %s', async (_, rids, order) => {
  const parameters = new SenderParameters();
  const sender = new RTCRtpSender();
  const limits = [150e3, 500e3, undefined];
  const encodings = order.map((place) => ({
    ...(rids[place] !== undefined && { rid: rids[place] }),
    ...(limits[place] !== undefined && { maxBitrate: limits[place] }),
  }));
  await sender.setParameters({ encodings } as RTCRtpSendParameters);
  expect(rids.map((rid, index) => parameters.boundOf(sender, rid ?? '', index))).toEqual([150e3, 500e3, NaN]);
});

it('the limit of a lone encoding holds, though the browser drops its rid', async () => {
  const parameters = new SenderParameters();
  const sender = new RTCRtpSender();
  await sender.setParameters({ encodings: [{ rid: 'lone', maxBitrate: 300e3 }] } as RTCRtpSendParameters);
  expect(parameters.boundOf(sender, '', 0)).toBe(300e3);
});
