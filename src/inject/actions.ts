/**
 * Carries out actions on the page's calls. Nothing is changed without an explicit command. Actions change the
 * parameters of senders and the playout delay of receivers. The page's own settings are kept, and every
 * change of a setting can be undone.
 */
import { readAction } from './action_form.js';
import { attempt, clearTimeout, setTimeout } from './natives.js';
import { PlayoutDelays } from './playout_delay.js';
import type { Action, ActionResult, ActionTarget, EncodingName, InForce } from './protocol.js';
import { isNamed, type Change, type Options, type SenderParameters } from './sender_parameters.js';

/** The time over which the current rate of a stream is measured. */
const HOLD_MS = 1000;
/**
 * A drive is a limit that a controller sets and keeps renewing. A drive that has not been renewed for this time
 * ends.
 */
const DRIVEN_MS = 3000;

/** Why an action cannot be carried out, and how to fix this. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly why: string,
    readonly fix: string,
  ) {
    super(why);
  }
}

const onlyTheSender = (): Refusal =>
  new Refusal('Only the sending side can do this.', 'act on the page that sends this stream');

export interface ActionsOptions {
  parameters: SenderParameters;
  /** Returns the open connection with this number in the window; null if there is none. */
  connection(endpoint: number): RTCPeerConnection | null;
  /** Whether the number belongs to a stray: a received track whose connection is unknown to the observer. */
  isHidden(endpoint: number): boolean;
  /** Called with every valid action and its result, except for successful renewals of a drive. */
  told(action: Action, result: ActionResult): void;
}

type Kind<K extends Action['kind']> = Extract<Action, { kind: K }>;

/**
 * The period from `begin` to `end`. Some actions take a second. An action that is unfinished when the period
 * ends has no effect.
 */
interface Watch {
  isOver: boolean;
}

type Changer = (change: Change, options?: Options) => Promise<void>;

function checkWatch({ isOver }: Watch): void {
  if (isOver) throw new Refusal('ccscope no longer watches this page.', 'start ccscope in it again');
}

export class Actions {
  readonly #delays = new PlayoutDelays();
  /** For each driven sender, the timer that ends the drive unless it is renewed. */
  readonly #drives = new Map<RTCRtpSender, ReturnType<typeof setTimeout>>();

  #watch: Watch = { isOver: false };

  constructor(private readonly options: ActionsOptions) {}

  /** Never rejects. */
  async act(value: unknown): Promise<ActionResult> {
    const action = readAction(value);
    if ('field' in action) {
      const { field, expected } = action;
      return {
        ok: false,
        why: `${field}: expected ${expected}.`,
        fix: 'send one of the actions that the type Action lists',
      };
    }
    const watch = this.#watch;
    const isRenewal = action.kind === 'drive' && (await this.#isDriven(action.target));
    const result = await this.#do(action, watch).catch(failureOf);
    // Renewals are not reported: a controller sets its rate several times a second, and the recording already has
    // those rates as a curve.
    if (!isRenewal || !result.ok) this.options.told(action, result);
    return result;
  }

  /** Undoes all actions. Refuses new actions until `begin` is called. Never rejects. */
  async end(): Promise<void> {
    this.#watch.isOver = true;
    for (const timer of this.#drives.values()) clearTimeout(timer);
    this.#drives.clear();
    this.#delays.releaseAll();
    await this.options.parameters.releaseAll();
  }

  begin(): void {
    if (this.#watch.isOver) this.#watch = { isOver: false };
  }

  async #isDriven(target: ActionTarget): Promise<boolean> {
    const transceiver = await this.#transceiver(target).catch(() => null);
    return transceiver !== null && this.#drives.has(transceiver.sender);
  }

  async #do(action: Action, watch: Watch): Promise<ActionResult> {
    const { target } = action;
    // An action may still arrive after `end`, for instance a controller's last message. It is refused.
    checkWatch(watch);
    const transceiver = await this.#transceiver(target);
    // If the target has no mid, finding the transceiver takes time. `end` may have been called meanwhile.
    if (action.kind !== 'release') checkWatch(watch);
    const message =
      target.direction === 'send'
        ? await this.#send(action, transceiver, watch)
        : this.#receive(action, transceiver.receiver);
    return { ok: true, message, inForce: this.#inForce(target, transceiver) };
  }

  #inForce({ direction }: ActionTarget, { sender, receiver }: RTCRtpTransceiver): InForce[] {
    if (direction === 'send') return this.options.parameters.inForce(sender);
    const delayMs = this.#delays.delayOf(receiver);
    return delayMs === null ? [] : [{ kind: 'playout-delay', delayMs }];
  }

  async #transceiver(target: ActionTarget): Promise<RTCRtpTransceiver> {
    const { endpoint, mid } = target;
    const peer = this.options.connection(endpoint);
    if (peer === null) throw this.#unreachable(endpoint);
    const all = peer.getTransceivers();
    const found = mid === '' ? await bySsrc(all, target) : all.find((each) => each.mid === mid);
    if (found === undefined || found.direction === 'stopped')
      throw new Refusal('The stream is gone: the page has stopped its transceiver.', 'choose another stream');
    return found;
  }

