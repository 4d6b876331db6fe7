import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';

import { reportSchema, type CellReport, type Report } from '../../src/papers/report.js';
import { reproduce } from '../../src/papers/reproduce.js';
import { reportText } from '../../src/papers/table.js';
import { withinCells } from '../../src/command_line/run/prepared.js';
import { readScenario } from '../../src/command_line/scenarios.js';
import { parseScenario } from '../../src/scenario/index.js';
import { withoutProgress } from '../support/progress_lines.js';
import { ccscope, scratch, type Outcome } from './support.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SMALL = fileURLToPath(new URL('reproduce_scenario.json', import.meta.url));
const { path, write } = scratch();
const execute = promisify(execFile);

// Simulations run in worker threads, which cannot load TypeScript, so the library must be built first.
beforeAll(async () => {
  const build = "await (await import('./scripts/build.mjs')).build({ app: false })";
  await execute(process.execPath, ['--input-type=module', '--eval', build], { cwd: root });
}, 180_000);

/** The built command, in a separate process. */
async function command(...args: string[]): Promise<Outcome> {
  const cli = `${root}/dist/lib/command_line/cli.js`;
  try {
    const { stdout, stderr } = await execute(process.execPath, [cli, 'reproduce', ...args], { cwd: root });
    return { status: 0, stdout, stderr: withoutProgress(stderr) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr: withoutProgress(stderr) };
  }
}

async function report(...args: string[]): Promise<Report> {
  const { status, stdout, stderr } = await command(...args, '--json', '-');
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return v.parse(reportSchema, JSON.parse(stdout));
}

/** The results in a report, without the fields that depend on the clock. */
function results({ experiments, failures, summary }: Report): unknown {
  const timeless = experiments.map(({ cpu_seconds, ...rest }) => {
    expect(cpu_seconds).toBeGreaterThan(0);
    return rest;
  });
  return { experiments: timeless, failures, summary };
}

