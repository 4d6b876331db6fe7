/**
 * `ccscope call --matrix`: arguments that it refuses, and a whole matrix of twins (simulated calls), from the
 * matrix file to the report's page.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import type { MatrixReport } from '../../src/command_line/matrix/report.js';
import { SMALL } from '../unit/matrix/support.js';
import { ccscope, scratch } from './support.js';

const { path, write } = scratch();
const execute = promisify(execFile);
const cli = fileURLToPath(new URL('../../dist/lib/command_line/cli.js', import.meta.url));

const file = (name: string, changes: object): string => write(name, JSON.stringify({ ...SMALL, ...changes }));

/** Runs the built command in a separate process, so that simulations run in workers of the built library. */
async function installed(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  try {
    return { status: 0, ...(await execute(process.execPath, [cli, 'call', ...args], { maxBuffer: 1e8 })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr };
  }
}

// Two pictures of 4x2.
write('clip.y4m', `YUV4MPEG2 W4 H2 F30:1\n${`FRAME\n${'\0'.repeat(12)}`.repeat(2)}`);

describe('ccscope call --matrix', () => {
  const small = file('small.json', {});
  it.each([
    [['--matrix', 'none'], /--matrix: none is neither the name of a matrix nor a file.*live/],
    [['--matrix', write('broken.json', '{')], /broken\.json: expected JSON/],
    [['--matrix', file('wrong.json', { runs: 'all' })], /wrong\.json\.runs: expected a number/],
    [
      ['--matrix', small, '--capacity', '1mbps'],
      /--capacity: cannot be used with --matrix, whose file describes the calls/,
    ],
    [['--matrix', small, '--controller', 'gcc'], /--controller: cannot be used with --matrix/],
    [['--matrix', small, '--source-max', '1mbps'], /--source-max: cannot be used with --matrix/],
    [['--matrix', small, '--trace', 'trace.ndjson'], /--trace: cannot be used with --matrix/],
    [['--matrix', small, '--machine', 'loaded'], /--machine: needs --twin/],
    [['--matrix', small, '--twin', '--until-quiet'], /--until-quiet: cannot be used with --twin/],
    [['--matrix', small, '--html', '-'], /--html: expected a file, got -/],
    [['--matrix', small, '--json', path('none/report.json')], /none\/report\.json: its folder/],
    [
      ['--twin', '--matrix', file('native.json', { controllers: [{ name: 'native' }] })],
      /--twin: expected a controller other than native/,
    ],
    [
      ['--twin', '--matrix', file('codec.json', { sources: [{ name: 'fractal', codec: 'vp9' }] })],
      /codec\.json\.sources\.0\.codec: expected vp8, since the twin can simulate fractal in VP8 only, got "vp9"; remove `codec`, or remove --twin/,
    ],
    [
      ['--twin', '--matrix', file('clip.json', { sources: [{ name: 'noise' }, { name: 'clip.y4m' }] })],
      /clip\.json\.sources\.1\.source: expected a source that the twin can simulate \(synthetic, .*got "clip\.y4m"; choose one of these, or remove --twin/,
    ],
  ])('refuses %j as bad usage', async (args, expected) => {
    const { status, stderr, stdout } = await ccscope(['call', ...args]);
    expect(stderr).toMatch(expected);
    expect(status).toBe(2);
    expect(stdout).toBe('');
  });

  it('simulates two controllers on two links, into one report and one page', async () => {
    const [json, html] = [path('report.json'), path('report.html')];
    const matrix = file('two.json', {
      ...{
        runs: 2,
        duration_s: 15,
        baseline: 'nada',
        controllers: [{ name: 'gcc' }, { name: 'nada' }, { name: 'native' }],
      },
      targets: [
        { metric: 'utilisation', at_least: -1 },
        { metric: 'queue_delay_p95_ms', at_most: -1000 },
        { metric: 'utilisation', over: 'links', at_least: -1 },
      ],
    });
    const { status, stdout, stderr } = await installed(
      '--matrix',
      matrix,
      '--twin',
      '--json',
      json,
      '--html',
      html,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const report = JSON.parse(readFileSync(json, 'utf8')) as MatrixReport;
    expect(report).toMatchObject({
      ...{ title: 'Two links', twin: true, machine: 'idle', runs: 2, duration_s: 15, complete: true },
      ...{ baseline: 'nada', failures: [], notes: [expect.stringMatching(/^native was left out/)] },
    });
    expect(report.cells.map(({ link, controller }) => [link, controller])).toEqual([
      ...[
        ['narrow', 'gcc'],
        ['narrow', 'nada'],
        ['wide', 'gcc'],
        ['wide', 'nada'],
      ],
    ]);
    for (const { report: one, link } of report.cells) {
      expect(one.runs).toHaveLength(2);
      expect(one.runs[0]?.utilisation).not.toBe(one.runs[1]?.utilisation);
      expect(one.summary.utilisation.median).toBeGreaterThan(link === 'narrow' ? 0.8 : 0.4);
      expect(one.summary.utilisation.median).toBeLessThan(1);
    }
    expect(
      report.comparisons.map(({ controller, verdicts }) => [controller, ...verdicts.map((v) => v.holds)]),
    ).toEqual([
      ['gcc', true, false],
      ['gcc', true, false],
    ]);
    expect(report.over_links).toMatchObject([
      {
        controller: 'gcc',
        against: 'nada',
        set: null,
        cells: 2,
        holding: [{ holds_in: 2 }, { holds_in: 0 }],
      },
    ]);
    expect(stdout).toMatch(/Two links \(twin, machine idle\)/);
    expect(stdout).toMatch(/narrow\s+synthetic\s+gcc .*queue p95$/m);
    expect(stdout).toMatch(/utilisation at least -1 in the median: holds/);
    const page = readFileSync(html, 'utf8');
    expect(page).toContain("default-src 'none'");
    expect(page.match(/data-figure=/g)).toHaveLength(4);
    expect(page).toContain('gcc beside nada');
    // With the same seeds the results must be the same, whatever the order in which the workers ran.
    const again = await installed('--matrix', matrix, '--twin', '--json', '-');
    expect((JSON.parse(again.stdout) as MatrixReport).cells).toEqual(report.cells);
  });

  it('says that nothing is compared where the baseline was left out', async () => {
    const small = { runs: 1, duration_s: 3, targets: [{ metric: 'utilisation', at_least: -1 }] };
    const controllers = [{ name: 'gcc' }, { name: 'nada' }, { name: 'native' }];
    const lost = await installed('--matrix', file('lost.json', { ...small, controllers }), '--twin');
    expect(lost.status, lost.stderr).toBe(0);
    expect(lost.stdout).toMatch(
      /^native was left out: .* so nothing is compared and no target is judged\. .*name another controller as `baseline`/m,
    );
    expect(lost.stdout).not.toMatch(/fails|holds/);
    const kept = { ...small, controllers, baseline: 'nada' };
    const judged = await installed('--matrix', file('kept.json', kept), '--twin');
    expect(judged.stdout).toMatch(/^native was left out: /m);
    expect(judged.stdout).not.toMatch(/nothing is compared/);
    expect(judged.stdout).toMatch(/ fails$/m);
  });

  it('shows a difference with the example of the guide', async () => {
    const guide = readFileSync(new URL('../../src/command_line/call/README.md', import.meta.url), 'utf8');
    const text = /<!-- example: a matrix -->\s+```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const example = JSON.parse(text) as { links: { name: string }[]; controllers: { name: string }[] };
    const matrix = write(
      'guide.json',
      JSON.stringify({
        ...example,
        ...{ runs: 1, duration_s: 20, baseline: 'gcc', sources: [{ name: 'synthetic' }], targets: [] },
        links: example.links.filter(({ name }) => name === 'step'),
        controllers: example.controllers.filter(({ name }) => name !== 'native'),
      }),
    );
    const { status, stdout, stderr } = await installed('--matrix', matrix, '--twin', '--json', '-');
    expect(status, stderr).toBe(0);
    const { cells } = JSON.parse(stdout) as MatrixReport;
    const measured = cells.map(({ report: { summary } }) => JSON.stringify(summary));
    expect(measured).toHaveLength(2);
    expect(measured[0]).not.toBe(measured[1]);
  });

  it('names a controller that failed in its runs, which then say nothing about it', async () => {
    const throws = write(
      'throws.mjs',
      'export default { name: "throws", createReceiver() { let n = 0; return { onArrival: () => (++n % 10 === 0 ? [1] : undefined) }; }, createSender() { let n = 0; return { onFeedback() { if (++n === 5) throw new Error("too much"); }, rate: () => ({ targetBps: 4e5 }) }; } };',
    );
    const controllers = [{ name: 'gcc' }, { name: 'throws', controller: throws }];
    const matrix = file('throws.json', { runs: 1, duration_s: 5, controllers });
    const { status, stdout, stderr } = await installed('--matrix', matrix, '--twin');
    expect(stderr).toContain('too much');
    expect(stdout).toContain('2 runs in which the controller failed and kept its last rate');
    expect(status).toBe(1);
  });

  it('names a run that failed, and goes on', async () => {
    const never = write(
      'breaks.mjs',
      'export default { name: "breaks", createReceiver() { process.exit(3); }, createSender() { return { onFeedback() {}, rate: () => ({ targetBps: 4e5 }) }; } };',
    );
    const controllers = [{ name: 'gcc' }, { name: 'breaks', controller: never }];
    const matrix = file('fails.json', { runs: 1, duration_s: 5, controllers });
    const { status, stdout, stderr } = await installed('--matrix', matrix, '--twin', '--json', '-');
    expect(status).toBe(1);
    expect(stderr).toMatch(/narrow, synthetic: breaks, run 1 failed: .*ended/);
    expect(stderr).toMatch(/2 runs failed/);
    const { cells, failures, complete } = JSON.parse(stdout) as MatrixReport;
    expect(complete).toBe(true);
    expect(cells.map(({ link, controller }) => [link, controller])).toEqual([
      ...[
        ['narrow', 'gcc'],
        ['wide', 'gcc'],
      ],
    ]);
    expect(failures.map(({ link, controller, run }) => [link, controller, run])).toEqual([
      ...[
        ['narrow', 'breaks', 1],
        ['wide', 'breaks', 1],
      ],
    ]);
  });
});
