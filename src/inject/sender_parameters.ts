/**
 * Lets two parties set the parameters of a sender: the page, and ccscope through its actions. The settings of
 * the page apply unless an action overrides them. The page always reads its own settings, and a release
 * restores them.
 *
 * A browser accepts only parameters whose `transactionId` is from its latest call of getParameters. Here,
 * parameters that the page has read stay usable, even if ccscope has called getParameters since then.
 */
import { attempt, connectionPrototype } from './natives.js';
import { fields, patch, text } from './patch.js';
import type { DegradationPreferenceName, EncodingName, InForce, Releasable } from './protocol.js';

type Parameters = Omit<RTCRtpSendParameters, 'degradationPreference'> & {
  degradationPreference?: DegradationPreferenceName;
};
type Encoding = RTCRtpEncodingParameters;

/** The page's settings that actions can override. */
interface Theirs {
  encodings: readonly Pick<Encoding, 'rid' | 'active' | 'maxBitrate'>[];
  degradationPreference: DegradationPreferenceName | undefined;
}

/**
 * The settings that actions have made on a sender. They apply instead of the page's settings, except that a
 * lower limit of the page still applies. A later action replaces an earlier one of the same kind on the same
 * encoding.
 */
export class Overrides {
  /** Limits by encoding; the key null is a limit for all encodings together. */
  readonly caps = new Map<EncodingName, number>();
  readonly layers = new Map<EncodingName, boolean>();
  drive: { controller: string; maxBitrateBps: number } | null = null;
  preference: DegradationPreferenceName | null = null;

  copy(): Overrides {
    const copy = new Overrides();
    this.caps.forEach((bps, encoding) => copy.caps.set(encoding, bps));
    this.layers.forEach((active, encoding) => copy.layers.set(encoding, active));
    copy.drive = this.drive;
    copy.preference = this.preference;
    return copy;
  }

  release(of: Releasable | null): void {
    if (of === null || of === 'cap') this.caps.clear();
    if (of === null || of === 'layer') this.layers.clear();
    if (of === null || of === 'drive') this.drive = null;
    if (of === null || of === 'degradation-preference') this.preference = null;
  }

  get list(): InForce[] {
    const { drive, preference } = this;
    return [
      ...[...this.caps].map(
        ([encoding, maxBitrateBps]) => ({ kind: 'cap', encoding, maxBitrateBps }) as const,
      ),
      ...(drive === null ? [] : [{ kind: 'drive', ...drive } as const]),
      ...[...this.layers].map(([encoding, active]) => ({ kind: 'layer', encoding, active }) as const),
      ...(preference === null ? [] : [{ kind: 'degradation-preference', preference } as const]),
    ];
  }
}

/** Whether `name` means this encoding. The name null means every encoding. */
export const isNamed = (name: EncodingName, { rid }: Pick<Encoding, 'rid'>, index: number): boolean =>
  name === null || (typeof name === 'number' ? name === index : name === rid);

/**
 * The page's settings for an encoding, found by its rid or its position. Both stay the same unless the page
 * renegotiates.
 */
function theirsOf(theirs: Theirs, { rid }: Encoding, index: number) {
  const found = theirs.encodings.find((each) => each.rid !== undefined && each.rid === rid);
  return found ?? theirs.encodings[index];
}

/**
 * Returns the share of each encoding in a limit for all encodings together. If the page limits every encoding,
 * the shares are proportional to these limits. Otherwise, they are proportional to the widths of the encoded
 * frames.
 */
function shares(encodings: readonly Encoding[]): number[] {
  const bounds = encodings.map(({ maxBitrate = NaN }) => maxBitrate);
  const weights = bounds.every((bound) => bound > 0)
    ? bounds
    : encodings.map(({ scaleResolutionDownBy = 1 }) => 1 / scaleResolutionDownBy);
  const sum = weights.reduce((all, weight, index) => all + (encodings[index]?.active ? weight : 0), 0);
  return weights.map((weight) => (sum > 0 ? Math.min(1, weight / sum) : 1));
}

/** Returns the page's parameters with the overrides applied. */
function withOverrides(parameters: Parameters, theirs: Theirs, overrides: Overrides): Parameters {
  const own = parameters.encodings.map((encoding, index) => {
    const { maxBitrate, active } = theirsOf(theirs, encoding, index) ?? encoding;
    const changed = [...overrides.layers].findLast(([name]) => isNamed(name, encoding, index))?.[1];
    return setOrDelete({ ...encoding, active: changed ?? active ?? true }, 'maxBitrate', maxBitrate);
  });
  const share = shares(own);
  const encodings = own.map((encoding, index) => {
    const bounds = [encoding.maxBitrate ?? Infinity];
    for (const [name, bps] of overrides.caps)
      if (isNamed(name, encoding, index)) bounds.push(name === null ? bps * (share[index] ?? 1) : bps);
    if (overrides.drive !== null) bounds.push(overrides.drive.maxBitrateBps * (share[index] ?? 1));
    const bound = Math.min(...bounds);
    return bound === Infinity ? encoding : { ...encoding, maxBitrate: Math.round(bound) };
  });
  const preference = overrides.preference ?? theirs.degradationPreference;
  return setOrDelete({ ...parameters, encodings }, 'degradationPreference', preference);
}

