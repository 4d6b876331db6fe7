import { PassThrough } from 'node:stream';

import { describe, expect, it } from 'vitest';

import type { RunContext, RunResult } from '../../../src/command_line/call/run.js';
import { FailedRun } from '../../../src/text/errors.js';
import { parseMatrix } from '../../../src/command_line/matrix/form.js';
import { matrixHtml } from '../../../src/command_line/matrix/html.js';
import { cellsOf } from '../../../src/command_line/matrix/plan.js';
import { matrixReport } from '../../../src/command_line/matrix/report.js';
import { makeReal, type Made } from '../../../src/command_line/matrix/run.js';
import { matrixText } from '../../../src/command_line/matrix/text.js';
import { cell as cellOf, SMALL } from './support.js';

const matrix = parseMatrix(SMALL);
const HEAD = {
  ...{ title: 'Two links', description: null, matrix: 'small', ccscope: '1.2.3', created: '2026-01-31' },
  ...{ runs: 2, duration_s: 42, notes: [] },
};
const quiet = { overloaded: false, share: 0, reasons: [], shaper_late_p95_ms: 0, callbacks_late_ms: 0 };

/**
 * A matrix whose runs call `make`, which may return what differs in the report on the machine. Each run is added to
 * `log` when it begins.
 */
function prepared(make: (what: string, context: RunContext) => object | undefined): {
  made: Made;
  log: string[];
} {
  const log: string[] = [];
  const cells = cellsOf({ matrix, at: 'small', folder: '/' }).map((cell) => ({
    ...cell,
    series: {
      head: cellOf({}).report,
      ...{ browser: '', runs: [], setAside: [] },
      make: (context: RunContext): Promise<RunResult> => {
        const what = `${cell.link} ${cell.controller} ${context.run}`;
        log.push(what);
        const machine = { ...quiet, source_frames_ratio: 1, ...make(what, context) };
        const [run] = cellOf({}, {}).report.runs;
        const report = { ...run, controller_faults: [], machine } as RunResult['report'];
        return Promise.resolve({ report, browser: 'Chromium 1', trace: null, html: null });
      },
    },
  }));
  return { made: { cells, failures: [] }, log };
}

const options = (signal = new AbortController().signal) => ({
  ...{ runs: 2, signal },
  io: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
});

describe('the runs of a matrix', () => {
  it('go on when one fails, which is reported', async () => {
    const { made, log } = prepared((what) => {
      if (what === 'narrow native 0') throw new FailedRun('the page gave no answer');
    });
    const given = options();
    await makeReal(made, given);
    expect(log).toEqual([
      ...['narrow gcc 0', 'narrow native 0', 'narrow gcc 1', 'narrow native 1'],
      ...['wide gcc 0', 'wide native 0', 'wide gcc 1', 'wide native 1'],
    ]);
    // Standard error is not a terminal here, so no progress bar is drawn. Instead, a line names each run when it
    // begins.
    const lines = String(given.io.stderr.read()).trimEnd().split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '1 of 8: narrow, synthetic: gcc, run 1',
      '2 of 8: narrow, synthetic: native, run 1',
      'narrow, synthetic: native, run 1 failed: the page gave no answer',
    ]);
    expect(lines).toHaveLength(9);
    const report = matrixReport(HEAD, matrix, made.cells, made.failures);
    expect(report.complete).toBe(true);
    expect(report.cells.map((cell) => cell.report.runs.length)).toEqual([2, 1, 2, 2]);
    expect(report.failures).toEqual([
      {
        link: 'narrow',
        set: null,
        source: 'synthetic',
        controller: 'native',
        run: 1,
        error: 'the page gave no answer',
      },
    ]);
    expect(report.comparisons.map(({ link }) => link)).toEqual(['narrow', 'wide']);
  });

  it('are reported where they were set aside, even if making one again fails', async () => {
    const times = new Map<string, number>();
    const { made } = prepared((what) => {
      if (!what.endsWith('gcc 0')) return undefined;
      const time = (times.get(what) ?? 0) + 1;
      times.set(what, time);
      if (time === 1) return { overloaded: true, share: 0.5, reasons: ['shaper'] };
      if (what === 'narrow gcc 0') throw new FailedRun('the browser crashed');
      return undefined;
    });
    await makeReal(made, { ...options(), runs: 1, again: 1 });
    const report = matrixReport({ ...HEAD, runs: 1 }, matrix, made.cells, made.failures);
    expect(
      report.cells.map(({ link, controller, report: { runs, set_aside: aside } }) => [
        ...[link, controller, runs.length, aside.length],
      ]),
    ).toEqual([
      ['narrow', 'gcc', 0, 1],
      ['narrow', 'native', 1, 0],
      ['wide', 'gcc', 1, 1],
      ['wide', 'native', 1, 0],
    ]);
    expect(report).toMatchObject({ complete: true, failures: [{ link: 'narrow', run: 1 }] });
    expect(report.cells[0]?.report.browser).toBe('Chromium 1');
    // Only the cell with a run has a median that can be compared.
    expect(report.comparisons.map(({ link }) => link)).toEqual(['wide']);
    const text = matrixText(report);
    expect(text).toMatch(/^narrow +synthetic +gcc \(0 of 1 runs\) +- /m);
    expect(text).toContain('2 runs on an overloaded machine set aside, in no median');
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
    expect(matrixHtml(report)).toMatch(/>\s*0 \(1 more on an overloaded machine set aside, in no median\)/);
    const quietOnes = prepared(() => undefined).made;
    await makeReal(quietOnes, { ...options(), again: 1 });
    expect(matrixText(matrixReport(HEAD, matrix, quietOnes.cells, []))).not.toContain('set aside');
  });

  it('end when it is interrupted, and what was made is reported', async () => {
    const stop = new AbortController();
    const reason = new FailedRun('interrupted');
    const { made, log } = prepared((what) => {
      if (what !== 'narrow gcc 1') return;
      stop.abort(reason);
      throw reason;
    });
    await expect(makeReal(made, options(stop.signal))).rejects.toBe(reason);
    expect(log).toHaveLength(3);
    const report = matrixReport(HEAD, matrix, made.cells, made.failures);
    expect(report.complete).toBe(false);
    expect(report.failures).toEqual([]);
    expect(report.cells.map((cell) => [cell.link, cell.controller, cell.report.runs.length])).toEqual([
      ['narrow', 'gcc', 1],
      ['narrow', 'native', 1],
    ]);
    expect(report.comparisons).toHaveLength(1);
  });
});
