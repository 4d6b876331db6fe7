/** A peer that does not run ccscope, at the other end of a ccscope call in the same page. */
import { createSyntheticCamera, type Signalling } from '../../../src/rtc/index.js';

type Listener = (data: unknown) => void;

/** Two ends of a signalling channel within a page. */
export function signallingPair(): [Signalling, Signalling] {
  const listeners: Listener[] = [];
  const end = (own: number, other: number): Signalling => ({
    send: (data) => queueMicrotask(() => listeners[other]?.(structuredClone(data))),
    onmessage: (listener) => {
      listeners[own] = listener;
    },
  });
  return [end(0, 1), end(1, 0)];
}

async function gathered(peer: RTCPeerConnection): Promise<RTCSessionDescription> {
  await peer.setLocalDescription();
  while (peer.iceGatheringState !== 'complete') {
    await new Promise((resolve) => peer.addEventListener('icegatheringstatechange', resolve, { once: true }));
  }
  return peer.localDescription as RTCSessionDescription;
}

const isDescription = (data: unknown): data is RTCSessionDescriptionInit & { ccscope: string } =>
  typeof data === 'object' && data !== null && 'sdp' in data;

/**
 * A worker that appends random bytes to each frame. In half of the frames, these bytes end with ccscope's magic
 * number, as a real trailer of ccscope does.
 */
const NOISE_WORKER = `
onrtctransform = ({ transformer: { readable, writable } }) => {
  const noise = (frame, controller) => {
    const out = new Uint8Array(frame.data.byteLength + 24);
    out.set(new Uint8Array(frame.data));
    crypto.getRandomValues(out.subarray(frame.data.byteLength));
    if (out[out.length - 1] & 1) out.set([0x43, 0x43, 0x53, 0x31], out.length - 4);
    frame.data = out.buffer;
    controller.enqueue(frame);
  };
  readable.pipeThrough(new TransformStream({ transform: noise })).pipeTo(writable);
};
postMessage('alive');`;

async function noiseWorker(): Promise<Worker> {
  const worker = new Worker(URL.createObjectURL(new Blob([NOISE_WORKER], { type: 'text/javascript' })));
  await new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
  return worker;
}

/** Sends a video to a ccscope call of role `receive`; with `noise`, random bytes are appended to each frame. */
export async function plainSender(signalling: Signalling, noise: boolean): Promise<() => void> {
  const peer = new RTCPeerConnection();
  const camera = await createSyntheticCamera();
  const worker = noise ? await noiseWorker() : null;
  const { sender } = peer.addTransceiver(camera.track, { direction: 'sendonly' });
  if (worker !== null) sender.transform = new RTCRtpScriptTransform(worker, {});
  peer.createDataChannel('of its own');
  signalling.onmessage((data) => {
    if (isDescription(data)) void peer.setRemoteDescription(data);
    else void gathered(peer).then(({ type, sdp }) => signalling.send({ ccscope: 'description', type, sdp }));
  });
  return () => {
    peer.close();
    camera.stop();
    worker?.terminate();
  };
}

/** Receives the video of a ccscope call of role `send`; reports how many frames were decoded. */
export function plainReceiver(signalling: Signalling): { frames(): Promise<number>; stop(): void } {
  const peer = new RTCPeerConnection();
  peer.ontrack = ({ track }) => {
    const video = document.querySelector('video');
    if (video !== null) video.srcObject = new MediaStream([track]);
  };
  signalling.onmessage((data) => {
    if (!isDescription(data)) {
      signalling.send({ ccscope: 'ready' });
      return;
    }
    void peer
      .setRemoteDescription(data)
      .then(() => gathered(peer))
      .then(({ type, sdp }) => signalling.send({ ccscope: 'description', type, sdp }));
  });
  signalling.send({ ccscope: 'ready' });
  const frames = async () => {
    for (const [, stat] of (await peer.getStats()) as ReadonlyMap<
      string,
      { type: string; framesDecoded?: number }
    >) {
      if (stat.type === 'inbound-rtp') return stat.framesDecoded ?? 0;
    }
    return 0;
  };
  return { frames, stop: () => peer.close() };
}
