// A selective forwarding unit on werift: each publisher's video goes to each watcher. Run as a process of its own.
import { createServer } from 'node:http';

import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters } from 'werift';

const iceLite = process.argv.includes('--lite');
const VP8 = new RTCRtpCodecParameters({
  mimeType: 'video/VP8',
  clockRate: 90_000,
  rtcpFeedback: [{ type: 'nack' }, { type: 'nack', parameter: 'pli' }, { type: 'goog-remb' }],
});

const publishers = [];
const watchers = new Map();
let next = 0;

const connect = () =>
  new RTCPeerConnection({
    iceServers: [],
    iceLite,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceAdditionalHostAddresses: ['127.0.0.1'],
    codecs: { audio: [], video: [VP8] },
  });

async function describe(peer, description) {
  await peer.setLocalDescription(description);
  if (peer.iceGatheringState !== 'complete')
    await peer.iceGatheringStateChange.watch((state) => state === 'complete', 10_000);
  return peer.localDescription.sdp;
}

async function publish({ sdp }) {
  const peer = connect();
  peer.onTransceiverAdded.subscribe((transceiver) => {
    transceiver.onTrack.subscribe((track) => {
      const publisher = { tracks: new Set(), keyFrame: () => transceiver.receiver.sendRtcpPLI(track.ssrc) };
      publishers.push(publisher);
      track.onReceiveRtp.subscribe((packet) => {
        for (const each of publisher.tracks) each.writeRtp(packet.clone());
      });
    });
  });
  await peer.setRemoteDescription({ type: 'offer', sdp });
  return { id: ++next, sdp: await describe(peer, await peer.createAnswer()) };
}

async function watch() {
  if (publishers.length === 0) return {};
  const peer = connect();
  for (const publisher of publishers) {
    const track = new MediaStreamTrack({ kind: 'video' });
    const { sender } = peer.addTransceiver(track, { direction: 'sendonly' });
    sender.onPictureLossIndication.subscribe(() => void publisher.keyFrame());
    publisher.tracks.add(track);
    peer.connectionStateChange.subscribe((state) => {
      if (state === 'connected') void publisher.keyFrame();
      if (state === 'closed' || state === 'failed') publisher.tracks.delete(track);
    });
  }
  const id = ++next;
  watchers.set(id, peer);
  return { id, sdp: await describe(peer, await peer.createOffer()) };
}

async function answer({ id, sdp }) {
  await watchers.get(id).setRemoteDescription({ type: 'answer', sdp });
  return { id };
}

const paths = {
  '/publish': publish,
  '/watch': watch,
  '/answer': answer,
  '/candidates': ({ id }) => ({ id }),
};

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', async () => {
    try {
      const answered = await paths[request.url](JSON.parse(text));
      response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end(JSON.stringify(answered));
    } catch (error) {
      console.error(error);
      response.writeHead(500, { 'Access-Control-Allow-Origin': '*' }).end();
    }
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
