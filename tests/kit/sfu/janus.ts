/** Janus, from Debian's package `janus`, with one room of its videoroom plugin. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort, outputMatching } from './process.js';
import type { Unit } from './servers.js';

export interface JanusOptions {
  iceLite: boolean;
}

const ROOM = 1234;

/**
 * The folder of Janus's plugins or transports. Debian puts this folder into a folder for the machine's
 * architecture.
 */
function pluginFolder(kind: 'plugins' | 'transports'): string {
  const lib = '/usr/lib';
  for (const name of readdirSync(lib)) {
    const folder = join(lib, name, 'janus', kind);
    try {
      readdirSync(folder);
      return folder;
    } catch {
      // This folder does not contain Janus, so the next folder is tried.
    }
  }
  throw new Error('Janus is not installed: apt-get install janus');
}

function configuration(folder: string, port: number, { iceLite }: JanusOptions): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write(
    'janus.jcfg',
    `general: {
  configs_folder = "${folder}"
  plugins_folder = "${pluginFolder('plugins')}"
  transports_folder = "${pluginFolder('transports')}"
  debug_level = 4
  debug_colors = false
  server_name = "ccscope"
}
nat: { ice_lite = ${iceLite}, ice_enforce_list = "lo" }
plugins: { disable = "${without('plugins', 'libjanus_videoroom.so')}" }
transports: { disable = "${without('transports', 'libjanus_websockets.so')}" }
`,
  );
  write(
    'janus.transport.websockets.jcfg',
    `general: { ws = true, ws_port = ${port}, ws_ip = "127.0.0.1", wss = false, json = "compact" }
admin: { admin_ws = false }
`,
  );
  write(
    'janus.plugin.videoroom.jcfg',
    `room-${ROOM}: { publishers = 16, bitrate = 3000000, fir_freq = 10, videocodec = "vp8", audiocodec = "opus", record = false }
`,
  );
}

const without = (kind: 'plugins' | 'transports', kept: string): string =>
  readdirSync(pluginFolder(kind))
    .filter((name) => name.endsWith('.so') && name !== kept)
    .join(',');

/** Starts Janus on free ports. */
export async function startJanus(options: JanusOptions): Promise<Unit> {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-janus-'));
  const port = await freePort();
  configuration(folder, port, options);
  const server = spawn('janus', ['--configs-folder', folder, '--disable-colors'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => server.on('close', () => resolve()));
  await outputMatching(server, /WebSockets server started|Janus WebSockets transport plugin initialized/i);
  const url = encodeURIComponent(`ws://127.0.0.1:${port}`);
  return {
    page: (role) => `janus.html?role=${role}&server=${url}`,
    close: async () => {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
