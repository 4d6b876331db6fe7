/** What `run` and `reproduce` report when they are interrupted. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { PassThrough, Readable } from 'node:stream';

import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { Job } from '../../src/papers/jobs.js';
import type { PoolOptions } from '../../src/papers/pool.js';
import { reportSchema } from '../../src/papers/report.js';
import { run } from '../../src/command_line/program.js';
import { withoutProgress } from '../support/progress_lines.js';
import { scratch, type Outcome } from './support.js';

// The workers need the built library. This fake pool finishes as many runs as `finished` says, and then waits as the
// real one does.
const pool = vi.hoisted(() => ({ finished: 0 }));
vi.mock('../../src/papers/pool.js', () => ({
  runJobs: async (jobs: readonly Job[], { onDone, signal }: PoolOptions) => {
    for (const job of jobs.slice(0, pool.finished)) {
      const values = new Map([['goodput_bps|call', 1e6]]);
      onDone?.(job, { result: { values, trace: [], densities: new Map(), seconds: 1 } });
    }
    process.emit('SIGINT');
    await sleep(60_000, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  },
}));

const { path, write } = scratch();

function scenario(id: string, durationS: number): string {
  return write(
    `${id}.json`,
    JSON.stringify({
      ...{ ccscope_scenario: 1, id, title: `The scenario ${id}`, description: 'One flow.' },
      ...{ duration_s: durationS, runs: 1, forward: { capacity: '1mbps' } },
      flows: [{ kind: 'media', name: 'call' }],
      metrics: [{ metric: 'goodput_bps', flow: 'call' }],
    }),
  );
}

/** Runs a command. `onOutput` is called with each piece of its standard output. */
async function ccscope(args: readonly string[], onOutput = (_: string): void => undefined): Promise<Outcome> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = { stdout: '', stderr: '' };
  stdout.on('data', (piece: Buffer) => {
    said.stdout += piece.toString();
    onOutput(piece.toString());
  });
  stderr.on('data', (piece: Buffer) => (said.stderr += piece.toString()));
  const status = await run(args, { stdin: Readable.from([]), stdout, stderr });
  return { status, stdout: said.stdout, stderr: withoutProgress(said.stderr) };
}

const json = path('report.json');
const stored = (): unknown => JSON.parse(readFileSync(json, 'utf8'));

describe('ccscope run', () => {
  it('reports the scenarios that are finished', async () => {
    const csv = path('rows.csv');
    const args = ['run', scenario('short', 1), scenario('long', 500_000), '--json', json, '--csv', csv];
    const { status, stdout, stderr } = await ccscope(args, (text) => {
      // The second scenario is running by the time of the signal.
      if (text.includes('The scenario short')) setTimeout(() => process.emit('SIGINT'), 200);
    });
    expect([status, stderr]).toEqual([1, 'interrupted\n']);
    expect(stdout).not.toContain('The scenario long');
    expect(stored()).toMatchObject({ complete: false, experiments: [{ id: 'short' }] });
    expect(readFileSync(csv, 'utf8')).toContain('short');
    expect(readFileSync(csv, 'utf8')).not.toContain('long');
  });

  it('says that a report is complete', async () => {
    expect(await ccscope(['run', scenario('short', 1), '--json', json])).toMatchObject({ status: 0 });
    expect(stored()).toMatchObject({ complete: true });
  });

  it('writes nothing before the first run is finished', async () => {
    const early = path('early.json');
    setTimeout(() => process.emit('SIGINT'), 1000);
    const { status, stdout, stderr } = await ccscope(['run', scenario('long', 500_000), '--json', early]);
    expect([status, stdout, stderr]).toEqual([1, '', 'interrupted\n']);
    expect(existsSync(early)).toBe(false);
  });
});

describe('ccscope reproduce', () => {
  beforeEach(() => {
    pool.finished = 1;
  });

  it('reports the runs that are finished', async () => {
    const html = path('report.html');
    const args = [
      'reproduce',
      scenario('short', 1),
      scenario('long', 500_000),
      '--json',
      json,
      '--html',
      html,
    ];
    const { status, stdout, stderr } = await ccscope(args);
    expect([status, stderr]).toEqual([1, 'interrupted\n']);
    expect(stdout).toContain('interrupted: these are the runs that were made');
    const report = v.parse(reportSchema, stored());
    expect(report.complete).toBe(false);
    expect(report.experiments.map(({ id, runs }) => [id, runs])).toEqual([['short', 1]]);
    expect(readFileSync(html, 'utf8')).toContain('Interrupted: these are the runs that were made.');
  });

  it('does not judge a map that misses points', async () => {
    const html = path('map.html');
    const { status, stdout } = await ccscope(['reproduce', 'ton-fig5', '--json', json, '--html', html]);
    expect(status).toBe(1);
    const { experiments } = v.parse(reportSchema, stored());
    expect(experiments).toMatchObject([{ id: 'ton-fig5', cells: [], statements: [] }]);
    expect(experiments[0]).not.toHaveProperty('surface');
    expect(experiments[0]?.claims.map(({ holds, cases }) => [holds, cases.of])).toEqual([
      [null, 0],
      [null, 0],
    ]);
    expect(stdout).toContain('– not run');
    expect(stdout).not.toContain('NaN');
    expect(readFileSync(html, 'utf8').includes('The map is highest')).toBe(false);
  });

  it('writes nothing before the first run is finished', async () => {
    pool.finished = 0;
    const early = path('early.json');
    const { status, stdout, stderr } = await ccscope(['reproduce', scenario('long', 1), '--json', early]);
    expect([status, stdout, stderr]).toEqual([1, '', 'interrupted\n']);
    expect(existsSync(early)).toBe(false);
  });
});
