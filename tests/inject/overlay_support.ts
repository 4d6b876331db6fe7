/** A page with a call, and the script in it. */
import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';

import type {
  Action,
  ActionResult,
  ActionTarget,
  PageBatch,
  PageMessage,
} from '../../src/inject/protocol.js';

const built = (name: string): string =>
  readFileSync(new URL(`../../dist/lib/inject/${name}`, import.meta.url), 'utf8');

/** The page's address, which gives it a secure context. No server listens there; the test answers the request. */
export const PAGE_URL = 'https://call.test/';

const HTML = `<!doctype html>
<html lang="en">
  <title>A call of somebody</title>
  <style>
    body { font: 20px serif; display: grid; gap: 10px; }
    button { padding: 20px; background: pink; }
    section { border: 3px solid; }
  </style>
  <body>
    <h1>A call</h1>
    <button>Hang up</button>
    <section>Somebody</section>
    <video autoplay muted playsinline></video>
  </body>
</html>`;

/** The two connections of the test page, and the caller's video sender. */
export interface CallPage {
  caller: RTCPeerConnection;
  callee: RTCPeerConnection;
  sender: RTCRtpSender;
  /** The browser's own function, stored before anything could patch it. */
  getParameters: (this: RTCRtpSender) => RTCRtpSendParameters;
}

declare global {
  interface Window {
    call: CallPage;
    acting: { act(action: unknown): Promise<ActionResult>; pause(): Promise<void>; flush(): Promise<void> };
    batches: PageBatch[];
  }
}

/** The layers in which the call's video is sent. Default: one. */
interface CallLayers {
  /** Names of simulcast layers, the smallest first. */
  rids?: string[];
  /** Scalability mode of a single stream with layers (webrtc-svc). */
  scalabilityMode?: string;
}

/**
 * Runs in the page: starts a call of the page with itself. The SDP answer accepts all simulcast layers, as an SFU's
 * answer does.
 */
async function startCall({ rids = [], scalabilityMode }: CallLayers): Promise<void> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [640, 360];
  const context = canvas.getContext('2d');
  const noise = new ImageData(160, 90);
  const draw = (): void => {
    const random = crypto.getRandomValues(new Uint8Array(160 * 90));
    random.forEach((value, i) => noise.data.set([value, 255 - value, value, 255], 4 * i));
    void createImageBitmap(noise).then((image) => context?.drawImage(image, 0, 0, 640, 360));
  };
  setInterval(draw, 40);
  const [video] = canvas.captureStream(25).getVideoTracks();
  const audioContext = new AudioContext();
  const tone = audioContext.createOscillator();
  const output = audioContext.createMediaStreamDestination();
  tone.connect(output);
  tone.start();
  const [audio] = output.stream.getAudioTracks();
  if (video === undefined || audio === undefined) throw new Error('no tracks');
  const caller = new RTCPeerConnection();
  const callee = new RTCPeerConnection();
  caller.onicecandidate = ({ candidate }) => void callee.addIceCandidate(candidate ?? undefined);
  callee.onicecandidate = ({ candidate }) => void caller.addIceCandidate(candidate ?? undefined);
  callee.ontrack = ({ track }) => {
    const element = document.querySelector('video');
    if (track.kind === 'video' && element !== null) element.srcObject = new MediaStream([track]);
  };
  const simulcast = rids.map((rid, i) => ({ rid, scaleResolutionDownBy: 2 ** (rids.length - 1 - i) }));
  const sendEncodings: RTCRtpEncodingParameters[] =
    scalabilityMode === undefined ? simulcast : [{ scalabilityMode } as RTCRtpEncodingParameters];
  const transceiver = caller.addTransceiver(video, sendEncodings.length === 0 ? {} : { sendEncodings });
  const { sender } = transceiver;
  const codecs = RTCRtpReceiver.getCapabilities('video')?.codecs ?? [];
  if (scalabilityMode !== undefined)
    transceiver.setCodecPreferences(codecs.filter(({ mimeType }) => mimeType === 'video/VP9'));
  caller.addTransceiver(audio);
  await caller.setLocalDescription();
  if (caller.localDescription !== null) await callee.setRemoteDescription(caller.localDescription);
  await callee.setLocalDescription();
  const lines = rids.map((rid) => `a=rid:${rid} recv\r\n`).join('');
  const layers = rids.length === 0 ? '' : `${lines}a=simulcast:recv ${rids.join(';')}\r\n`;
  const sdp = (callee.localDescription?.sdp ?? '').replace(/(a=mid:0\r\n)/, `$1${layers}`);
  await caller.setRemoteDescription({ type: 'answer', sdp });
  Object.assign(window.call, { caller, callee, sender });
  await new Promise<void>((connected) => {
    const look = (): void => {
      if (caller.connectionState === 'connected') connected();
    };
    caller.addEventListener('connectionstatechange', look);
    look();
  });
}

