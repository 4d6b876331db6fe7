import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';

import { afterAll } from 'vitest';

import { run } from '../../src/command_line/program.js';
import { withoutProgress } from '../support/progress_lines.js';

/** The results of a command line. */
export interface Outcome {
  status: number;
  stdout: string;
  /** Standard error without the lines of progress. */
  stderr: string;
}

/** Runs a command line in this process, as the installed command would. */
export async function ccscope(args: readonly string[], stdin = ''): Promise<Outcome> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const texts = [collect(stdout), collect(stderr)] as const;
  const status = await run(args, { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr });
  stdout.end();
  stderr.end();
  return { status, stdout: await texts[0], stderr: withoutProgress(await texts[1]) };
}

async function collect(stream: PassThrough): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

/** Makes a folder for the files of one test file; it is removed after its tests. */
export function scratch(): { path: (name: string) => string; write: (name: string, text: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'ccscope-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): string => {
    writeFileSync(path(name), text);
    return path(name);
  };
  return { path, write };
}

/** Parses the rows of NDJSON text. */
export function rows(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
