// A call for measurements, between two pages that contain no code of ccscope. There is no signalling server: the
// functions here copy the session descriptions, with all candidates, from page to page.
import { createServer } from 'node:http';

/** Serves an empty page, in which calls can be made. */
export async function serveBlankPage() {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>A page under test</title><body></body>');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Opens a page in a new browser context. If an observer is given, it observes the page. */
export async function openPage(browser, url, observer) {
  const context = await browser.newContext();
  await observer?.observe(context);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Connects the pages. One page sends the other a video of moving noise, at up to 1 Mbps. */
export async function connect(sender, receiver) {
  await sender.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 });
    const noise = Object.assign(document.createElement('canvas'), { width: 40, height: 23 });
    const [context, source] = [canvas.getContext('2d'), noise.getContext('2d')];
    const blocks = source.createImageData(40, 23);
    setInterval(() => {
      for (let i = 0; i < blocks.data.length; i++) blocks.data[i] = i % 4 === 3 ? 255 : 256 * Math.random();
      source.putImageData(blocks, 0, 0);
      context.drawImage(noise, 0, 0, 640, 368);
    }, 33);
    const peer = (window.peer = new RTCPeerConnection());
    const stream = canvas.captureStream(30);
    const sender = peer.addTrack(stream.getTracks()[0], stream);
    const parameters = sender.getParameters();
    for (const encoding of parameters.encodings) encoding.maxBitrate = 1_000_000;
    await sender.setParameters(parameters);
  });
  await receiver.evaluate(() => {
    window.peer = new RTCPeerConnection();
    peer.ontrack = ({ streams: [stream] }) => {
      const video = Object.assign(document.createElement('video'), { muted: true, srcObject: stream });
      document.body.append(video);
      void video.play();
    };
  });
  await negotiate(sender, receiver);
}

/** Exchanges offer and answer. With `iceRestart`, both sides get new credentials and candidates (RFC 8445, 9). */
export async function negotiate(sender, receiver, { iceRestart = false } = {}) {
  const describe = async ({ sdp, iceRestart }) => {
    if (sdp !== null) await peer.setRemoteDescription({ type: 'offer', sdp });
    const own = sdp === null ? await peer.createOffer({ iceRestart }) : await peer.createAnswer();
    const gathered = new Promise((done) => {
      peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done();
    });
    await peer.setLocalDescription(own);
    await gathered;
    return peer.localDescription.sdp;
  };
  const offer = await sender.evaluate(describe, { sdp: null, iceRestart });
  const answer = await receiver.evaluate(describe, { sdp: offer, iceRestart });
  await sender.evaluate((sdp) => peer.setRemoteDescription({ type: 'answer', sdp }), answer);
}

/** How many frames a page has decoded. */
export const framesOf = (page) =>
  page.evaluate(async () => {
    let frames = 0;
    (await peer.getStats()).forEach((stat) => {
      if (stat.type === 'inbound-rtp') frames += stat.framesDecoded ?? 0;
    });
    return frames;
  });