describe('ccscope reproduce', () => {
  it('refuses two scenarios with one id, whose runs could not be told apart', async () => {
    const copy = write('copy.json', readFileSync(SMALL, 'utf8'));
    const { status, stderr } = await command(SMALL, copy, '--json', '-');
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^expected scenarios with different ids, got two with \S+; change the `id` in one/,
      ),
    ]);
  });

  it('gives the same results for any number of workers', async () => {
    const [one, two] = [await report(SMALL, '--jobs', '1'), await report(SMALL, '--jobs', '2')];
    expect(results(two)).toEqual(results(one));
  });

  it('gives each number its verdict, and counts them', async () => {
    const { experiments, summary, failures } = await report(SMALL);
    const [small] = experiments;
    const metrics = small?.cells.flatMap((cell) => cell.metrics.map((one) => ({ ...one, cell: cell.label })));
    expect(metrics?.map(({ cell, name, verdict }) => [cell, name, verdict])).toEqual([
      ['C 1 Mbps, queue 150ms', 'utilisation', 'within'],
      ['C 1 Mbps, queue 150ms', 'rtt_p50_ms', 'off'],
      ['C 1 Mbps, queue codel', 'utilisation', 'within'],
      ['C 1 Mbps, queue codel', 'path_queue_delay_mean_ms', 'ordering'],
      ['C 1 Mbps, queue codel', 'rtt_p50_ms', 'off'],
      ['C 2 Mbps, queue 150ms', 'utilisation', 'within'],
      ['C 2 Mbps, queue codel', 'utilisation', 'within'],
      ['C 2 Mbps, queue codel', 'path_queue_delay_mean_ms', 'ordering'],
    ]);
    expect(metrics?.every(({ measured }) => measured.n === 2)).toBe(true);
    expect(small?.statements.map(({ metric, verdict, numbers }) => [metric, verdict, numbers])).toEqual([
      ['utilisation', 'within', { within: 4, ordering: 0, off: 0 }],
      ['path_queue_delay_mean_ms', 'ordering', { within: 0, ordering: 2, off: 0 }],
      ['rtt_p50_ms', 'off', { within: 0, ordering: 0, off: 2 }],
    ]);
    expect(small?.claims).toMatchObject([{ id: 'deeper-queues', holds: true, cases: { hold: 2, of: 2 } }]);
    expect(small?.claims[0]?.p).toBeLessThan(0.05);
    expect(small?.decided_after_results).toHaveLength(1);
    expect([small?.runs, small?.seed]).toEqual([2, 5]);
    expect(summary).toEqual({
      statements: { within: 1, ordering: 1, off: 1 },
      numbers: { within: 4, ordering: 2, off: 2 },
      across_edge: 0,
    });
    expect(failures).toEqual([]);
  });

  it('says in the words of `ccscope run` what was published and which claims hold', async () => {
    const { stdout } = await command(SMALL);
    const ran = await ccscope(['run', SMALL, '--runs', '2']);
    const claim = /^.*\[1\] CoDel queues less.*$/m.exec(stdout)?.[0] ?? 'no claim';
    expect(ran.stdout).toContain(`  ${claim}\n`);
    for (const text of [stdout, ran.stdout])
      expect(text).toMatch(/path queue delay mean +nearly a second .*850 … 950 ms/);
  });

  it('runs some of the cells, and says which code and which command made the report', async () => {
    const { experiments, ...about } = await report(SMALL, '--cell', 'queue=codel');
    expect(experiments[0]?.cells.map(({ label }) => label)).toEqual([
      'C 1 Mbps, queue codel',
      'C 2 Mbps, queue codel',
    ]);
    expect(about.command).toBe(`ccscope reproduce ${SMALL} --cell queue=codel --json -`);
    const core = createHash('sha256')
      .update(readFileSync(`${root}/src/core/ccscope.wasm`))
      .digest('hex');
    expect(about.core_sha256).toBe(core);
    const { stdout } = await command(SMALL, '--runs', '1');
    expect(stdout).toContain(`, core ${core.slice(0, 12)}\n`);
    const map = await command('ton-fig5', '--cell', 'k_u=0.1');
    expect(map.status).toBe(2);
    expect(map.stderr).toMatch(/--cell: ton-fig5 draws a map of all of its cells/);
  });

  it('shows what was measured in a changed copy, without what the paper published', async () => {
    const original = JSON.parse(readFileSync(`${root}/public/scenarios/ton-fig10.json`, 'utf8')) as object;
    const file = write('longer.json', JSON.stringify({ ...original, duration_s: 301, runs: 1 }));
    const { stdout } = await command(file);
    expect(stdout).toMatch(/note {3}The settings differ from those of ton-fig10\./);
    expect(stdout).toContain('numbers: 0 within, 0 ordering, 0 off');
    expect(stdout).toMatch(/utilisation +\d[\d.]* %/);
  });

  it('draws a map over two axes, with all of its points where they are wanted', async () => {
    const map = JSON.parse(readFileSync(`${root}/public/scenarios/ton-fig5.json`, 'utf8')) as {
      axes: { log?: object }[];
    };
    const axes = map.axes.map((axis) =>
      'log' in axis ? { ...axis, log: { ...axis.log, count: 4, full: 5 } } : axis,
    );
    const windows = [{ name: 'measured', begin_s: 5, end_s: 20 }];
    const short = {
      ...map,
      source: 'a smaller map',
      duration_s: 20,
      windows,
      axes: [{ name: 'scenario', values: [{ name: 'one', set: {} }] }, ...axes.slice(1)],
    };
    const file = write('map.json', JSON.stringify(short));
    const [usual, full] = [await report(file), await report(file, '--full')];
    for (const [{ experiments, summary }, count] of [
      [usual, 4],
      [full, 5],
    ] as const) {
      const [experiment] = experiments;
      expect(experiment?.cells).toEqual([]);
      expect(experiment?.surface?.values).toHaveLength(count ** 2);
      expect(experiment?.surface?.values.every((value) => value !== null)).toBe(true);
      expect(experiment?.claims.map(({ id }) => id)).toEqual(['quick-up-slow-down', 'not-too-slow-down']);
      const { within, ordering, off } = summary.statements;
      expect([within + ordering + off, ordering]).toEqual([1, 0]);
    }
    const html = path('map.html');
    const { status, stdout } = await command(file, '--html', html);
    expect(status).toBe(0);
    expect(stdout).toMatch(/k_d over k_u; darker is higher/);
    expect(readFileSync(html, 'utf8')).toContain('The map is highest at k_u');
    const ran = await ccscope(['run', file]);
    expect(ran.stdout).toMatch(/highest at k_u = /);
    const part = await ccscope(['run', file, '--cell', 'k_u=0.1']);
    expect(part.stdout).toMatch(/k_u 0\.1, k_d 0\.00001 .*-?\d/);
  });

  it('measures what `ccscope run` measures with the same seed', async () => {
    const reproduced = await report(SMALL, '--runs', '1', '--seed', '9');
    const { stdout } = await ccscope(['run', SMALL, '--seed', '9', '--json', '-']);
    type Numbers = Pick<CellReport, 'metrics'> & Partial<CellReport>;
    const ran = JSON.parse(stdout) as { experiments: { cells: Numbers[] }[] };
    const numbers = ({ experiments }: typeof ran): unknown =>
      experiments[0]?.cells.map(({ metrics, others = [] }) =>
        Object.fromEntries(
          [...metrics, ...others].map(({ name, flow, measured }) => [`${name} ${flow}`, measured.mean]),
        ),
      );
    expect(numbers(reproduced)).toEqual(numbers(ran));
    expect(reproduced.experiments[0]).toMatchObject({ runs: 1, seed: 9 });
  });

  it('takes seeds one after the other: two runs are the two single ones', async () => {
    const mean = (of: Report, name: string): number =>
      of.experiments[0]?.cells[0]?.metrics.find((one) => one.name === name)?.measured.mean ?? NaN;
    const [both, first, second] = [
      await report(SMALL, '--runs', '2'),
      await report(SMALL, '--runs', '1', '--seed', '5'),
      await report(SMALL, '--runs', '1', '--seed', '6'),
    ];
    const [a, b] = [mean(first, 'utilisation'), mean(second, 'utilisation')];
    expect(a).not.toBe(b);
    expect(mean(both, 'utilisation')).toBeCloseTo((a + b) / 2, 12);
    // Student's t for one degree of freedom is 12.7062. The standard error of the mean of two values is half of
    // their difference.
    const { ci95 } = both.experiments[0]?.cells[0]?.metrics[0]?.measured ?? {};
    const half = (12.7062 * Math.abs(a - b)) / 2;
    expect((ci95?.[1] ?? NaN) - (ci95?.[0] ?? NaN)).toBeCloseTo(2 * half, 3);
  });

  it('prints published beside measured, in colours only on a terminal', async () => {
    const { status, stdout, stderr } = await command(SMALL);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^small: One media flow and one TCP flow/);
    expect(stdout).toMatch(/nearly a second +\d+\.\d+ ± \d+\.\d+ ms \(2\) +850 … 950 ms ° +ordering \[1\]\n/);
    expect(stdout).toMatch(/✓ holds +\[1\] CoDel queues less than DropTail \(2 of 2 cases, p/);
    expect(stdout).toContain('after results: The capacities were chosen when others had been tried.');
    expect(stdout).toContain(
      'statements: 1 within, 1 ordering, 1 off; numbers: 4 within, 2 ordering, 2 off · 1 experiment',
    );
    expect(stdout).not.toContain('\u001B');
    // The output explains the verdicts and the marks. It contains the reasons only with the option --why.
    expect(stdout).toMatch(/\nordering: outside the band, but what the paper says of this number/);
    expect(stdout).toMatch(/° marks a band that is wider than this rule/);
    expect(stdout).not.toMatch(/Tested: |Band: /);
    const { stdout: reasons } = await command(SMALL, '--why');
    expect(reasons).toMatch(/why {4}rtt p50 \(.*\): Band: never true \| Why it differs: Not explained\./);
    expect(reasons).toContain('Tested: path queue delay mean: below its value with queue 150ms');
  });

  it('fails with --strict where a number is off, but only then', async () => {
    const strict = await command(SMALL, '--strict', '--runs', '1');
    // With a single run, no claim can be tested. So the two numbers that are `ordering` with two runs are `off` here.
    expect([strict.status, strict.stderr]).toEqual([
      1,
      '4 numbers are rated "off"; the report shows which\n',
    ]);
  });

  it.each([
    [['--paper', 'ton'], /--paper: expected one of .*gcc-ton-2017/],
    [['--runs', '0'], /--runs.*1 to 10000/],
    [['--jobs', 'all'], /--jobs/],
    [['--html', '-', SMALL], /--html: expected a file/],
    [['--json', '/nowhere/report.json', SMALL], /\/nowhere\/report.json: its folder cannot be written to/],
    [['ton-fig99'], /ton-fig99: neither the id of a scenario nor a file/],
  ])('refuses %j', async (args, message) => {
    const { status, stdout, stderr } = await ccscope(['reproduce', ...args]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('reports runs that fail with what repeats them, and judges the others', async () => {
    const worker = new URL('./reproduce_worker.mjs', import.meta.url);
    const scenario = { ...readScenario(SMALL), seed: 99, runs: 4 };
    const { report: made } = await reproduce([scenario], { worker, threads: 2, version: '1.2.3' });
    // The fake worker (reproduce_worker.mjs) fails for the seeds 100, 101 and 102.
    expect(made.failures).toHaveLength(12);
    expect(made.failures.slice(0, 3)).toEqual([
      {
        experiment: 'small',
        cell: 'C 1 Mbps, queue 150ms',
        run: 1,
        seed: 100,
        error: 'CoreError: flows: expected at least 1',
      },
      {
        experiment: 'small',
        cell: 'C 1 Mbps, queue 150ms',
        run: 2,
        seed: 101,
        error: 'RuntimeError: unreachable',
      },
      {
        experiment: 'small',
        cell: 'C 1 Mbps, queue 150ms',
        run: 3,
        seed: 102,
        error: 'RangeError: out of memory',
      },
    ]);
    expect(made.experiments[0]?.cells).toHaveLength(4);
    expect(reportText(made, { colours: false, short: true })).toContain(
      'failed: small, C 1 Mbps, queue 150ms, run 2 (seed 101): RuntimeError: unreachable\n',
    );
    v.parse(reportSchema, JSON.parse(JSON.stringify(made)));
  });

  it('runs one of the tables of the comparison of NADA and GCC', async () => {
    const { experiments, summary, comparison } = await report('cmp-table1', '--runs', '2');
    const [table] = experiments;
    expect(table).toMatchObject({ id: 'cmp-table1', paper: 'nada-vs-gcc-2016', runs: 2 });
    expect(table?.cells.map(({ params, metrics }) => [params['controller'], metrics.length])).toEqual([
      ['gcc', 5],
      ['nada', 5],
      ['nada-text', 0],
      ['nada-rfc8698', 0],
      ['gcc-ton', 0],
    ]);
    // Two controllers have five published numbers each. There must be a verdict on each of the ten, whatever
    // the verdict is.
    const { within, ordering, off } = summary.numbers;
    expect(within + ordering + off).toBe(10);
    expect(comparison).toEqual([]);
    // The median delay must be longer than the transmission of a packet (3.9 ms at 2.5 Mbps), and shorter than
    // the delay of a full queue (300 ms).
    for (const cell of table?.cells ?? []) {
      const [delay] = [...cell.metrics, ...cell.others].filter(
        ({ name }) => name === 'owd_queue_delay_p50_ms',
      );
      expect(delay?.measured.mean).toBeGreaterThan(3.9);
      expect(delay?.measured.mean).toBeLessThan(300);
    }
  });

  it('finds as many numbers off with the rate controller that was not taken as is declared', async () => {
    const cells = ['gcc', 'nada'].map((controller) => ({ controller }));
    const tables = [1, 2, 3, 4].map((table) => readScenario(`cmp-table${table}`));
    const worker = pathToFileURL(`${root}/dist/lib/papers/worker.js`);
    const off: number[] = [];
    for (const preset of ['chromium-2015', 'cmp-2016']) {
      const scenarios = tables.map((table) => {
        const text = JSON.stringify({ ...withinCells(table, cells), cells });
        return parseScenario(JSON.parse(text.replaceAll('"cmp-2016"', `"${preset}"`)));
      });
      const { report: made } = await reproduce(scenarios, { worker, version: '1.2.3' });
      off.push(made.summary.numbers.off);
    }
    const words = off.map((count) => ['no', 'one', 'two', 'three', 'four', 'five'][count]);
    const counts = /chromium-2015\) was tried .* with it (\w+) numbers .* are off instead of (\w+)/;
    for (const { decided_after_results: decided = [] } of tables)
      expect(counts.exec(decided.join('\n'))?.slice(1)).toEqual(words);
  });

  it('compares the controllers with the numbers of their cells', async () => {
    const file = path('compared.html');
    const { experiments, comparison } = await report('rmcat-5.6', '--runs', '3', '--html', file);
    const [experiment] = experiments;
    expect(comparison.map(({ label, runs, rows }) => [label, runs, rows.map((row) => row.name)])).toEqual(
      ['queue 300 ms', 'queue 1000 ms'].map((label) => [
        label,
        3,
        ['gcc', 'nada-2015', 'nada-rfc8698', 'lcc'],
      ]),
    );
    for (const { params, columns, rows } of comparison) {
      for (const row of rows) {
        const cell = experiment?.cells.find(
          (each) => each.params['controller'] === row.name && each.params['queue'] === params['queue'],
        );
        columns.forEach(({ name, flow, window }, i) => {
          const number = cell?.others.find(
            (each) =>
              each.name === name && each.flow === flow && (each.window ?? 'run') === (window ?? 'run'),
          );
          expect(row.values[i]?.measured, `${row.name} ${name}`).toEqual(number?.measured);
        });
      }
      // The best rows of a column are the rows with the best mean. Only rows with the largest number of runs are
      // compared. If the column defines which values are better, and the means differ, there must be a best row.
      columns.forEach(({ best }, i) => {
        const values = rows.flatMap((row) => row.values[i] ?? []);
        const most = Math.max(...values.map(({ measured }) => measured.n));
        const means = values.flatMap(({ measured: { mean, n } }) =>
          n === most && mean !== null ? mean : [],
        );
        const bests = values
          .filter(({ standing }) => standing === 'best')
          .map(({ measured }) => measured.mean);
        const top = best === 'most' ? Math.max(...means) : Math.min(...means);
        expect(bests.every((mean) => mean === top)).toBe(true);
        expect(bests.length > 0).toBe(best !== undefined && new Set(means).size > 1);
      });
    }
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('GCC, NADA 2015, NADA RFC 8698, LCC beside each other');
    const { stdout } = await command('rmcat-5.6', '--runs', '3');
    expect(stdout).toMatch(/^Compared by controller: mean ± half of its 95 % interval; ★/m);
    expect(stdout.match(/^rmcat-5\.6, queue (300|1000) ms +utilisation +queuing p50/gm)).toHaveLength(2);
    expect(stdout.match(/^ {2}NADA RFC 8698 +\d+\.\d+ ± /gm)).toHaveLength(2);
  });

  it('writes a page that needs nothing else', async () => {
    const file = path('report.html');
    const { status } = await command(SMALL, '--runs', '1', '--html', file);
    expect(status).toBe(0);
    const page = readFileSync(file, 'utf8');
    expect(page.match(/(?:src|href|action)="(?!#|data:)[^"]*"|@import|url\(/g)).toBeNull();
    // Text from the scenario must not close an HTML element, neither in the page nor in its embedded data.
    expect(page).toContain('Fig. 1 &lt;/script&gt;');
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    expect(page.match(/data-figure=/g)).toHaveLength(8);
    expect(page.length).toBeLessThan(1e6);
  });
});
