/** A command with several outputs: one that cannot be written does not prevent the others. */
import { readFileSync, rmSync } from 'node:fs';
import { PassThrough, Readable, Writable } from 'node:stream';

import { describe, expect, it, vi } from 'vitest';

import type * as Runner from '../../src/command_line/controllers/runner.js';
import type { Made } from '../../src/command_line/matrix/run.js';
import { inTurn } from '../../src/command_line/io.js';
import { run } from '../../src/command_line/program.js';
import { SMALL } from '../unit/matrix/support.js';
import { ccscope, scratch } from './support.js';

// The workers that simulate calls need the built library. These fake ones fail, which is reported, too.
vi.mock('../../src/command_line/matrix/run.js', () => ({
  makeReal: vi.fn(),
  makeTwins: ({ failures }: Made) => {
    const names = { link: 'steady', set: null, source: 'synthetic', controller: 'gcc' };
    failures.push({ ...names, run: 1, error: 'no worker' });
    return Promise.resolve();
  },
}));

// A user's controller runs in a worker of the built library, too. The fake one counts the bytes of the trace.
vi.mock('../../src/command_line/controllers/runner.js', async (actual) => ({
  ...(await actual<typeof Runner>()),
  ControllerRunner: {
    open: () => {
      let arrivals = 0;
      const work = async ({ bytes }: { bytes?: Uint8Array | null }): Promise<object> => {
        // The closed pipe is noticed in the meantime, as it is with a real worker.
        await new Promise(setImmediate);
        arrivals += bytes?.length ?? 0;
        return { arrivals, faults: [], batches: [] };
      };
      return Promise.resolve({ name: 'mine', do: work, close: () => Promise.resolve() });
    },
  },
}));

const { path, write } = scratch();

describe('outputs that fail', () => {
  it.each([
    ['JSON', '/dev/full', path('a.html'), path('a.html'), /<html/],
    ['the page', path('b.json'), '/dev/full', path('b.json'), /"failures"/],
  ])('of a matrix leave the others: %s', async (_, json, html, written, content) => {
    const matrix = write('matrix.json', JSON.stringify(SMALL));
    const { status, stdout, stderr } = await ccscope([
      ...['call', '--twin', '--matrix', matrix, '--json', json, '--html', html],
    ]);
    expect([status, stderr]).toEqual([1, '/dev/full: cannot be written (ENOSPC)\n']);
    expect(stdout).toContain('1 run failed');
    expect(readFileSync(written, 'utf8')).toMatch(content);
  });

  it.each(['--json', '--trace'])('of a scenario leave the others: %s', async (option) => {
    const csv = path('run.csv');
    rmSync(csv, { force: true });
    const { status, stdout, stderr } = await ccscope([
      ...['run', 'ton-prop1', '--cell', 'tau=5s', '--cell', 'queue=150ms'],
      ...[option, '/dev/full', '--csv', csv],
    ]);
    expect([status, stderr]).toEqual([1, '/dev/full: cannot be written (ENOSPC)\n']);
    expect(stdout).toContain('ton-prop1');
    expect(readFileSync(csv, 'utf8')).toContain('ton-prop1');
  });

  it('are told by the first error, after the last output', async () => {
    const made: string[] = [];
    const output = (name: string, error?: Error) => (): Promise<void> => {
      made.push(name);
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    };
    const outputs = [
      output('a'),
      output('b', new Error('first')),
      output('c', new Error('second')),
      output('d'),
    ];
    await expect(inTurn(outputs)).rejects.toThrow('first');
    expect(made).toEqual(['a', 'b', 'c', 'd']);
  });
});

it('a reader of rows that leaves does not shorten the summary of a replay with a user’s controller', async () => {
  const controller = write('mine.mjs', 'export default {};');
  const json = path('summary.json');
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
  });
  const io = { stdin: Readable.from(['one', 'two', 'three'].map((text) => Buffer.from(text))), stdout };
  const args = ['replay', '-', '--controller', controller, '--format', 'csv', '--json', json];
  expect(await run(args, { ...io, stderr: new PassThrough() })).toBe(0);
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ rows: { arrival: 11 } });
});
