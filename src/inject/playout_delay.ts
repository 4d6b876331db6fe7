/**
 * Sets how long receivers hold media back before it is played. While ccscope overrides the delay of a
 * receiver, the page still reads the value that it set itself. When ccscope releases the receiver, that value
 * applies again.
 */
import { attempt } from './natives.js';

/**
 * The two attributes for this setting: the standard attribute, and Chrome's older attribute. The number is the
 * attribute's value for a delay of one millisecond.
 */
const ATTRIBUTES = { jitterBufferTarget: 1, playoutDelayHint: 1e-3 } as const;
type Name = keyof typeof ATTRIBUTES;
const NAMES = Object.keys(ATTRIBUTES) as Name[];

interface Acted {
  delayMs: number;
  /** The values that the page has set, by attribute, in the order in which the page set them. */
  theirs: Map<Name, unknown>;
}

export class PlayoutDelays {
  readonly #natives = new Map<Name, Required<Pick<PropertyDescriptor, 'get' | 'set'>>>();
  readonly #acted = new Map<RTCRtpReceiver, Acted>();

  /** Patches the attributes of all receivers in the window. */
  constructor() {
    for (const name of NAMES) attempt(() => this.#patch(RTCRtpReceiver.prototype, name));
  }

  /** Whether the browser can delay what it plays. */
  get canDelay(): boolean {
    return this.#natives.size > 0;
  }

  delayOf(receiver: RTCRtpReceiver): number | null {
    return this.#acted.get(receiver)?.delayMs ?? null;
  }

  /** Delays a receiver. If the browser refuses the value, nothing changes, and this throws the browser's error. */
  delay(receiver: RTCRtpReceiver, delayMs: number): void {
    const theirs =
      this.#acted.get(receiver)?.theirs ??
      new Map(this.#known().map((name) => [name, this.#read(receiver, name)]));
    this.#write(receiver, delayMs);
    this.#acted.set(receiver, { delayMs, theirs });
  }

  release(receiver: RTCRtpReceiver): void {
    const acted = this.#acted.get(receiver);
    if (acted === undefined) return;
    this.#acted.delete(receiver);
    // Setting one attribute also changes the other one. Therefore the attribute that has a value (is not null)
    // is set last.
    const values = [...acted.theirs].sort(([, a], [, b]) => Number(a !== null) - Number(b !== null));
    for (const [name, value] of values) attempt(() => this.#natives.get(name)?.set.call(receiver, value));
  }

  releaseAll(): void {
    for (const receiver of [...this.#acted.keys()]) this.release(receiver);
  }

  #known(): Name[] {
    return NAMES.filter((name) => this.#natives.has(name));
  }

  #read(receiver: RTCRtpReceiver, name: Name): unknown {
    return this.#natives.get(name)?.get.call(receiver);
  }

  #write(receiver: RTCRtpReceiver, delayMs: number): void {
    const [name] = this.#known();
    if (name !== undefined) this.#natives.get(name)?.set.call(receiver, delayMs * ATTRIBUTES[name]);
  }

  #patch(prototype: object, name: Name): void {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    const { get, set } = descriptor ?? {};
    if (get === undefined || set === undefined) return;
    this.#natives.set(name, { get, set });
    const acted = this.#acted;
    Object.defineProperty(prototype, name, {
      ...descriptor,
      get: new Proxy(get, {
        apply: (_, self: RTCRtpReceiver, args): unknown => {
          const known = acted.get(self);
          return known === undefined ? Reflect.apply(get, self, args) : known.theirs.get(name);
        },
      }),
      set: new Proxy(set, {
        apply: (_, self: RTCRtpReceiver, args): void => {
          // The browser decides whether the value is valid, and how it is converted.
          Reflect.apply(set, self, args);
          const known = acted.get(self);
          if (known === undefined) return;
          known.theirs.delete(name);
          known.theirs.set(name, this.#read(self, name));
          attempt(() => this.#write(self, known.delayMs));
        },
      }),
    });
  }
}
