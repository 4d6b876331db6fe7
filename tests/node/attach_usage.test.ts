/** `ccscope attach`: arguments that it refuses, its help, servers that are no browser, odd names of pages. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { plain } from '../../src/text/plain.js';
import { ccscope } from './support.js';

test.each([
  [['attach', '9222x/y'], 'Expected a port such as 9222, or an address such as http://127.0.0.1:9222.'],
  [['attach', '0'], 'Expected a port such as 9222'],
  [['attach', '99999'], 'Expected a port such as 9222'],
  [['attach', 'http://127.0.0.1:9222/json'], 'Expected a port such as 9222'],
  [
    ['attach', '9222', '--adb'],
    '--adb: cannot be combined with an address, since adb finds the phone; remove the address',
  ],
  [['attach', '--list', '--record', 'x.ndjson'], '--record: cannot be used with --list; remove one of them'],
  [['attach', '--list', '--page', 'x'], '--page: cannot be used with --list; remove one of them'],
  [['attach', '--record', '-'], '--record: expected a file, got -'],
  [
    ['attach', '--record', '/nowhere/x.ndjson'],
    '/nowhere/x.ndjson: its folder cannot be written to (ENOENT)',
  ],
  [
    ['attach', '--record', 'package.json/x.ndjson'],
    'package.json/x.ndjson: its folder cannot be written to (ENOTDIR)',
  ],
  [['attach', '--record', '/dev/null'], '--record: /dev/null is not a regular file; give the path of a file'],
  [['attach', '--record', '/tmp'], '--record: /tmp is a folder; give the path of a file'],
  [['attach', '--duration', '30'], 'Expected'],
])('%j is refused', async (args, message) => {
  const { status, stdout, stderr } = await ccscope(args);
  expect(stderr).toContain(message);
  expect(status).toBe(2);
  expect(stdout).toBe('');
});

test('the help says how a browser is started, and what is left in pages', async () => {
  const { status, stdout } = await ccscope(['attach', '--help']);
  expect(status).toBe(0);
  for (const words of ['--remote-debugging-port=9222', '--user-data-dir', '--adb', 'not changed'])
    expect(stdout).toContain(words);
});

let silent: Server;
beforeAll(async () => {
  silent = createServer((_, response) => void response.writeHead(200).end('{"Browser":"\u001b[2J"}'));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
});
afterAll(() => new Promise((done) => silent.close(done)));

test('what only looks like a browser is refused', async () => {
  const { port } = silent.address() as AddressInfo;
  const { status, stderr } = await ccscope(['attach', String(port)]);
  expect(status).toBe(1);
  expect(stderr).toContain(
    `the server at http://127.0.0.1:${port} does not answer like Chromium's debugging port`,
  );
});

test('what pages call themselves cannot drive a terminal', () => {
  expect(plain('a\u001b[2Jb\nc\u202ed')).toBe('a\uFFFD[2Jb\uFFFDc\uFFFDd');
  expect(plain('x'.repeat(300))).toHaveLength(200);
});
