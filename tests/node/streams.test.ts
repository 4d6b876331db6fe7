/**
 * How a command ends if its output cannot be written, because the reader has closed the pipe or the disk is
 * full.
 */
import { PassThrough, Readable, Writable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { run } from '../../src/command_line/program.js';
import { scratch } from './support.js';

const { path } = scratch();

/** Runs a command line. Every write to its standard output fails with this error code. */
async function withFailing(
  code: string,
  args: readonly string[],
): Promise<{ status: number; stderr: string }> {
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code })),
  });
  const stderr = new PassThrough();
  let said = '';
  stderr.on('data', (text: Buffer) => (said += text.toString()));
  const status = await run(args, { stdin: Readable.from([]), stdout, stderr });
  return { status, stderr: said };
}

describe('a reader that has left', () => {
  it.each([
    ['--help', ['--help']],
    ['a list', ['run', '--list']],
    ['JSON', ['shape', '--duration', '1ms', '--json', '-']],
    ['reports', ['shape', '--duration', '1ms']],
  ])('does not make a command fail that writes %s', async (_, args) => {
    expect(await withFailing('EPIPE', args)).toMatchObject({ status: 0 });
  });

  it('ends a shaper that nobody else would end', async () => {
    const json = path('shape.json');
    expect(await withFailing('EPIPE', ['shape', '--json', json])).toEqual({ status: 0, stderr: '' });
  });
});

it('a disk that is full is no reader that has left', async () => {
  expect(await withFailing('ENOSPC', ['run', '--list'])).toEqual({
    status: 1,
    stderr: 'standard output cannot be written (ENOSPC)\n',
  });
});
