/**
 * Hides the page's own addresses behind the relay's address. A far side that got the real candidates could
 * send to them directly, bypassing the link. Therefore events, descriptions, offers, answers and ICE
 * transports show the page its candidates with the relay's address. The connection itself still uses the real
 * candidates.
 */
import { ownCandidateThroughRelay, ownDescriptionThroughRelay } from './candidates.js';
import { attempt } from './natives.js';
import { fields, patch, patchGetter, text } from './patch.js';
import type { RelayAddress } from './protocol.js';

/** The browser's constructors, saved because pages may wrap them. */
const { RTCIceCandidate: IceCandidate, RTCSessionDescription: SessionDescription } = globalThis;

const DESCRIPTIONS = ['localDescription', 'currentLocalDescription', 'pendingLocalDescription'];

class OwnCandidates {
  /**
   * The objects that pages were given instead of the browser's objects. They are reused as long as the content of
   * the browser's object is the same.
   */
  readonly #given = new WeakMap<object, { of: string; object: object }>();
  /**
   * The latest offer or answer of each connection: the browser's text, and the changed text that the page was
   * given.
   */
  readonly #made = new WeakMap<object, { native: string; given: string }>();

  constructor(private readonly relay: RelayAddress) {}

  patch(prototype: object): void {
    for (const name of DESCRIPTIONS) patchGetter(prototype, name, (_, value) => this.#description(value));
    patchGetter(RTCPeerConnectionIceEvent.prototype, 'candidate', (event, value) =>
      (event as Event).isTrusted ? this.#candidate(value) : value,
    );
    for (const name of ['createOffer', 'createAnswer']) this.#patchMade(prototype, name);
    patch(prototype, 'setLocalDescription', (self, [description, ...rest]) => {
      const { type, sdp } = fields(description) ?? {};
      const made = this.#made.get(self);
      return made !== undefined && sdp === made.given ? [{ type, sdp: made.native }, ...rest] : undefined;
    });
    if (typeof RTCIceTransport !== 'undefined') this.#patchTransport(RTCIceTransport.prototype);
  }

  /**
   * Patches a method that creates offers or answers. The native method either returns a promise of the result,
   * or passes the result to a callback of the page.
   */
  #patchMade(prototype: object, name: string): void {
    patch(
      prototype,
      name,
      (self, [done, ...rest]) => {
        if (typeof done !== 'function') return undefined;
        const told = (made: unknown): unknown =>
          Reflect.apply(done, undefined, [attempt(() => this.#make(self, made)) ?? made]);
        return [told, ...rest];
      },
      (self, [done], result) =>
        typeof done === 'function'
          ? result
          : (result as Promise<unknown>).then((made) => attempt(() => this.#make(self, made)) ?? made),
    );
  }

  #patchTransport(prototype: object): void {
    patch(
      prototype,
      'getLocalCandidates',
      () => undefined,
      (_self, _args, all) => (all as unknown[]).map((each) => this.#candidate(each)),
    );
    patch(
      prototype,
      'getSelectedCandidatePair',
      () => undefined,
      (_self, _args, pair) => {
        const { local, remote } = fields(pair) ?? {};
        return local === undefined ? pair : { local: this.#candidate(local), remote };
      },
    );
  }

  #make(self: object, made: unknown): unknown {
    const native = text(fields(made)?.['sdp']);
    const given = this.#description(made);
    const sdp = text(fields(given)?.['sdp']);
    if (native !== null && sdp !== null) this.#made.set(self, { native, given: sdp });
    return given;
  }

  #description(value: unknown): unknown {
    const { type, sdp } = fields(value) ?? {};
    if (value === null || typeof sdp !== 'string') return value;
    const through = ownDescriptionThroughRelay(sdp, this.relay);
    if (through === sdp) return value;
    return this.#instead(
      value as object,
      sdp,
      () => new SessionDescription({ type: type as RTCSdpType, sdp: through }),
    );
  }

  #candidate(value: unknown): unknown {
    const given = fields(value);
    const line = text(given?.['candidate']);
    if (given === null || line === null) return value;
    const through = ownCandidateThroughRelay(line, this.relay);
    if (through === line) return value;
    const { sdpMid, sdpMLineIndex, usernameFragment, relayProtocol, url } = given;
    const init = { candidate: through, sdpMid, sdpMLineIndex, usernameFragment, relayProtocol, url };
    return this.#instead(given, line, () => new IceCandidate(init as RTCIceCandidateInit));
  }

  #instead(value: object, of: string, make: () => object): object {
    const known = this.#given.get(value);
    if (known?.of === of) return known.object;
    const object = make();
    this.#given.set(value, { of, object });
    return object;
  }
}

/** Patches the prototypes through which a page reads its own candidates. The page then gets the relay's address. */
export function patchOwnCandidates(prototype: object, relay: RelayAddress): void {
  new OwnCandidates(relay).patch(prototype);
}