  #unreachable(endpoint: number): Refusal {
    return this.options.isHidden(endpoint)
      ? new Refusal(
          'The page does not expose the connection of this stream, so ccscope cannot act on it.',
          "do what the connection's notice says",
        )
      : new Refusal('The connection is closed.', 'choose a stream of a connection that is open');
  }

  #receive(action: Action, receiver: RTCRtpReceiver): string {
    switch (action.kind) {
      case 'playout-delay':
        if (!this.#delays.canDelay)
          throw new Refusal(
            'This browser has neither jitterBufferTarget nor playoutDelayHint.',
            'use Chrome, or Safari or Firefox where they have jitterBufferTarget',
          );
        this.#delays.delay(receiver, action.delayMs);
        return `Media is held back for at least ${action.delayMs} ms before it is played.`;
      case 'release':
        if (action.of !== null && action.of !== 'playout-delay') throw onlyTheSender();
        this.#delays.release(receiver);
        return 'The playout delay is what the page had set.';
      case 'key-frame':
        throw new Refusal(
          'A page cannot make its receiver request a key frame.',
          'act on the page that sends this stream',
        );
      case 'cap':
      case 'hold':
      case 'drive':
      case 'layer':
      case 'degradation-preference':
        throw onlyTheSender();
    }
  }

  /**
   * Returns a function that changes the overrides of a sender. The function rejects once `end` has been called.
   */
  #changer(sender: RTCRtpSender, watch: Watch): Changer {
    return async (change, options) => {
      await this.options.parameters.act(
        sender,
        (overrides, encodings) => {
          checkWatch(watch);
          change(overrides, encodings);
        },
        options,
      );
      // If `end` was called meanwhile, it has undone the change.
      checkWatch(watch);
    };
  }

  async #send(action: Action, transceiver: RTCRtpTransceiver, watch: Watch): Promise<string> {
    const { sender } = transceiver;
    const change = this.#changer(sender, watch);
    switch (action.kind) {
      case 'cap':
        await change((overrides, encodings) => {
          checkName(action.encoding, encodings);
          overrides.caps.set(action.encoding, action.maxBitrateBps);
        });
        return `${encodingText(action.encoding)} is capped at ${rateText(action.maxBitrateBps)}.`;
      case 'hold':
        return this.#hold(sender, change);
      case 'drive':
        return this.#drive(action, sender, change);
      case 'release':
        if (action.of === null || action.of === 'drive') this.#endDrive(sender);
        await this.options.parameters.act(sender, (overrides) => overrides.release(action.of));
        return 'The settings of the page apply again.';
      case 'key-frame':
        return this.#keyFrame(action, transceiver, change);
      case 'layer':
        await change((overrides, encodings) => {
          checkName(action.encoding, encodings);
          overrides.layers.delete(action.encoding);
          overrides.layers.set(action.encoding, action.active);
        });
        return `${encodingText(action.encoding)} is ${action.active ? 'sent' : 'not sent any more'}.`;
      case 'degradation-preference':
        return this.#prefer(action, transceiver, change);
      case 'playout-delay':
        throw new Refusal(
          'Only the receiving side can do this.',
          'act on the page that receives this stream',
        );
    }
  }

  async #hold(sender: RTCRtpSender, change: Changer): Promise<string> {
    const before = await sent(sender);
    await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
    const now = await sent(sender);
    const rates = now.flatMap(({ ssrc, rid, index, bytes, timeMs }) => {
      const earlier = before.find((each) => each.ssrc === ssrc);
      const ms = timeMs - (earlier?.timeMs ?? timeMs);
      const bps = ms > 0 ? Math.round(((bytes - (earlier?.bytes ?? bytes)) * 8000) / ms) : 0;
      return bps >= 1000 ? [{ name: rid === '' ? index : rid, bps }] : [];
    });
    if (rates.length === 0)
      throw new Refusal(
        'Nothing was sent in the last second, so there is no rate to hold.',
        'cap the stream instead',
      );
    await change((overrides, encodings) => {
      overrides.caps.clear();
      for (const { name, bps } of rates) {
        checkName(name, encodings);
        overrides.caps.set(encodings.length === 1 ? null : name, bps);
      }
    });
    return `Held at ${rateText(rates.reduce((sum, { bps }) => sum + bps, 0))}.`;
  }

  async #drive(
    { controller, maxBitrateBps, target }: Kind<'drive'>,
    sender: RTCRtpSender,
    change: Changer,
  ): Promise<string> {
    await change((overrides) => {
      overrides.drive = { controller, maxBitrateBps };
    });
    this.#endDrive(sender);
    const release: Action = { kind: 'release', target, of: 'drive' };
    this.#drives.set(
      sender,
      setTimeout(() => void this.act(release), DRIVEN_MS),
    );
    return `${controller} bounds the rate, at ${rateText(maxBitrateBps)} now.`;
  }

  #endDrive(sender: RTCRtpSender): void {
    const timer = this.#drives.get(sender);
    if (timer !== undefined) clearTimeout(timer);
    this.#drives.delete(sender);
  }

  async #keyFrame(
    { encoding }: Kind<'key-frame'>,
    { receiver }: RTCRtpTransceiver,
    change: Changer,
  ): Promise<string> {
    if (receiver.track.kind !== 'video')
      throw new Refusal('Only video has key frames.', 'choose a video stream');
    const looked = { at: false };
    await change(
      (_, encodings) => checkName(encoding, encodings),
      (encodings) => ({
        // Detects whether the browser supports this option: only a browser that supports it calls this getter.
        get encodingOptions() {
          looked.at = true;
          return encodings.map((each, index) => ({ keyFrame: isNamed(encoding, each, index) }));
        },
      }),
    );
    if (!looked.at)
      throw new Refusal(
        "This browser's setParameters has no encodingOptions, so a page cannot request a key frame.",
        'use a newer Chrome, or let the far side ask for one (PLI)',
      );
    return `${encodingText(encoding)} was asked for a key frame.`;
  }

  async #prefer(
    { preference }: Kind<'degradation-preference'>,
    { sender, receiver }: RTCRtpTransceiver,
    change: Changer,
  ): Promise<string> {
    if (receiver.track.kind !== 'video')
      throw new Refusal('degradationPreference applies to video only.', 'choose a video stream');
    await change((overrides) => (overrides.preference = preference));
    const isKnown = this.options.parameters.preferenceOf(sender) === preference;
    if (!isKnown) {
      await this.options.parameters.act(sender, (overrides) => overrides.release('degradation-preference'));
      throw new Refusal(
        'This browser does not keep degradationPreference in its sender parameters.',
        'use Chrome 123 or newer',
      );
    }
    return `When bandwidth or CPU is short, the encoder prefers ${preference}.`;
  }
}

