/**
 * A page must not be able to notice an observer: its peer connections must look and behave as they do without
 * one.
 */
import { expect, test } from './bed.js';

test('constructor, prototypes and statics are as native ones', async ({ bed, browser, server }) => {
  const look = () => {
    class Own extends RTCPeerConnection {
      answer = 42;
    }
    const own = new Own({ iceServers: [{ urls: 'stun:127.0.0.1:9' }] });
    const plain = new RTCPeerConnection();
    const { prototype } = RTCPeerConnection;
    const names = Object.getOwnPropertyNames(prototype).sort();
    const describe = (target: object, name: string) => {
      const { value, get, set, ...rest } = (Object.getOwnPropertyDescriptor(target, name) ?? {}) as Record<
        string,
        unknown
      >;
      const shape = [value, get, set].map((each) =>
        typeof each === 'function' ? [each.name, each.length, /\[native code\]/.test(String(each))] : null,
      );
      return [name, shape, rest];
    };
    plain.onconnectionstatechange = () => undefined;
    let refused = '';
    try {
      (RTCPeerConnection as unknown as () => void)();
    } catch (error) {
      refused = (error as Error).name;
    }
    return {
      own: [own instanceof Own, own instanceof RTCPeerConnection, own.answer, own.constructor === Own],
      plain: [
        plain instanceof RTCPeerConnection,
        plain.constructor === RTCPeerConnection,
        prototype.constructor === RTCPeerConnection,
        Object.getPrototypeOf(plain) === prototype,
        typeof plain.onconnectionstatechange,
        Object.prototype.toString.call(plain),
        Object.keys(plain),
      ],
      constructor: [
        RTCPeerConnection.name,
        RTCPeerConnection.length,
        typeof RTCPeerConnection.generateCertificate,
      ],
      servers: own.getConfiguration().iceServers?.[0]?.urls,
      refused,
      methods: names.map((name) => describe(prototype, name)),
      receiver: ['transform', 'createEncodedStreams'].map((name) => describe(RTCRtpReceiver.prototype, name)),
      sender: describe(RTCRtpSender.prototype, 'setParameters'),
    };
  };
  const observed = await bed.open('inside.html');
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/inside.html`);
  const native = await page.evaluate(look);
  await context.close();
  expect(await observed.evaluate(look)).toEqual(native);
});

test('callbacks, null candidates and errors come as they would', async ({ bed, browser, server }) => {
  const look = async () => {
    const said: string[] = [];
    const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
    type Legacy = (what: unknown, done: () => void, failed: (error: unknown) => void) => unknown;
    const legacy = b as unknown as Record<'setRemoteDescription' | 'addIceCandidate', Legacy>;
    a.createDataChannel('one');
    const failure = (error: unknown) => said.push((error as Error).name);
    await a
      .addIceCandidate({ candidate: 'candidate:1 1 udp 1 127.0.0.1 9 typ host', sdpMid: '0' })
      .catch(failure);
    await a.setRemoteDescription({ type: 'offer', sdp: 'nonsense' }).catch(failure);
    await a.setRemoteDescription(undefined as unknown as RTCSessionDescriptionInit).catch(failure);
    await a.setLocalDescription();
    await new Promise<void>((done) => {
      void legacy.setRemoteDescription(a.localDescription, done, failure);
    });
    said.push(b.signalingState);
    await b.addIceCandidate(null);
    await b.addIceCandidate();
    await b.addIceCandidate({ candidate: '', sdpMid: '0' });
    const tcp = 'candidate:1 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active';
    await new Promise<void>((done) => {
      void legacy.addIceCandidate(new RTCIceCandidate({ candidate: tcp, sdpMid: '0' }), done, failure);
    });
    await b.addIceCandidate({ candidate: 'nonsense', sdpMid: '0' }).catch(failure);
    await b.addIceCandidate({ candidate: tcp, sdpMid: 'not there' }).catch(failure);
    await b.setLocalDescription();
    await a.setRemoteDescription({ type: 'rollback' }).catch(failure);
    a.close();
    b.close();
    said.push(a.signalingState, b.connectionState);
    await b.addIceCandidate({ candidate: tcp, sdpMid: '0' }).catch(failure);
    return said;
  };
  const observed = await bed.open('frame.html');
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/frame.html`);
  const native = await page.evaluate(look);
  await context.close();
  expect(native.length).toBeGreaterThan(6);
  expect(await observed.evaluate(look)).toEqual(native);
});
