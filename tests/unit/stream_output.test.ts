import { Writable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { streamOutput } from '../../src/command_line/io.js';

/** A stream whose writes fail with an error of this code, in a later task as those of a file do. */
const failing = (code: string): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      setImmediate(() => done(Object.assign(new Error(`${code}: write failed`), { code })));
    },
  });

describe('the output of a command', () => {
  it('rejects at its end if the last write fails', async () => {
    const output = streamOutput(failing('ENOSPC'));
    output.write('rows\n');
    await expect(output.end()).rejects.toThrow('ENOSPC');
  });

  it('ends without an error if the reader has closed the pipe', async () => {
    const output = streamOutput(failing('EPIPE'));
    output.write('rows\n');
    await output.end();
    expect(await output.ready()).toBe(false);
  });

  it('lets any number of callers wait for a full stream with one listener', async () => {
    const written: (() => void)[] = [];
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => void written.push(done),
    });
    const output = streamOutput(stream);
    output.write('rows\n');
    const waits = Array.from({ length: 20 }, () => output.ready());
    expect(stream.listenerCount('drain')).toBe(1);
    written.shift()?.();
    expect(await Promise.all(waits)).toEqual(waits.map(() => true));
    expect(stream.listenerCount('drain')).toBe(0);
  });
});
