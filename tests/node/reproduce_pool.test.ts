import { expect, test } from 'vitest';

import { estimatedCost, jobsOf, type Job, type RunOutcome } from '../../src/papers/jobs.js';
import { runJobs } from '../../src/papers/pool.js';
import type { Scenario } from '../../src/scenario/index.js';

const worker = new URL('./reproduce_worker.mjs', import.meta.url);
const [REFUSED, TRAPPED, THROWS, NEVER_ENDS, EXITS, FAILS_ASIDE] = [100, 101, 102, 103, 104, 105];

const scenario: Scenario = {
  ccscope_scenario: 1,
  id: 'small',
  title: 'A small scenario',
  description: 'Two capacities, two queues.',
  duration_s: 10,
  seed: 40,
  runs: 2,
  forward: { capacity: '1mbps' },
  flows: [{ kind: 'media', name: 'gcc' }],
  axes: [
    {
      name: 'capacity',
      values: [
        { name: '1mbps', set: { 'forward.capacity': '1mbps' } },
        { name: '2mbps', set: { 'forward.capacity': '2mbps' } },
      ],
    },
    {
      name: 'queue',
      values: [
        { name: '150ms', set: { 'forward.queue': 'droptail:150ms' } },
        { name: '350ms', set: { 'forward.queue': 'droptail:350ms' } },
      ],
    },
  ],
  pictures: [{ kind: 'cdf', cells: { capacity: '1mbps', queue: '*' }, table: 'rate', column: 'rtt_us' }],
};

const job = (seed: number, cost = 1): Job => ({
  scenario,
  params: {},
  cell: 0,
  run: seed,
  seed,
  trace: null,
  durationUs: 1e6,
  cost,
});
const valueOf = (outcome: RunOutcome, name: string): unknown =>
  'result' in outcome ? outcome.result.values.get(name) : outcome.failure;
const seedOf = (outcome: RunOutcome): unknown => valueOf(outcome, 'seed');

test.each([1, 2, 3])('outcomes are in the order of the jobs with %i workers', async (threads) => {
  const jobs = Array.from({ length: 12 }, (_, seed) => job(seed));
  const outcomes = await runJobs(jobs, { worker, threads });
  expect(outcomes.map(seedOf)).toEqual(jobs.map((_, seed) => seed));
  expect(new Set(outcomes.map((outcome) => valueOf(outcome, 'thread'))).size).toBe(threads);
});

test('costly jobs begin first', async () => {
  const ended: number[] = [];
  const jobs = [job(1, 1), job(2, 5), job(3, 3), job(4, 5)];
  await runJobs(jobs, { worker, threads: 1, onDone: ({ run }) => ended.push(run) });
  expect(ended).toEqual([2, 4, 3, 1]);
});

test('a job that fails is an outcome, and the others go on', async () => {
  const seeds = [1, REFUSED, 2, TRAPPED, THROWS, 3];
  const outcomes = await runJobs(
    seeds.map((seed) => job(seed)),
    { worker, threads: 2 },
  );
  expect(outcomes.map(seedOf)).toEqual([
    1,
    { name: 'CoreError', message: 'flows: expected at least 1' },
    2,
    { name: 'RuntimeError', message: 'unreachable' },
    { name: 'RangeError', message: 'out of memory' },
    3,
  ]);
});

test.each([1, 2])(
  'a thread that ends fails its job, and the others go on, with %i workers',
  async (threads) => {
    const jobs = [1, EXITS, 2, FAILS_ASIDE, EXITS, 3].map((seed, i) => job(seed, 6 - i));
    const exited = { name: 'Error', message: 'the thread of this run ended with exit code 3' };
    expect((await runJobs(jobs, { worker, threads })).map(seedOf)).toEqual([
      1,
      exited,
      2,
      { name: 'Error', message: 'out of luck' },
      exited,
      3,
    ]);
  },
);

test('an abort ends what runs and what waits', async () => {
  const stop = new AbortController();
  const reason = new Error('interrupted');
  const jobs = [job(1, 3), job(NEVER_ENDS, 2), job(NEVER_ENDS, 2), job(4)];
  const ended = runJobs(jobs, {
    worker,
    threads: 2,
    signal: stop.signal,
    onDone: () => stop.abort(reason),
  });
  await expect(ended).rejects.toBe(reason);
  await expect(runJobs(jobs, { worker, signal: stop.signal })).rejects.toBe(reason);
});

test('no jobs, no workers', async () => {
  expect(await runJobs([], { worker: new URL('file:///nowhere.mjs') })).toEqual([]);
});

test('jobs are all runs of all cells; run i has the seed plus i in every cell', () => {
  const jobs = jobsOf(scenario);
  expect(
    jobs.map(({ params, cell, run, seed }) => [params['capacity'], params['queue'], cell, run, seed]),
  ).toEqual([
    ['1mbps', '150ms', 0, 0, 40],
    ['1mbps', '150ms', 0, 1, 41],
    ['1mbps', '350ms', 1, 0, 40],
    ['1mbps', '350ms', 1, 1, 41],
    ['2mbps', '150ms', 2, 0, 40],
    ['2mbps', '150ms', 2, 1, 41],
    ['2mbps', '350ms', 3, 0, 40],
    ['2mbps', '350ms', 3, 1, 41],
  ]);
  expect(jobsOf(scenario, { runs: 3, seed: 7 }).map(({ seed }) => seed)).toEqual(
    Array.from({ length: 4 }, () => [7, 8, 9]).flat(),
  );
  expect(jobs[4]?.cost).toBeGreaterThan(jobs[0]?.cost ?? NaN);
});

test('only the first run of a cell that a picture shows is recorded', () => {
  const traced = jobsOf(scenario, { pictures: true }).filter(({ trace }) => trace !== null);
  expect(traced.map(({ cell, run }) => [cell, run])).toEqual([
    [0, 0],
    [1, 0],
  ]);
  expect(traced[0]?.trace).toEqual({ tables: ['rate'], intervalUs: 200_000 });
  expect(jobsOf(scenario).every(({ trace }) => trace === null)).toBe(true);
});

test('the estimated cost follows time, capacity and flows', () => {
  const options = { durationUs: 100e6, forward: { capacityBps: 1_200_000 }, flows: [] };
  // 1.2 Mbps is 100 packets of 1500 bytes per second.
  expect(estimatedCost(options)).toBe(10_000);
  expect(estimatedCost({ ...options, durationUs: 300e6 })).toBe(30_000);
  expect(estimatedCost({ ...options, forward: { capacityBps: 12_000_000 } })).toBe(100_000);
  const flow = { kind: 'media' as const };
  expect(estimatedCost({ ...options, flows: [flow, flow] })).toBeGreaterThan(10_000);
});
