/** A connection that is made as a user's own code would make it. ccscope is attached to both ends. */
import {
  attachReceiver,
  attachSender,
  createMediaWorker,
  takeOver,
  type Attachment,
  type ControlOptions,
} from '../../../src/rtc/index.js';

export interface OwnConnection {
  sender: Attachment;
  receiver: Promise<Attachment>;
  received: RTCRtpReceiver | undefined;
  stop(): void;
}

function channel(peer: RTCPeerConnection): RTCDataChannel {
  const made = peer.createDataChannel('feedback', {
    negotiated: true,
    id: 7,
    ordered: false,
    maxRetransmits: 0,
  });
  made.binaryType = 'arraybuffer';
  return made;
}

export async function ownConnection(
  track: MediaStreamTrack,
  options: ControlOptions,
): Promise<OwnConnection> {
  const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
  const [sendWorker, receiveWorker] = await Promise.all([createMediaWorker(), createMediaWorker()]);
  const [back, forth] = [channel(a), channel(b)];
  a.onicecandidate = ({ candidate }) => void b.addIceCandidate(candidate ?? undefined);
  b.onicecandidate = ({ candidate }) => void a.addIceCandidate(candidate ?? undefined);
  const receiver = new Promise<Attachment>((resolve) => {
    b.ontrack = (event) => resolve(attachReceiver(b, event.receiver, receiveWorker, options, forth));
  });
  const sender = attachSender(a, a.addTrack(track), sendWorker, options, back);
  const rewritten = ({ type, sdp = '' }: RTCSessionDescriptionInit) => ({ type, sdp: takeOver(sdp) });
  await a.setLocalDescription();
  await b.setRemoteDescription(rewritten(a.localDescription as RTCSessionDescription));
  await b.setLocalDescription();
  await a.setRemoteDescription(rewritten(b.localDescription as RTCSessionDescription));
  const stop = () => {
    for (const peer of [a, b]) peer.close();
    sender.close();
    void receiver.then((attached) => attached.close());
  };
  return { sender, receiver, received: b.getReceivers()[0], stop };
}
