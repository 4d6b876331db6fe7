/**
 * Finds existing connections, wherever a page keeps them. Chromium's debugger finds objects by their
 * prototype, including objects that cannot be reached from `window`. The search makes Chromium collect the
 * page's garbage.
 */
import type { CDPSession, Frame, Page } from 'playwright-core';

/**
 * Runs a function, given as text, once in each of the page's realms (global scopes) that have the class
 * RTCPeerConnection. `this` is the array of the realm's connections.
 */
async function callOnConnections(page: Page, functionText: string): Promise<unknown[]> {
  const sessions = await sessionsOf(page);
  const found = await Promise.all(
    sessions.map(async (session) => {
      try {
        return await callInRealms(session, functionText);
      } finally {
        await session.detach().catch(() => undefined);
      }
    }),
  );
  return found.flat();
}

/** A debugger session for the page, and one for each frame that runs in another process. */
async function sessionsOf(page: Page): Promise<CDPSession[]> {
  const open = (of: Page | Frame) => page.context().newCDPSession(of);
  const inside = page.frames().filter((frame) => frame !== page.mainFrame());
  const sessions = [open(page), ...inside.map((frame) => open(frame))].map((session) =>
    // newCDPSession() fails in browsers other than Chromium, and for a frame in the page's own process.
    session.catch(() => null),
  );
  return (await Promise.all(sessions)).filter((session) => session !== null);
}

/**
 * Runs in the page, and returns the browser's prototype of connections: see `connectionPrototype` in
 * src/inject/natives.ts. A class of the page with that name may have another prototype.
 */
const PROTOTYPE = `function () {
  let found;
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection'])
    for (let at = globalThis[name]?.prototype; at; at = Object.getPrototypeOf(at))
      if (Object.hasOwn(at, 'setRemoteDescription')) found = at;
  return found;
}`;

async function callInRealms(session: CDPSession, functionText: string): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const contextId of await realms(session)) {
    const { result: prototype } = await session.send('Runtime.evaluate', {
      expression: `(${PROTOTYPE})()`,
      contextId,
    });
    if (prototype.objectId === undefined) continue;
    const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: prototype.objectId });
    if (objects.objectId === undefined) continue;
    const { result } = await session.send('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: functionText,
      awaitPromise: true,
      returnByValue: true,
    });
    results.push(result.value);
  }
  return results;
}

/** The ids of the page's own realms. Omits the realms that Playwright and extensions add. */
async function realms(session: CDPSession): Promise<number[]> {
  const ids: number[] = [];
  session.on('Runtime.executionContextCreated', ({ context }) => {
    const { isDefault } = (context.auxData ?? {}) as { isDefault?: boolean };
    if (isDefault === true) ids.push(context.id);
  });
  await session.send('Runtime.enable');
  return ids;
}

/**
 * Runs in the page, and reads an attribute of each connection in the array `this`. The array also contains
 * the prototypes of the page's subclasses of RTCPeerConnection. Reading their attributes throws.
 */
const TOUCH = `function () {
  for (const peer of this) {
    try {
      void peer.connectionState;
    } catch {}
  }
}`;

/**
 * Reads an attribute of each connection of the page. The observer in the page intercepts these reads, and so
 * finds the connections.
 */
export async function touchConnections(page: Page): Promise<void> {
  await callOnConnections(page, TOUCH);
}

/** Runs in the page, and returns the state and the streams of each open connection. Skips prototypes (see TOUCH): reading their attributes throws. */
const DESCRIBE = `async function () {
  const describe = async (peer) => {
    if (peer.signalingState === 'closed') return [];
    const stats = [...(await peer.getStats()).values()];
    const streams = stats
      .filter(({ type }) => type === 'inbound-rtp' || type === 'outbound-rtp')
      .map(({ type, kind, codecId }) => ({
        direction: type === 'inbound-rtp' ? 'receive' : 'send',
        kind,
        codec: stats.find(({ id }) => id === codecId)?.mimeType ?? '',
      }));
    return [{ state: peer.connectionState, streams }];
  };
  return (await Promise.all([...this].map((peer) => describe(peer).catch(() => [])))).flat();
}`;

/**
 * Describes the open connections of the page. The page computes these values, so the caller must check their
 * types.
 */
export async function describeConnections(page: Page): Promise<unknown[]> {
  return (await callOnConnections(page, DESCRIBE)).flat();
}