/** The transceiver whose sender or receiver reports the stream's SSRC in getStats. */
async function bySsrc(
  transceivers: readonly RTCRtpTransceiver[],
  { direction, ssrc }: ActionTarget,
): Promise<RTCRtpTransceiver | undefined> {
  const type = direction === 'send' ? 'outbound-rtp' : 'inbound-rtp';
  for (const transceiver of transceivers) {
    const end = direction === 'send' ? transceiver.sender : transceiver.receiver;
    const stats = [...(await end.getStats()).values()] as Record<string, unknown>[];
    if (stats.some((stat) => stat['type'] === type && stat['ssrc'] === ssrc)) return transceiver;
  }
  return undefined;
}

interface Sent {
  ssrc: number;
  rid: string;
  index: number;
  bytes: number;
  timeMs: number;
}

/**
 * The bytes that each encoding of a sender has sent so far. Retransmissions are excluded, because the encoder
 * does not produce them.
 */
async function sent(sender: RTCRtpSender): Promise<Sent[]> {
  const stats = [...(await sender.getStats()).values()] as Record<string, unknown>[];
  const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
  return stats
    .filter((stat) => stat['type'] === 'outbound-rtp')
    .map((stat, order) => ({
      ssrc: number(stat['ssrc']),
      rid: typeof stat['rid'] === 'string' ? stat['rid'] : '',
      index: typeof stat['encodingIndex'] === 'number' ? stat['encodingIndex'] : order,
      bytes: number(stat['bytesSent']) - number(stat['retransmittedBytesSent']),
      timeMs: number(stat['timestamp']),
    }));
}

function checkName(name: EncodingName, encodings: readonly RTCRtpEncodingParameters[]): void {
  if (encodings.some((encoding, index) => isNamed(name, encoding, index))) return;
  const names = encodings.map(({ rid }, index) => rid ?? index).join(', ');
  throw new Refusal(
    `The sender has no encoding ${String(name)}.`,
    encodings.length === 0 ? 'wait until the sender has one' : `name one of these: ${names}`,
  );
}

const encodingText = (name: EncodingName): string => (name === null ? 'The stream' : `Encoding ${name}`);

/** For example `300 kbps`. */
const rateText = (bps: number): string =>
  bps >= 1e6 ? `${Number((bps / 1e6).toFixed(2))} Mbps` : `${Number((bps / 1e3).toFixed(1))} kbps`;

function failureOf(error: unknown): ActionResult {
  if (error instanceof Refusal) return { ok: false, why: error.why, fix: error.fix };
  const why = attempt(() => (error instanceof Error ? error.message : String(error))) ?? 'unknown';
  return {
    ok: false,
    why: `The browser refused it: ${why}`,
    fix: 'see whether the connection is still open',
  };
}
