/** Attaches ccscope to connections that the user's own code creates and negotiates. */
import type { MediaWorker } from '../worker/media/media_client.js';
import { shadowSlots } from './controllers.js';
import { ReceiverTap } from './receiver_tap.js';
import { SenderTap, type SenderOptions } from './sender_tap.js';
import { StatusBoard } from './status.js';
import type { CallStatus, ControlOptions, ShadowController } from './types.js';

/** A channel for feedback from the receiving side to the sending side; an unreliable data channel is best. */
export type FeedbackChannel = Pick<RTCDataChannel, 'readyState' | 'send' | 'addEventListener'>;

/** A sender or receiver under observation or control. */
export interface Attachment {
  readonly status: CallStatus;
  /**
   * Changes a parameter of the controller in charge. Rejects with a CoreError if the value is invalid. Unless the mode
   * is `observe`, the bounds of the rate must stay within `minBitrateBps` and `maxBitrateBps`.
   */
  setParameter(name: string, value: number): Promise<void>;
  setPreset(name: string): Promise<void>;
  /**
   * Replaces the controllers that only watch. Rejects with a CoreError for an unknown controller or parameter.
   */
  setShadows(shadows: readonly ShadowController[]): Promise<void>;
  /** Stops the controllers, and restores the encoder's original limits. The call continues. */
  detach(): Promise<void>;
  /** Ends the worker. To be called only after the connection is closed; otherwise the video stops. */
  close(): void;
}

/**
 * Attaches to a sender of a user's own connection. Call this function in the same task as `addTrack` or
 * `addTransceiver`: a browser that has started to send without a transform never calls a transform that is added
 * later. Create `worker` with `createMediaWorker`, which checks that the worker runs. Without a `feedback` channel,
 * the sender relies on receiver reports. Mode `control` also requires `takeOver` on both remote descriptions. The
 * status shows `control` only after the browser's estimate has confirmed the takeover.
 */
export function attachSender(
  peer: RTCPeerConnection,
  sender: RTCRtpSender,
  worker: MediaWorker,
  options: SenderOptions,
  feedback?: FeedbackChannel,
): Attachment {
  const board = new StatusBoard(
    options.mode,
    options.bottleneck === undefined ? 'none' : 'in-page',
    options.onStatus,
  );
  const tap = new SenderTap(sender, worker, options, board);
  let read = Promise.resolve();
  feedback?.addEventListener('message', (event) => {
    const { data } = event as MessageEvent<unknown>;
    if (data instanceof ArrayBuffer) tap.feedback(data);
    else if (data instanceof Blob)
      // Blobs are read one after the other, so that the messages stay in order.
      read = read.then(async () => tap.feedback(await data.arrayBuffer())).catch(() => undefined);
  });
  follow(peer, board, () => tap.connected());
  void tap.start();
  return attachment(board, tap, options);
}

/**
 * Attaches to a receiver of a user's own connection. Call this function in the handler of the `track` event. If
 * the far side does not run ccscope, its frames have no timing trailer. Send times then come from the RTP
 * timestamps (shadow mode), and `status.sendTimeSource` shows this.
 */
export function attachReceiver(
  peer: RTCPeerConnection,
  receiver: RTCRtpReceiver,
  worker: MediaWorker,
  options: ControlOptions,
  feedback?: FeedbackChannel,
): Attachment {
  const board = new StatusBoard(options.mode, 'none', options.onStatus);
  const send = (bytes: ArrayBuffer) => {
    if (feedback?.readyState === 'open') feedback.send(bytes);
  };
  const tap = new ReceiverTap(receiver, worker, options, board, send);
  follow(peer, board, () => undefined);
  void tap.start();
  return attachment(board, tap, options);
}

function follow(peer: RTCPeerConnection, board: StatusBoard, connected: () => void): void {
  const look = () => {
    const state = peer.connectionState;
    if (state === 'connected' || state === 'failed' || state === 'closed') board.update({ phase: state });
    if (state === 'connected') connected();
  };
  peer.addEventListener('connectionstatechange', look);
  look();
}

function attachment(board: StatusBoard, tap: SenderTap | ReceiverTap, options: ControlOptions): Attachment {
  return {
    get status() {
      return board.status;
    },
    setParameter: (name, value) => tap.setParameter(name, value),
    setPreset: (name) => tap.setPreset(name),
    setShadows: async (shadows) => tap.setShadows(shadowSlots(shadows, options)),
    detach: async () => {
      await tap.detach();
      board.update({ effectiveMode: 'observe', encoderTargetBps: NaN });
    },
    close: () => tap.close(),
  };
}