function setOrDelete<T extends object, K extends keyof T>(object: T, key: K, value: T[K] | undefined): T {
  // For some browsers, a key with the value undefined is not the same as a missing key.
  if (value === undefined) Reflect.deleteProperty(object, key);
  else object[key] = value;
  return object;
}

const theirsIn = ({ encodings, degradationPreference }: Parameters): Theirs => ({
  encodings: encodings.map(({ rid, active, maxBitrate }) => ({
    ...(rid === undefined ? {} : { rid }),
    ...(active === undefined ? {} : { active }),
    ...(maxBitrate === undefined ? {} : { maxBitrate }),
  })),
  degradationPreference,
});

export type Change = (overrides: Overrides, encodings: readonly Encoding[]) => void;
export type Options = (encodings: readonly Encoding[]) => object;
type Get = (this: RTCRtpSender) => Parameters;
type Set = (this: RTCRtpSender, parameters: unknown, ...rest: unknown[]) => Promise<void>;

/**
 * Orders the calls of setParameters on one RTCRtpSender, so that calls by ccscope never overlap with calls by
 * the page.
 */
class Sender {
  /** The encodings as they were last set; `maxBitrate` is NaN for an encoding without a limit. */
  bounds: readonly { rid: string; maxBitrate: number }[] = [];
  /** The page's own settings; null while nothing is overridden. */
  theirs: Theirs | null = null;
  overrides = new Overrides();
  /**
   * `given` is the transactionId that the page got last. `isStale` means that ccscope has called getParameters
   * since then, so the browser no longer accepts that id.
   */
  given: unknown = null;
  isStale = false;
  /** How many setParameters calls by ccscope have not ended yet. */
  ours = 0;
  /**
   * `#all` settles when all setParameters calls so far have ended; null while there are none. `#ours` settles
   * when the latest call by ccscope, and all calls before it, have ended.
   */
  #all: Promise<unknown> | null = null;
  #ours: Promise<unknown> | null = null;

  /** Runs `work`, a setParameters call by ccscope, after all earlier calls have ended. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.ours++;
    const result = this.#after(this.#all, work).finally(() => this.ours--);
    this.#ours = this.#note(result);
    return result;
  }

  /**
   * Runs `work`, a setParameters call by the page, after all calls by ccscope have ended. As without ccscope,
   * calls by the page do not wait for each other.
   */
  afterOurs(work: () => Promise<void>): Promise<void> {
    const result = this.#after(this.ours === 0 ? null : this.#ours, work);
    void this.#note(result);
    // Returns a separate promise. If the page does not handle a rejection, the browser reports the rejection, as
    // without ccscope.
    return result.then(() => undefined);
  }

