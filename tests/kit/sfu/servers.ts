/** Real servers for calls under test, each in its own process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildPion } from './pion.js';
import { startJanus } from './janus.js';
import { freePort, outputMatching } from './process.js';

/** A running selective forwarding unit. */
export interface Unit {
  /** The path of the page that connects to the unit in this role. `more` contains further options of the page. */
  page(role: 'publish' | 'watch' | 'both', more?: Readonly<Record<string, string | number>>): string;
  close(): Promise<void>;
}

/**
 * What a unit forwards. If `paused`, it forwards nothing. `rid` is the simulcast layer to forward; by
 * default, the highest one is forwarded. If `keyFrames` is false, the unit requests no key frames.
 */
export interface Forwarding {
  paused?: boolean;
  rid?: string | null;
  keyFrames?: boolean;
  /**
   * Only for pion: the highest rate that REMB allows publishers. 0: only the unit's own estimates limit them.
   */
  limitBps?: number;
  /** Only for pion: whether the unit sends RTCP at all. */
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

/** Starts a unit that speaks sfu.html's protocol. It must print its address as soon as it has started. */
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
  /** The name of the unit in the guide. */
  name: string;
  /** The program that the unit needs in addition to Node. */
  program: 'janus' | 'go' | 'node';
  /** Starts a unit. `by` says who connects to it: a link's relay (the default), or a page directly. */
  start(by?: 'relay' | 'page'): Promise<Unit>;
}

/**
 * With ICE-lite, werift uses the candidate pair that is nominated first. A page that connects directly might
 * nominate the pair with werift's loopback address, and werift's answers from there would not reach the page. So
 * pages do not get the loopback address.
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

/**
 * An address of this machine that a browser can reach. A loopback address is unsuitable: a browser binds each
 * socket to one interface, from which loopback cannot be reached.
 */
export const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? '127.0.0.1';

/** Starts coturn, from Debian's package `coturn`. Each session is limited to `mostBytesPerS`. */
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
