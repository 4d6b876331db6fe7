/**
 * Decides whether a receiver has the page's transform or the observer's. A transform that the page sets
 * replaces the observer's.
 */
import * as notices from './notices.js';
import { attempt } from './natives.js';
import type { RecordNotice } from './protocol.js';

type Streams = Record<
  'createEncodedStreams',
  ((this: RTCRtpReceiver, ...args: unknown[]) => unknown) | undefined
>;

/** Called when the page takes over a receiver that had the observer's transform. */
type OnYield = () => void;

export class ReceiverTransforms {
  /** Receivers that have the observer's transform. */
  readonly #ours = new WeakMap<RTCRtpReceiver, OnYield>();
  /** Receivers that the page has taken over, by setting a transform or creating encoded streams. */
  readonly #theirs = new WeakSet<RTCRtpReceiver>();
  readonly #transform: PropertyDescriptor | undefined;
  readonly #streams: Streams['createEncodedStreams'];

  constructor() {
    const { prototype } = RTCRtpReceiver;
    this.#transform = Object.getOwnPropertyDescriptor(prototype, 'transform');
    this.#streams = (prototype as unknown as Streams).createEncodedStreams;
    attempt(() => this.#patchTransform(prototype));
    attempt(() => this.#patchStreams(prototype));
  }

  /** The reason why no transform can be attached; null if a transform can be attached. */
  refusal(receiver: RTCRtpReceiver): RecordNotice | null {
    const get = this.#transform?.get;
    if (get === undefined || typeof RTCRtpScriptTransform === 'undefined') return notices.noTransforms();
    if (this.#theirs.has(receiver)) return notices.pageTransforms();
    if (get.call(receiver) !== null && !this.#ours.has(receiver)) return notices.pageTransforms();
    return null;
  }

  /**
   * Attaches the observer's transform, unless it is already attached; `yielded` is called if the page takes over
   * the receiver.
   */
  attach(receiver: RTCRtpReceiver, transform: RTCRtpScriptTransform, yielded: OnYield): true {
    if (this.#ours.has(receiver)) return true;
    this.#transform?.set?.call(receiver, transform);
    this.#ours.set(receiver, yielded);
    return true;
  }

  /**
   * Removes the observer's transform. In Chromium, media that is already flowing would then stop. Therefore the
   * readable and the writable stream of Chromium's older API, createEncodedStreams, are connected to each
   * other.
   */
  release(receiver: RTCRtpReceiver, flows: boolean): void {
    if (!this.#ours.delete(receiver)) return;
    this.#transform?.set?.call(receiver, null);
    if (!flows || this.#streams === undefined) return;
    const { readable, writable } = this.#streams.call(receiver) as ReadableWritablePair;
    readable.pipeTo(writable).catch(() => undefined);
  }

  #yield(receiver: RTCRtpReceiver): void {
    this.#theirs.add(receiver);
    const yielded = this.#ours.get(receiver);
    this.#ours.delete(receiver);
    if (yielded !== undefined) attempt(yielded);
  }

  #patchTransform(prototype: RTCRtpReceiver): void {
    const { get, set, ...rest } = this.#transform ?? {};
    if (get === undefined || set === undefined) return;
    const ours = this.#ours;
    const taken = (receiver: RTCRtpReceiver) => this.#yield(receiver);
    Object.defineProperty(prototype, 'transform', {
      ...rest,
      get: new Proxy(get, {
        apply: (target, receiver: RTCRtpReceiver, args): unknown =>
          ours.has(receiver) ? null : Reflect.apply(target, receiver, args),
      }),
      set: new Proxy(set, {
        apply(target, receiver: RTCRtpReceiver, args) {
          // The page does not see the observer's transform, so for the page there is nothing to clear. The call
          // is ignored, because removing the observer's transform would stop the media.
          if (ours.has(receiver) && args[0] == null) return;
          Reflect.apply(target, receiver, args);
          if (args[0] != null) taken(receiver);
        },
      }),
    });
  }

  #patchStreams(prototype: RTCRtpReceiver): void {
    const holder = prototype as unknown as Streams;
    const native = this.#streams;
    if (native === undefined) return;
    const set = this.#transform?.set;
    const ours = this.#ours;
    const taken = (receiver: RTCRtpReceiver) => this.#yield(receiver);
    holder.createEncodedStreams = new Proxy(native, {
      apply(target, receiver: RTCRtpReceiver, args) {
        // The browser returns a receiver's streams only once, and now the page requests them. Therefore the
        // observer's transform is removed first.
        if (ours.has(receiver)) attempt(() => set?.call(receiver, null));
        const streams: unknown = Reflect.apply(target, receiver, args);
        taken(receiver);
        return streams;
      },
    });
  }
}
