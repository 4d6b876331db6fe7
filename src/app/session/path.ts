/**
 * Opens the path between the two sides of a call, over a shaped link or within the page. The other side may be in
 * another page. The two pages then exchange messages in a room (a named channel for two clients) of the local server.
 */
import type { CallOptions, PeerUfrags } from '../../rtc/index.js';
import { linkOfUrl } from '../../link/url.js';
import type { LinkRow, ToldLatenessMs } from '../../link/server_protocol.js';
import { counted } from '../../text/counted.js';
import { notify } from '../notices.js';
import { toLinkOptions } from './link_settings.js';
import { farSideAgain, linkFailed, type Cause } from './recovery.js';
import { Room } from './room.js';
import type { Running } from './running.js';
import { ServerError, type ServerClient } from './server_client.js';

export type Path = Pick<CallOptions, 'relay' | 'bottleneck' | 'signalling'>;

export interface PathListener {
  rows(rows: readonly LinkRow[]): void;
  lateness(lateness: ToldLatenessMs): void;
  /** Called when the call waits for the other page. */
  waiting(): void;
  /** Called when the path has failed for good. Returns whether the call will be started again. */
  broken(cause: Cause): boolean;
}

export function openPath(running: Running, listener: PathListener): Promise<Path> {
  return running.started.role === 'receive' ? join(running, listener) : host(running, listener);
}

async function openLink(running: Running, listener: PathListener): Promise<Path> {
  const { started: state, server } = running;
  if (!server || state.bottleneck === 'in-page') return { bottleneck: toLinkOptions(linkOfUrl(state)) };
  const { link, a, b, config } = await (state.link
    ? server.joinLink(state.link)
    : server.openLink({ ...linkOfUrl(state), origin_epoch_ms: running.originEpochMs }));
  const { origin_epoch_ms = running.originEpochMs, ...settings } = config;
  Object.assign(running, { link, originEpochMs: origin_epoch_ms, config: settings });
  server.watchLink(link, {
    rows: (rows, missing) => {
      if (running.ended) return;
      if (rows.length > 0) listener.rows(rows);
      if (missing > 0) rowsMissing(missing);
    },
    lateness: (lateness) => listener.lateness(lateness),
    error: (message) =>
      listener.broken(linkFailed(message)) ||
      notify('error', 'link', `The shaped link failed: ${message}.`, 'Start the call again.'),
  });
  // Errors are ignored here: if the link is gone, `error` or `onLost` reports that.
  const expect = (ufrags: PeerUfrags): void => void server.expectPeers(link, ufrags).catch(() => undefined);
  return { relay: { a, b, expect } };
}

function rowsMissing(count: number): void {
  const what = `${counted(count, 'row')} of the link's queue`;
  notify(
    'warning',
    'link-rows',
    `The recording is missing ${what}: this page read the local server's data too slowly.`,
    'Keep the page in the foreground, and close other programs; the call itself is not affected.',
  );
}

/** Enters the call's room at the local server, and reports that the call waits for the other page. */
async function enter(server: ServerClient, { started }: Running, listener: PathListener): Promise<Room> {
  const room = await Room.join(server, started.room);
  room.onAgain = () =>
    listener.broken(farSideAgain()) ||
    notify(
      'warning',
      'far-side-again',
      'The other page has started again too often within a minute, so this page no longer follows it.',
      'Press Stop, then Start.',
    );
  room.onSame = () =>
    notify(
      'warning',
      'far-side-same',
      `The other page of this room also ${started.role === 'send' ? 'sends' : 'receives'}, so the two never meet.`,
      'In one of the two pages, open the join link that the other copies under Share.',
    );
  room.onOther = () =>
    notify(
      'warning',
      'far-side-other',
      'The other page has started another call, which the recording of this page cannot continue.',
      'Press Stop, then Start, to take part in it.',
    );
  listener.waiting();
  return room;
}

/** Opens the path for a page that sends media to itself or, through a room, to another page. */
async function host(running: Running, listener: PathListener): Promise<Path> {
  const path = await openLink(running, listener);
  const { server, originEpochMs } = running;
  if (running.started.role !== 'send' || !server) return path;
  const room = await enter(server, running, listener);
  await room.invite({ originEpochMs, relay: path.relay ?? null });
  return { ...path, signalling: room.signalling };
}

/** Opens the path for a page that receives from another page of the room. */
async function join(running: Running, listener: PathListener): Promise<Path> {
  if (!running.server) throw new ServerError('rooms need the local server');
  const room = await enter(running.server, running, listener);
  const invitation = await room.invitation(running.isRecorded ? running.invitedEpochMs : undefined);
  running.accept(invitation);
  const { relay } = invitation;
  queueMicrotask(() => room.ready());
  return { ...(relay ? { relay } : {}), signalling: room.signalling };
}