export interface OpenOptions extends CallLayers {
  /** The script of ccscope that runs before the page's own scripts. Default: none. */
  script?: 'ccscope' | 'observer' | 'none';
}

/**
 * Opens the page. Normally, the overlay's shadow root is closed, so that pages cannot access it. Playwright and axe
 * need access, so a patch of the page's `attachShadow` opens the shadow root.
 */
export async function openPage(page: Page, { script = 'none' }: OpenOptions = {}): Promise<void> {
  await page.route(PAGE_URL, (route) => route.fulfill({ contentType: 'text/html', body: HTML }));
  await page.addInitScript(() => {
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (init) {
      return attachShadow.call(this, this.localName === 'ccscope-overlay' ? { ...init, mode: 'open' } : init);
    };
  });
  await page.addInitScript(() => {
    const { getParameters } = RTCRtpSender.prototype;
    window.call = { getParameters } as CallPage;
  });
  if (script === 'ccscope') await page.addInitScript(built('ccscope.js'));
  if (script === 'observer') {
    await page.addInitScript(`${built('observer.js')};
      window.batches = [];
      window.acting = observer.observe(
        { originEpochMs: performance.timeOrigin, relay: null, frameTiming: 'getStats', adoptsLate: true },
        (batch) => {
          window.batches.push(batch);
          // If isListenerGone is set, the listener never answers, like a page that is gone.
          return window.isListenerGone ? new Promise(() => undefined) : undefined;
        },
      );`);
  }
  await page.goto(PAGE_URL);
}

export async function openCall(page: Page, options: OpenOptions = {}): Promise<void> {
  await openPage(page, options);
  await page.evaluate(startCall, options);
}

/** Puts the script into a page that is already running, as a bookmark does. */
export const putScript = (page: Page): Promise<void> => page.evaluate(built('ccscope.js'));

/** The rate at which the video is sent (in all layers, or in the layer `rid`), measured over half a second. */
export function sentBps(page: Page, rid = ''): Promise<number> {
  return page.evaluate(async (wanted) => {
    const look = async (): Promise<[number, number]> => {
      const stats = [...(await window.call.sender.getStats()).values()] as RTCOutboundRtpStreamStats[];
      const all = stats.filter((stat) => stat.type === 'outbound-rtp');
      const mine = wanted === '' ? all : all.filter((stat) => stat.rid === wanted);
      return [mine.reduce((sum, { bytesSent = 0 }) => sum + bytesSent, 0), performance.now()];
    };
    const [bytes, ms] = await look();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [laterBytes, laterMs] = await look();
    return ((laterBytes - bytes) * 8000) / (laterMs - ms);
  }, rid);
}

/** Waits until the video is sent at more than `leastBps`. */
export const awaitRate = (page: Page, leastBps: number, rid = ''): Promise<void> =>
  expect.poll(() => sentBps(page, rid), { timeout: 40_000 }).toBeGreaterThan(leastBps);

export const act = (page: Page, action: Action): Promise<ActionResult> =>
  page.evaluate((each) => window.acting.act(each), action);

/** The call's video at the sending connection. */
export const VIDEO: ActionTarget = { endpoint: 0, direction: 'send', mid: '0', ssrc: 0 };
/** The same video at the receiving connection. */
export const RECEIVED: ActionTarget = { endpoint: 1, direction: 'receive', mid: '0', ssrc: 0 };

export type ActionMessage = Extract<PageMessage, { type: 'action' }>;

/** The messages about actions that the observer has reported so far. */
export async function actionsTold(page: Page): Promise<ActionMessage[]> {
  await page.evaluate(() => window.acting.flush());
  const batches = await page.evaluate(() => window.batches);
  return batches.flatMap(({ messages }) => messages).filter((message) => message.type === 'action');
}
