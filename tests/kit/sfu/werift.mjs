// A selective forwarding unit that uses werift, to be run as a separate process. It forwards each publisher's video
// and data to each watcher. `control` changes which of these are forwarded.
import { createServer } from 'node:http';

import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  useSdesMid,
  useSdesRTPStreamId,
} from 'werift';

const iceLite = process.argv.includes('--lite');
/** A link's relay sends from the loopback address, so the unit must have a candidate there. */
const iceAdditionalHostAddresses = process.argv.includes('--no-loopback') ? [] : ['127.0.0.1'];
const VP8 = new RTCRtpCodecParameters({
  mimeType: 'video/VP8',
  clockRate: 90_000,
  rtcpFeedback: [{ type: 'nack' }, { type: 'nack', parameter: 'pli' }, { type: 'goog-remb' }],
});
/** A layer from which nothing was received for this long is not chosen. */
const SILENT_MS = 1000;

const publishers = new Map();
const watchers = new Map();
const settings = { paused: false, rid: null, keyFrames: true };
let next = 0;

const connect = () =>
  new RTCPeerConnection({
    iceServers: [],
    iceLite,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceAdditionalHostAddresses,
    codecs: { audio: [], video: [VP8] },
    headerExtensions: { video: [useSdesMid(), useSdesRTPStreamId()] },
  });

async function describe(peer, description) {
  await peer.setLocalDescription(description);
  if (peer.iceGatheringState !== 'complete')
    await peer.iceGatheringStateChange.watch((state) => state === 'complete', 10_000);
  return peer.localDescription.sdp;
}

/**
 * The streams of a publisher. There is one layer per simulcast encoding, lowest first; without simulcast, there is
 * a single layer with an empty name.
 */
class Publisher {
  layers = new Map();
  feeds = new Set();
  channels = new Set();

  add(transceiver, track) {
    const layer = { rid: track.rid ?? '', heardMs: 0, ssrc: track.ssrc };
    this.layers.set(layer.rid, layer);
    layer.askForKey = () => void transceiver.receiver.sendRtcpPLI(layer.ssrc);
    track.onReceiveRtp.subscribe((packet) => {
      layer.heardMs = Date.now();
      layer.ssrc = packet.header.ssrc;
      for (const feed of this.feeds) feed.forward(layer, packet);
    });
  }

  /** The requested layer if the publisher is sending it, otherwise the highest layer that is being sent. */
  chosen() {
    const sent = [...this.layers.values()].filter(({ heardMs }) => Date.now() - heardMs < SILENT_MS);
    return sent.find(({ rid }) => rid === settings.rid) ?? sent.at(-1);
  }
}

/** The video that one watcher gets from one publisher. */
class Feed {
  layer = null;

  constructor(publisher, peer) {
    this.publisher = publisher;
    this.track = new MediaStreamTrack({ kind: 'video' });
    this.sender = peer.addTransceiver(this.track, { direction: 'sendonly' }).sender;
    this.sender.onPictureLossIndication.subscribe(() => this.askForKey());
  }

  askForKey() {
    if (settings.keyFrames) this.publisher.chosen()?.askForKey();
  }

  forward(layer, packet) {
    if (settings.paused || layer !== (this.layer ?? layer)) return;
    this.track.writeRtp(packet.clone());
  }

  /**
   * Switches to the chosen layer if it differs from the current one: replaces the track, and requests a key frame.
   */
  async choose() {
    const layer = this.publisher.chosen();
    if (layer === undefined || layer === this.layer) return;
    const isFirst = this.layer === null;
    this.layer = layer;
    if (!isFirst) {
      this.track = new MediaStreamTrack({ kind: 'video' });
      await this.sender.replaceTrack(this.track);
    }
    this.askForKey();
  }
}

setInterval(() => {
  for (const { feeds } of publishers.values()) for (const feed of feeds) void feed.choose();
}, 250);

async function publish({ sdp }) {
  const peer = connect();
  const publisher = new Publisher();
  const id = ++next;
  peer.onTransceiverAdded.subscribe((transceiver) => {
    transceiver.onTrack.subscribe((track) => {
      publisher.add(transceiver, track);
      publishers.set(id, publisher);
    });
  });
  peer.onDataChannel.subscribe((channel) => {
    channel.onMessage.subscribe((data) => {
      for (const each of publisher.channels) if (each.readyState === 'open') each.send(data);
    });
  });
  await peer.setRemoteDescription({ type: 'offer', sdp });
  return { id, sdp: await describe(peer, await peer.createAnswer()) };
}

/**
 * Makes an offer to a watcher, with the streams of the other participants. Returns an empty object if there are fewer
 * than `publishers` other publishers.
 */
async function watch({ own = 0, publishers: least = 1 }) {
  const others = [...publishers].filter(([id]) => id !== own).map(([, publisher]) => publisher);
  if (others.length < least) return {};
  const peer = connect();
  const channel = peer.createDataChannel('data');
  for (const publisher of others) {
    const feed = new Feed(publisher, peer);
    publisher.feeds.add(feed);
    publisher.channels.add(channel);
    peer.connectionStateChange.subscribe((state) => {
      if (state === 'connected') feed.askForKey();
      if (state !== 'closed' && state !== 'failed') return;
      publisher.feeds.delete(feed);
      publisher.channels.delete(channel);
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

/**
 * Changes the settings. `paused`: whether to forward nothing; `rid`: the layer to forward; `keyFrames`: whether to
 * request key frames.
 */
async function control(change) {
  Object.assign(settings, change);
  for (const { feeds } of publishers.values()) for (const feed of feeds) await feed.choose();
  return settings;
}

const paths = {
  '/publish': publish,
  '/watch': watch,
  '/answer': answer,
  '/control': control,
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
