/** `ccscope trend`: compares the latest run of tests with earlier runs. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { appendRun, readHistory, type HistoryRun } from '../../src/trend/history.js';
import type { TrendReport } from '../../src/trend/trend.js';
import { ccscope, scratch } from './support.js';

const files = scratch();
let folders = 0;

type Numbers = Readonly<Record<string, number>>;

/**
 * Writes a history of one test. An entry of `runs` contains the numbers of the test's call. The entry is null if the
 * test did not run, and a list if `repeat` made several calls.
 */
function history(runs: readonly (Numbers | readonly Numbers[] | null)[]): string {
  const folder = files.path(`history-${folders++}`);
  runs.forEach((numbers, i) => {
    const calls: Numbers[] = [numbers ?? []].flat();
    const run: HistoryRun = {
      ccscope_history: 1,
      ccscope: '0.1.0',
      created: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
      commit: `${i}`.repeat(40),
      outcome: 'passed',
      calls: calls.map((metrics, j) => ({
        ...{ test: 'a call › recovers', project: 'chromium', run: calls.length > 1 ? j + 1 : null },
        ...{ network: '1mbps', backend: 'shaper', outcome: 'passed', metrics },
      })),
    };
    appendRun(folder, run);
  });
  return folder;
}

async function trend(folder: string, ...more: string[]): Promise<TrendReport> {
  const { status, stdout, stderr } = await ccscope(['trend', folder, '--json', '-', ...more]);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as TrendReport;
}

const lineOf = ({ groups }: TrendReport, metric: string): TrendReport['groups'][number]['lines'][number] => {
  const line = groups[0]?.lines.find((one) => one.metric === metric);
  if (line === undefined) throw new Error(`no ${metric}`);
  return line;
};

const delays = (...ms: number[]): Numbers[] => ms.map((queue_delay_p95_ms) => ({ queue_delay_p95_ms }));

describe('the latest run', () => {
  it('stands beside the median and the range of those before', async () => {
    const report = await trend(history(delays(100, 110, 90, 120, 150)));
    expect(lineOf(report, 'queue_delay_p95_ms')).toEqual({
      metric: 'queue_delay_p95_ms',
      values: [100, 110, 90, 120, 150],
      ...{ latest: 150, latest_run: 4 },
      earlier: { runs: 4, median: 105, min: 90, max: 120 },
      change_ratio: 45 / 105,
      outside: 'worse',
    });
    expect(report.runs.map(({ commit }) => commit?.slice(0, 1))).toEqual(['0', '1', '2', '3', '4']);
  });

  it('is better or worse by what the number is, and neither within the range', async () => {
    const outside = async (metric: string, ...values: number[]): Promise<unknown> =>
      lineOf(await trend(history(values.map((value) => ({ [metric]: value })))), metric).outside;
    expect(await outside('utilisation', 0.8, 0.9, 0.85, 0.95)).toBe('better');
    expect(await outside('utilisation', 0.8, 0.9, 0.85, 0.79)).toBe('worse');
    expect(await outside('loss_ratio', 0.02, 0.01, 0.03, 0)).toBe('better');
    expect(await outside('loss_ratio', 0.02, 0.01, 0.03, 0.03)).toBeNull();
    // Two earlier runs are not enough to compute a range.
    expect(await outside('loss_ratio', 0.02, 0.01, 0.9)).toBeNull();
  });

  it('has no change beside nothing', async () => {
    expect(lineOf(await trend(history(delays(0, 0, 0, 5))), 'queue_delay_p95_ms').change_ratio).toBeNull();
    const alone = lineOf(await trend(history(delays(5))), 'queue_delay_p95_ms');
    expect(alone).toMatchObject({ earlier: null, change_ratio: null, outside: null });
  });
});

