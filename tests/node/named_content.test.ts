/**
 * Test videos that ffmpeg generates. With a fake ffmpeg, tests when ffmpeg is called, and which files remain if
 * it fails.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { prepareSource, sourceOf } from '../../src/command_line/call/source.js';
import type { CallSource } from '../../src/command_line/call/types.js';
import { scratch } from './support.js';

const { path, write } = scratch();
const PATH = process.env['PATH'] ?? '';
let tools: string;
let noise: CallSource & { file: string };
let tests = 0;

beforeEach(() => {
  tests += 1;
  tools = path(`tools-${tests}`);
  mkdirSync(tools);
  vi.stubEnv('XDG_CACHE_HOME', path(`cache-${tests}`));
  vi.stubEnv('PATH', tools);
  const { file, ...rest } = sourceOf({ source: 'noise' });
  noise = { ...rest, file: file ?? '' };
});
afterEach(() => void vi.unstubAllEnvs());

/**
 * Installs a script as the first `ffmpeg` on the PATH. The rest of the PATH is kept, because the script's
 * shell needs it.
 */
function standIn(script: string): void {
  const program = write(`tools-${tests}/ffmpeg`, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', [tools, PATH].join(delimiter));
}

const prepare = (signal = new AbortController().signal): Promise<void> => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return prepareSource(noise, signal, { stdin, stdout, stderr });
};

const left = (): string[] => (existsSync(dirname(noise.file)) ? readdirSync(dirname(noise.file)) : []);

/** Shell code that sets `last` to the last argument, which is the file to write. */
const LAST = 'for last; do :; done';

it('asks ffmpeg once for each, and never again', async () => {
  standIn(`${LAST}; echo asked >> ${path('asked')}; echo frame=7; echo pictures > "$last"`);
  await prepare();
  await prepare();
  expect(readFileSync(path('asked'), 'utf8')).toBe('asked\n');
  expect(readFileSync(noise.file, 'utf8')).toBe('pictures\n');
  expect(left()).toHaveLength(1);
});

it('says that ffmpeg is missing, and what to do', async () => {
  await expect(prepare()).rejects.toMatchObject({
    name: 'FailedRun',
    message: expect.stringMatching(
      /^--source noise: expected ffmpeg.*apt install ffmpeg.*synthetic$/,
    ) as string,
  });
  expect(left()).toEqual([]);
});

it('leaves nothing when ffmpeg fails, and says why it did', async () => {
  standIn(`${LAST}; echo half > "$last"; echo first >&2; echo No space left on device >&2; exit 1`);
  await expect(prepare()).rejects.toThrow(
    /could not be made \(No space left on device\); see that .*sources/,
  );
  expect(left()).toEqual([]);
});

it('leaves nothing when the command is interrupted, and makes it the next time', async () => {
  standIn(`${LAST}; echo half > "$last"; echo frame=1; exec sleep 600`);
  const stop = new AbortController();
  const made = prepare(stop.signal);
  await vi.waitFor(() => expect(left()).toHaveLength(1), { timeout: 60_000 });
  expect(left()).not.toContain(noise.file);
  stop.abort(new Error('interrupted'));
  await expect(made).rejects.toThrow('interrupted');
  expect(left()).toEqual([]);
  standIn(`${LAST}; echo whole > "$last"`);
  await prepare();
  expect(readFileSync(noise.file, 'utf8')).toBe('whole\n');
});

it('removes what a killed process left, and nothing of one that is at it', async () => {
  standIn(`${LAST}; echo pictures > "$last"`);
  const { pid: ended } = spawnSync('true', { env: { PATH } });
  mkdirSync(dirname(noise.file), { recursive: true });
  const own = `${basename(noise.file)}.${process.ppid}.part`;
  for (const name of [`other.y4m.${ended}.part`, own]) writeFileSync(join(dirname(noise.file), name), 'half');
  await prepare();
  expect(left().sort()).toEqual([basename(noise.file), own].sort());
});

it('asks for no file where the page paints the pictures', async () => {
  await prepareSource(sourceOf({ source: 'synthetic' }), new AbortController().signal, {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  });
  expect(left()).toEqual([]);
});
