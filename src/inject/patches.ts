/**
 * Patches the window's RTCPeerConnection. The patches report to the observer what the page does with its
 * connections. If there is a relay, they also replace addresses with the relay's address.
 */
import { candidateThroughRelay, descriptionThroughRelay } from './candidates.js';
import type { Endpoint } from './endpoint.js';
import { attempt } from './natives.js';
import { patchOwnCandidates } from './own_candidates.js';
import { fields, patch, text } from './patch.js';
import type { RelayAddress } from './protocol.js';

/** Returns the endpoint of a connection, even if the page created the connection before this patch. */
export type EndpointOf = (peer: RTCPeerConnection) => Endpoint;

function patchDescriptions(prototype: object, endpointOf: EndpointOf, relay: RelayAddress | null): void {
  patch(prototype, 'setRemoteDescription', (self, [description, ...rest]) => {
    const sdp = text(fields(description)?.['sdp']);
    if (sdp === null) return undefined;
    attempt(() => endpointOf(self as RTCPeerConnection).remoteDescription(sdp));
    if (relay === null) return undefined;
    return [{ type: fields(description)?.['type'], sdp: descriptionThroughRelay(sdp, relay) }, ...rest];
  });
  patch(prototype, 'addIceCandidate', (self, [candidate, ...rest]) => {
    const init = fields(candidate);
    const line = text(init?.['candidate']);
    if (init === null || line === null || line === '') return undefined;
    const { sdpMid, sdpMLineIndex, usernameFragment } = init;
    attempt(() => endpointOf(self as RTCPeerConnection).remoteCandidate(line, text(usernameFragment)));
    if (relay === null) return undefined;
    return [
      { candidate: candidateThroughRelay(line, relay), sdpMid, sdpMLineIndex, usernameFragment },
      ...rest,
    ];
  });
}

/**
 * Replaces the iceTransportPolicy 'relay' with 'all'. With 'relay', the browser would only send through TURN
 * servers, bypassing the link.
 */
export class Policies {
  readonly #relayOnly = new WeakSet();

  /** Returns the settings with the policy 'all' if their policy is 'relay'; otherwise returns them unchanged. */
  changed(configuration: unknown): unknown {
    const given = fields(configuration);
    if (given?.['iceTransportPolicy'] !== 'relay') return configuration;
    return Object.create(given, { iceTransportPolicy: { value: 'all', enumerable: true } });
  }

  /** Remembers which policy the page requested. Returns whether it was 'relay'. */
  note(peer: object, configuration: unknown): boolean {
    const asked = fields(configuration)?.['iceTransportPolicy'] === 'relay';
    if (asked) this.#relayOnly.add(peer);
    else this.#relayOnly.delete(peer);
    return asked;
  }

  patch(prototype: object, endpointOf: EndpointOf): void {
    patch(prototype, 'setConfiguration', (self, [configuration, ...rest]) => {
      if (this.note(self, configuration)) endpointOf(self as RTCPeerConnection).relayPolicy();
      return [this.changed(configuration), ...rest];
    });
    patch(
      prototype,
      'getConfiguration',
      () => undefined,
      (self, _, result) => {
        if (this.#relayOnly.has(self)) (result as RTCConfiguration).iceTransportPolicy = 'relay';
        return result;
      },
    );
  }
}

/** Replaces the constructor with a proxy, under each name that it has. `make` has to call `construct` and return its result. */
export function patchConstructor(
  native: typeof RTCPeerConnection,
  change: (configuration: unknown) => unknown,
  make: (configuration: unknown, construct: () => RTCPeerConnection) => RTCPeerConnection,
): void {
  const proxy: typeof RTCPeerConnection = new Proxy(native, {
    construct(target, args: unknown[], newTarget: unknown) {
      const changed =
        args.length === 0 ? args : [attempt(() => change(args[0])) ?? args[0], ...args.slice(1)];
      const as = newTarget === proxy ? target : (newTarget as typeof target);
      return make(args[0], () => Reflect.construct(target, changed, as) as RTCPeerConnection);
    },
  });
  const scope = globalThis as unknown as Record<string, unknown>;
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) {
    const descriptor = Object.getOwnPropertyDescriptor(scope, name);
    if (descriptor?.value === native) Object.defineProperty(scope, name, { ...descriptor, value: proxy });
  }
  const { prototype } = native;
  const own = Object.getOwnPropertyDescriptor(prototype, 'constructor');
  Object.defineProperty(prototype, 'constructor', { ...own, value: proxy });
}

export function patchPrototype(
  prototype: object,
  endpointOf: EndpointOf,
  relay: RelayAddress | null,
  policies: Policies,
): void {
  patchDescriptions(prototype, endpointOf, relay);
  if (relay !== null) {
    policies.patch(prototype, endpointOf);
    patchOwnCandidates(prototype, relay);
  }
  // Transforms are attached as soon as receivers exist: Chromium never calls a transform that is attached in a
  // later task.
  for (const name of ['addTrack', 'addTransceiver'])
    patch(
      prototype,
      name,
      () => undefined,
      (self) => endpointOf(self as RTCPeerConnection).watch(),
    );
  // The browser fires no event when the page closes a connection.
  patch(
    prototype,
    'close',
    () => undefined,
    (self) => endpointOf(self as RTCPeerConnection).look(),
  );
}