describe('a call that does not converge', () => {
  const good = { utilisation: 0.9, time_to_90pct_s: 3 };
  const bad = { utilisation: 0.4 };

  it('is worse than all that did', async () => {
    const report = await trend(history([good, good, good, good, bad]));
    expect(lineOf(report, 'time_to_90pct_s')).toEqual({
      metric: 'time_to_90pct_s',
      values: [3, 3, 3, 3, null],
      never_runs: [4],
      ...{ latest: null, latest_run: 4 },
      earlier: { runs: 4, median: 3, min: 3, max: 3 },
      change_ratio: null,
      outside: 'worse',
    });
    expect(lineOf(report, 'utilisation').outside).toBe('worse');
  });

  it('counts among the runs of repeat, also if one of them converged early', async () => {
    const some = [{ ...good, time_to_90pct_s: 1 }, bad, bad, bad, bad];
    const most = [good, good, good, good, bad];
    const outside = async (last: Numbers[]): Promise<unknown> =>
      lineOf(await trend(history([good, good, good, good, last])), 'time_to_90pct_s');
    expect(await outside(some)).toMatchObject({ latest: null, never_runs: [4], outside: 'worse' });
    const line = await outside(most);
    expect(line).toMatchObject({ latest: 3, outside: null });
    expect(line).not.toHaveProperty('never_runs');
  });

  it('stands among the earlier runs, too', async () => {
    const line = lineOf(await trend(history([bad, good, bad, bad, good])), 'time_to_90pct_s');
    expect(line).toMatchObject({
      ...{ values: [null, 3, null, null, 3], never_runs: [0, 2, 3], latest: 3, change_ratio: null },
      earlier: { runs: 4, median: null, min: 3, max: null },
      outside: null,
    });
    const recovered = lineOf(await trend(history([bad, bad, bad, good])), 'time_to_90pct_s');
    expect(recovered).toMatchObject({ earlier: { min: null, max: null }, latest: 3, outside: 'better' });
  });

  it('is told by its words, on the page and to those who do not see it', async () => {
    const html = files.path('never.html');
    const { stdout } = await ccscope([
      'trend',
      history([good, good, good, { ...good, time_to_90pct_s: 4 }, bad]),
      ...['--html', html],
    ]);
    expect(stdout).toContain('bars from 0, oldest first; ∞ is never\n');
    expect(stdout).toMatch(/time to 90 % +▆▆▆█∞ +3 s +never +– +worse: 3 s to 4 s before\n/);
    const page = readFileSync(html, 'utf8');
    expect(page).toMatch(/5 of 5 runs: latest never, before 3 s to 4 s\./);
    expect(page).toMatch(/time to 90 %: never, median before 3 s\s/);
    expect(page.match(/<td class="number">never<\/td>/g)).toHaveLength(1);
    // The scale ends at the longest time that was reached.
    expect(page).toMatch(/<text x="56" y="16">4 s<\/text>/);
    expect(page).toMatch(/<circle\s+cx="312\.0"\s+cy="4\.0"\s+r="4"\s+class="latest worse"/);
    expect(page.slice(page.indexOf('<main'), page.indexOf('<script'))).not.toMatch(/NaN|Infinity/);
    const better = await ccscope(['trend', history([bad, bad, bad, good])]);
    expect(better.stdout).toMatch(/time to 90 % +∞∞∞█ +never +3 s +– +better: never reached before\n/);
  });

  it('is not assumed where nothing was measured, or no call of the test has such a time', async () => {
    const missing = lineOf(await trend(history([good, good, good, good, {}])), 'time_to_90pct_s');
    expect(missing).toMatchObject({ values: [3, 3, 3, 3, null], latest: 3, latest_run: 3 });
    expect(missing).not.toHaveProperty('never_runs');
    const { groups } = await trend(history([bad, bad, bad, bad]));
    expect(groups[0]?.lines.map(({ metric }) => metric)).toEqual(['utilisation']);
    const { stdout } = await ccscope(['trend', history([bad, bad])]);
    expect(stdout).toContain('bars from 0, oldest first\n');
  });
});

it('takes the last runs, and leaves gaps where a test did not run', async () => {
  const folder = history([...delays(500, 100), null, ...delays(120, 110), null]);
  const report = await trend(folder, '--last', '5');
  expect(lineOf(report, 'queue_delay_p95_ms')).toMatchObject({
    values: [100, null, 120, 110, null],
    ...{ latest: 110, latest_run: 3, earlier: { runs: 2, median: 110, min: 100, max: 120 } },
  });
  const { stdout } = await ccscope(['trend', folder, '--last', '5']);
  expect(stdout).toContain('a call › recovers (chromium) · 1mbps');
  expect(stdout).toMatch(/queuing delay, p95 {2}▇ █▇ +110 ms +110 ms +0 % {2}not in the last run/);
});

it('takes runs of repeat as their median', async () => {
  const report = await trend(history([delays(100, 400, 120), delays(90)]));
  expect(lineOf(report, 'queue_delay_p95_ms').values).toEqual([120, 90]);
});

it('draws each number, and says it to those who do not see it', async () => {
  const html = files.path('trend.html');
  const folder = history([...delays(100, 110, 90, 150), { queue_delay_p95_ms: 95, freezes: 2 }]);
  const { status } = await ccscope(['trend', folder, '--html', html]);
  expect(status).toBe(0);
  const page = readFileSync(html, 'utf8');
  expect(
    page.match(/<svg[^>]*role="img"[^>]*aria-labelledby="chart-0-0-title chart-0-0-desc"/g),
  ).toHaveLength(1);
  expect(page).toMatch(/<title id="chart-0-0-title">queuing delay, p95<\/title>/);
  expect(page).toMatch(/5 of 5 runs: latest 95 ms, before 90 ms to 150 ms\./);
  expect(page.match(/<circle/g)).toHaveLength(6);
  expect(page.match(/<th scope="row">2026-01-0\d 00:00<\/th>/g)).toHaveLength(5);
});

it('refuses a page that cannot be written, and writes what can be', async () => {
  const folder = history(delays(100, 110));
  expect(await ccscope(['trend', folder, '--html', folder])).toEqual({
    status: 2,
    stdout: '',
    stderr: `${folder}: cannot be written (EISDIR); give the path of a file, not of a folder\n`,
  });
  const json = files.path('trend.json');
  const full = await ccscope(['trend', folder, '--html', '/dev/full', '--json', json]);
  expect([full.status, full.stderr]).toEqual([1, '/dev/full: cannot be written (ENOSPC)\n']);
  expect(full.stdout).toContain('queuing delay, p95');
  expect(JSON.parse(readFileSync(json, 'utf8'))).toHaveProperty('groups');
});

describe('a folder', () => {
  it('has a file for each run, the oldest first', () => {
    const folder = history(delays(1, 2, 3));
    expect(readdirSync(folder)).toHaveLength(3);
    expect(readHistory(folder).map(({ calls }) => calls[0]?.metrics['queue_delay_p95_ms'])).toEqual([
      1, 2, 3,
    ]);
  });

  it('that does not exist, is empty or holds something else is refused with what to do', async () => {
    expect(await ccscope(['trend', files.path('none')])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'none: cannot be read (ENOENT); give the folder of the recorded test runs',
      ) as string,
    });
    mkdirSync(files.path('empty'));
    expect(await ccscope(['trend', files.path('empty')])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected recorded test runs, got a folder without any; set') as string,
    });
    const folder = history(delays(1));
    files.write(`${folder.split('/').at(-1)}/x.json`, '{"ccscope_history":2}');
    expect(await ccscope(['trend', folder])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/x\.json\.ccscope_history: expected 1, the version/) as string,
    });
  });
});
