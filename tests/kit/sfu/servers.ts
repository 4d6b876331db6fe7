/** Real servers for calls under test, each in its own process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildPion } from './pion.js';
import { startJanus } from './janus.js';
import { freePort, outputMatching } from './process.js';

/** A selective forwarding unit that runs. */
export interface Unit {
  /** The page that talks to it, for a role, with additional options of the page. */
  page(role: 'publish' | 'watch' | 'both', more?: Readonly<Record<string, string | number>>): string;
  close(): Promise<void>;
}

/**
 * What a unit forwards: nothing while paused, this simulcast layer, with or without the key frames that watchers
 * request.
 */
export interface Forwarding {
  paused?: boolean;
  rid?: string | null;
  keyFrames?: boolean;
  /** On pion: publishers are limited to this rate (REMB); 0: only to what watchers can receive. */
  limitBps?: number;
  /** On pion: whether it sends any RTCP. */
  feedback?: boolean;
}

export interface ControlledUnit extends Unit {
  control(change: Forwarding): Promise<void>;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => server.on('close', () => resolve()));
  server.kill();
  await ended;
}

/** One that speaks the protocol of sfu.html, whose address is the first line that it says. */
async function startUnit(command: string, flags: readonly string[]): Promise<ControlledUnit> {
  const server = spawn(command, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [url] = await outputMatching(server, /http:\/\/\S+/);
  return {
    page: (role, more = {}) => {
      const query = new URLSearchParams({ role, server: url });
      for (const [name, value] of Object.entries(more)) query.set(name, String(value));
      return `sfu.html?${query}`;
    },
    control: async (change) => {
      const answer = await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(change) });
      if (!answer.ok) throw new Error(`the unit answered ${answer.status}`);
    },
    close: () => stop(server),
  };
}

export const startWerift = (...flags: string[]): Promise<ControlledUnit> =>
  startUnit(process.execPath, [here('./werift.mjs'), ...flags]);

export const startPion = async (...flags: string[]): Promise<ControlledUnit> =>
  startUnit(await buildPion(), flags);

interface UnitKind {
  /** Its name in the guide. */
  name: string;
  /** The program that it needs besides Node. */
  program: 'janus' | 'go' | 'node';
  /** `by` says who speaks with it: a link's relay (the default), or pages directly. */
  start(by?: 'relay' | 'page'): Promise<Unit>;
}

/**
 * With ICE-lite werift keeps the pair that is nominated first. A page that talks to it directly may nominate the
 * loopback address, from which no answer reaches it.
 */
const startWeriftLite = (by?: 'relay' | 'page'): Promise<Unit> =>
  startWerift('--lite', ...(by === 'page' ? ['--no-loopback'] : []));

/** Every kind of server that is tested. */
export const UNITS: readonly UnitKind[] = [
  { name: 'Janus, full ICE', program: 'janus', start: () => startJanus({ iceLite: false }) },
  { name: 'Janus, ICE-lite', program: 'janus', start: () => startJanus({ iceLite: true }) },
  { name: 'werift, full ICE', program: 'node', start: () => startWerift() },
  { name: 'werift, ICE-lite', program: 'node', start: startWeriftLite },
  { name: 'pion, full ICE, candidates later', program: 'go', start: () => startPion('-late') },
  { name: 'pion, full ICE, one UDP port', program: 'go', start: () => startPion('-mux') },
  { name: 'pion, ICE-lite, one UDP port', program: 'go', start: () => startPion('-lite', '-mux') },
];

export interface TurnServer {
  url: string;
  close(): Promise<void>;
}

/** An address of this machine that sockets of any interface reach; a browser's, bound to one, do not reach loopback. */
export const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? '127.0.0.1';

/** coturn of Debian's package `coturn`. It lets no session have more than `mostBytesPerS`. */
export async function startTurn({
  address = '127.0.0.1',
  mostBytesPerS = Infinity,
} = {}): Promise<TurnServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-turn-'));
  const port = await freePort();
  const flags = ['-n', '--no-tls', '--no-dtls', '--no-cli', '--lt-cred-mech', '--allow-loopback-peers'];
  const bound = mostBytesPerS === Infinity ? [] : [`--max-bps=${mostBytesPerS}`];
  const names = [
    '--user=page:secret',
    '--realm=ccscope',
    `--listening-ip=${address}`,
    `--relay-ip=${address}`,
  ];
  const files = [
    `--userdb=${join(folder, 'users')}`,
    `--pidfile=${join(folder, 'pid')}`,
    '--log-file=stdout',
  ];
  const server = spawn('turnserver', [...flags, ...bound, ...names, ...files, `--listening-port=${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await outputMatching(server, /SQLite DB connection success/);
  return {
    url: `turn:${address}:${port}`,
    close: async () => {
      await stop(server);
      rmSync(folder, { recursive: true });
    },
  };
}
