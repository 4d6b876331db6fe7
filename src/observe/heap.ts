/**
 * Finds connections that already exist, wherever a page keeps them: Chromium's debugger finds objects by their
 * prototype, even those that cannot be reached from `window`. To do so it collects the page's garbage, once.
 */
import type { CDPSession, Frame, Page } from 'playwright-core';

/**
 * Runs a function, given as text, in each realm of the page that has connections, with an array of them as
 * `this`.
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

/** The page's own session, and one for each frame in another process. */
async function sessionsOf(page: Page): Promise<CDPSession[]> {
  const open = (of: Page | Frame) => page.context().newCDPSession(of);
  const inside = page.frames().filter((frame) => frame !== page.mainFrame());
  const sessions = [open(page), ...inside.map((frame) => open(frame))].map((session) =>
    // It fails in browsers other than Chromium, and for a frame in the page's own process.
    session.catch(() => null),
  );
  return (await Promise.all(sessions)).filter((session) => session !== null);
}

async function callInRealms(session: CDPSession, functionText: string): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const contextId of await realms(session)) {
    const { result: prototype } = await session.send('Runtime.evaluate', {
      expression: 'globalThis.RTCPeerConnection?.prototype',
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

/** The page's own realms; Playwright and extensions add others. */
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
 * Runs in the page: touches each connection. The list includes prototypes of the page's subclasses, whose
 * attributes throw.
 */
const TOUCH = `function () {
  for (const peer of this) {
    try {
      void peer.connectionState;
    } catch {}
  }
}`;

/** Touches each connection of the page, so that an observer in the page notices it. */
export async function touchConnections(page: Page): Promise<void> {
  await callOnConnections(page, TOUCH);
}

/**
 * Runs in the page: returns the state and the streams of each open connection, and nothing for prototypes (see
 * TOUCH).
 */
const DESCRIBE = `async function () {
  const describe = async (peer) => {
    if (!(peer instanceof RTCPeerConnection) || peer.signalingState === 'closed') return [];
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

/** Open connections of the page, as the page reports them: the caller must check their form. */
export async function describeConnections(page: Page): Promise<unknown[]> {
  return (await callOnConnections(page, DESCRIBE)).flat();
}