  #after(before: Promise<unknown> | null, work: () => Promise<void>): Promise<void> {
    return before === null ? work() : before.then(work);
  }

  #note(result: Promise<void>): Promise<unknown> {
    const all = Promise.allSettled([this.#all, result]);
    this.#all = all;
    void all.then(() => {
      if (this.#all === all) this.#all = null;
    });
    return all;
  }

  noteBounds(encodings: unknown): void {
    if (!Array.isArray(encodings)) return;
    this.bounds = (encodings as unknown[]).map((encoding) => {
      const { rid, maxBitrate } = fields(encoding) ?? {};
      return { rid: text(rid) ?? '', maxBitrate: typeof maxBitrate === 'number' ? maxBitrate : NaN };
    });
  }
}

export class SenderParameters {
  readonly #senders = new WeakMap<object, Sender>();
  /** Senders that have overrides, or for which an action is still running. */
  readonly #acted = new Set<RTCRtpSender>();
  readonly #get: Get;
  readonly #set: Set;

  /** Patches the methods of all senders in the window. */
  constructor() {
    const { prototype } = RTCRtpSender;
    this.#get = prototype.getParameters;
    this.#set = prototype.setParameters as Set;
    this.#patchGet(prototype);
    this.#patchSet(prototype);
    patch(
      connectionPrototype(),
      'addTransceiver',
      () => undefined,
      (_, [, init], result) => {
        this.#of((result as RTCRtpTransceiver).sender).noteBounds(fields(init)?.['sendEncodings']);
        return result;
      },
    );
  }

  #of(sender: object): Sender {
    const known = this.#senders.get(sender);
    if (known !== undefined) return known;
    const fresh = new Sender();
    this.#senders.set(sender, fresh);
    return fresh;
  }

  /**
   * The `maxBitrate` that was last set for an encoding, found by its rid or, without one, by its position; NaN if
   * unknown. This does not call getParameters, which would end the page's transaction.
   */
  boundOf(sender: RTCRtpSender, rid: string, index: number): number {
    const { bounds = [] } = this.#senders.get(sender) ?? {};
    const named = bounds.find((each) => rid !== '' && each.rid === rid);
    return (named ?? bounds[index])?.maxBitrate ?? NaN;
  }

  #patchGet(prototype: RTCRtpSender): void {
    patch(
      prototype,
      'getParameters',
      () => undefined,
      (self, _, result) => {
        const parameters = result as Parameters;
        const sender = this.#of(self);
        sender.given = parameters.transactionId;
        sender.isStale = false;
        const { theirs } = sender;
        if (theirs === null) return parameters;
        parameters.encodings.forEach((encoding, index) => {
          const { active = true, maxBitrate } = theirsOf(theirs, encoding, index) ?? encoding;
          setOrDelete(Object.assign(encoding, { active }), 'maxBitrate', maxBitrate);
        });
        return setOrDelete(parameters, 'degradationPreference', theirs.degradationPreference);
      },
    );
  }

  #patchSet(prototype: RTCRtpSender): void {
    const native = this.#set;
    const value = new Proxy(native, {
      apply: (_, self: RTCRtpSender, args: unknown[]): unknown => {
        const sender = attempt(() => (self instanceof RTCRtpSender ? this.#of(self) : undefined));
        // The page may change its object while this call waits for calls by ccscope. Therefore the object is
        // copied now.
        const copy = attempt(() => copied(args[0]));
        if (sender === undefined || copy === undefined) return Reflect.apply(native, self, args);
        return sender.afterOurs(() => this.#setTheirs(self, sender, copy, args));
      },
    });
    const descriptor = Object.getOwnPropertyDescriptor(prototype, 'setParameters');
    Object.defineProperty(prototype, 'setParameters', { ...descriptor, value });
  }

  /**
   * Passes a setParameters call by the page to the browser. The parameters are changed only if an override
   * applies, or if ccscope has ended the page's transaction.
   */
  async #setTheirs(self: RTCRtpSender, sender: Sender, copy: Parameters, args: unknown[]): Promise<void> {
    const theirs = theirsIn(copy);
    const isOurs = sender.theirs !== null;
    const set = isOurs ? withOverrides(copy, theirs, sender.overrides) : copy;
    const isOvertaken = sender.isStale && copy.transactionId === sender.given;
    if (isOvertaken) set.transactionId = this.#get.call(self).transactionId;
    const given = isOurs || isOvertaken ? [set, ...args.slice(1)] : args;
    await Reflect.apply(this.#set, self, given);
    // Each call of setParameters ends the transaction, so the browser no longer accepts the page's id.
    if (sender.given === copy.transactionId) sender.given = null;
    if (sender.theirs !== null) sender.theirs = theirs;
    sender.noteBounds(set.encodings);
  }

  /** The degradation preference that the browser keeps for a sender. */
  preferenceOf(self: RTCRtpSender): DegradationPreferenceName | undefined {
    this.#of(self).isStale = true;
    return this.#get.call(self).degradationPreference;
  }

  /** The actions on a sender that have not been undone. */
  inForce(self: RTCRtpSender): InForce[] {
    return this.#senders.get(self)?.overrides.list ?? [];
  }

  /**
   * Changes the overrides of a sender. `options` are the second argument of setParameters
   * (webrtc-extensions). If `change` throws, or the browser refuses the parameters, the promise rejects and
   * nothing changes.
   */
  async act(self: RTCRtpSender, change: Change, options?: Options): Promise<void> {
    const sender = this.#of(self);
    this.#acted.add(self);
    try {
      await sender.inTurn(() => this.#setOurs(self, sender, change, options));
    } finally {
      if (sender.ours === 0 && sender.theirs === null) this.#acted.delete(self);
    }
  }

  async #setOurs(self: RTCRtpSender, sender: Sender, change: Change, options?: Options): Promise<void> {
    try {
      const parameters = this.#get.call(self);
      const theirs = sender.theirs ?? theirsIn(parameters);
      const overrides = sender.overrides.copy();
      change(overrides, parameters.encodings);
      const set = withOverrides(parameters, theirs, overrides);
      const rest = options === undefined ? [] : [options(set.encodings)];
      await Reflect.apply(this.#set, self, [set, ...rest]);
      sender.noteBounds(set.encodings);
      sender.overrides = overrides;
      sender.theirs = overrides.list.length > 0 ? (sender.theirs ?? theirs) : null;
    } finally {
      // The call of getParameters has ended the transaction that the page had begun.
      sender.isStale = true;
    }
  }

  /** Undoes all actions on all senders. Never rejects: if a sender no longer exists, it needs no release. */
  async releaseAll(): Promise<void> {
    const released = [...this.#acted].map((sender) => this.act(sender, (each) => each.release(null)));
    await Promise.allSettled(released);
    this.#acted.clear();
  }
}

/** A copy of the parameters that the page passes; undefined if it passes something else. */
function copied(parameters: unknown): Parameters | undefined {
  const given = fields(parameters);
  const encodings = given?.['encodings'];
  if (given === null || !Array.isArray(encodings)) return undefined;
  return { ...given, encodings: encodings.map((each: Encoding) => ({ ...each })) } as Parameters;
}
