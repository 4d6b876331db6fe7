import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { cellsShown, isMeasured } from '../../../src/app/papers/numbers.js';
import { ReportService, type PlannedRun, type SentOutcome } from '../../../src/app/papers/report_service.js';
import { readScenario } from '../../../src/command_line/scenarios.js';
import { loadCore } from '../../../src/core/index.js';
import { experimentOf } from '../../../src/papers/experiment.js';
import { jobsOf } from '../../../src/papers/jobs.js';
import { parseScenario, runCell, type Scenario } from '../../../src/scenario/index.js';
import type { PackedBatches } from '../../../src/trace/index.js';
import { SimulationService } from '../../../src/worker/simulation/simulation_service.js';

const file = new URL('../../node/reproduce_scenario.json', import.meta.url);
const SMALL = parseScenario({
  ...(JSON.parse(readFileSync(file, 'utf8')) as object),
  pictures: [
    { kind: 'bars', metric: 'utilisation', group_by: 'queue', series: 'capacity' },
    { kind: 'cdf', cells: { capacity: '1mbps', queue: '*' }, table: 'rate', column: 'rtt_us' },
  ],
});

const failed: SentOutcome = { failure: { name: 'SimulationError', message: 'it broke down' } };

/** Performs a run in the same way as the page's workers. */
async function simulated(scenario: Scenario, { params, seed, trace }: PlannedRun): Promise<SentOutcome> {
  const rows: PackedBatches[] = [];
  const request = { scenario, cell: params, seed, ...(trace !== null && { trace }) };
  const ran = await new SimulationService().run(request, (progress) => void rows.push(progress.rows));
  if (!ran.ok) throw new Error(ran.problem.message);
  const { values, densities } = ran.result;
  return { result: { values, densities, rows, seconds: 1 } };
}

describe('the report on the page of papers', () => {
  it('is that of `ccscope reproduce`, pictures included, in whatever order the runs end', async () => {
    const service = new ReportService();
    const { runs } = service.open(SMALL);
    for (const [index, run] of [...runs.entries()].reverse())
      service.add(SMALL.id, index, await simulated(SMALL, run));
    const core = await loadCore();
    const ended = jobsOf(SMALL, { pictures: true }).map((job) => {
      const { trace, seed, params } = job;
      const { values, batches, densities } = runCell(
        core,
        SMALL,
        params,
        seed,
        trace === null ? {} : { trace },
      );
      const rows = trace === null ? [] : batches;
      return { job, outcome: { result: { values, trace: rows, densities, seconds: 1 } } };
    });
    const { report, cases, pictures, ...more } = service.report(SMALL.id);
    expect({ report, cases, pictures }).toEqual(experimentOf(SMALL, ended, { runs: 2, cpuSeconds: 8 }));
    expect(pictures).toHaveLength(2);
    expect(more).toEqual({ failures: [], runs: 8 });
  });

  it('has all that was published before a run, and no number', () => {
    const { runs, published } = new ReportService().open(SMALL);
    expect(runs).toHaveLength(8);
    expect(published.cells).toHaveLength(4);
    const metrics = cellsShown(published, undefined).flatMap((cell) => cell.metrics);
    expect(metrics.map(({ name }) => name)).toContain('path_queue_delay_mean_ms');
    expect(metrics.some(isMeasured)).toBe(false);
    expect(metrics.every(({ measured }) => measured.mean === null)).toBe(true);
    expect(published.claims.map(({ holds }) => holds)).toEqual([null]);
  });

  it('has what was published of a map, and no map', () => {
    const map = readScenario('ton-fig5');
    const { published } = new ReportService().open(map);
    expect(published).toMatchObject({ cells: [], statements: [{ where: 'Fig. 5, section IV' }] });
    expect(published.claims.map(({ holds, p }) => [holds, p])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(published).not.toHaveProperty('surface');
  });

  it('does not judge a map of which a part has no point, since all of its runs failed', () => {
    const service = new ReportService();
    const map = readScenario('ton-fig5');
    const { runs } = service.open(map);
    const part = map.surface?.over ?? '';
    const absent = runs[0]?.params[part];
    const ran: SentOutcome = { result: { values: new Map(), densities: new Map(), rows: [], seconds: 1 } };
    for (const [index, { params }] of runs.entries())
      service.add(map.id, index, params[part] === absent ? failed : ran);
    const { report, pictures } = service.report(map.id);
    expect(report).toMatchObject({ statements: [], summary: { statements: { off: 0 } } });
    expect(report).not.toHaveProperty('surface');
    expect(report.claims.map(({ holds }) => holds)).toEqual([null, null]);
    expect(pictures).toEqual([]);
  });

  it('of some runs is of these alone: other cells stay as published', async () => {
    const service = new ReportService();
    const { runs, published } = service.open(SMALL);
    const index = runs.findIndex(({ cell, run }) => cell === 1 && run === 0);
    service.add(SMALL.id, index, await simulated(SMALL, runs[index] as PlannedRun));
    const { report, runs: ended } = service.report(SMALL.id);
    expect(ended).toBe(1);
    expect(report.cells.map(({ params }) => params)).toEqual([runs[index]?.params]);
    const shown = cellsShown(published, report);
    expect(shown.map(({ params }) => params)).toEqual(published.cells.map(({ params }) => params));
    expect(shown.map(({ metrics }) => metrics.every(({ measured }) => measured.n === 1))).toEqual([
      false,
      true,
      false,
      false,
    ]);
    service.forget(SMALL.id);
    expect(service.report(SMALL.id)).toMatchObject({ runs: 0, report: { cells: [] } });
  });

  it('names the runs that failed, and compares the others by their seeds', async () => {
    const service = new ReportService();
    const { runs } = service.open(SMALL);
    for (const [index, run] of runs.entries())
      service.add(SMALL.id, index, index === 0 ? failed : await simulated(SMALL, run));
    const { report, failures } = service.report(SMALL.id);
    expect(failures).toMatchObject([{ experiment: 'small', run: 0, seed: 5 }]);
    expect(failures[0]?.error).toContain('it broke down');
    expect(report.cells[0]?.metrics[0]?.measured.n).toBe(1);
    expect(report.cells[1]?.metrics[0]?.measured.n).toBe(2);
    // One run failed, so only one pair of runs with equal seeds is left. One pair is too few for a statistical
    // test.
    expect(report.claims[0]).toMatchObject({ p: null });
  });
});
