/** The results of `ccscope run` as CSV: one row for each metric of each cell. */
import type { ExperimentResult } from '../../scenario/index.js';
import { csv, type CsvField } from '../../text/csv.js';
import type { Provenance } from '../provenance.js';

export interface CsvExperiment {
  result: ExperimentResult;
  /** The seed of the first run. */
  seed: number;
  /** The names of the controllers that replaced the scenario's own. */
  controllers: string;
}

const finite = (value: number): CsvField => (Number.isFinite(value) ? value : undefined);

export function csvOfRuns(
  experiments: readonly CsvExperiment[],
  { ccscope, core_sha256: core }: Pick<Provenance, 'ccscope' | 'core_sha256'>,
): string {
  const cells = experiments.flatMap(({ result, ...rest }) =>
    result.cells.map((cell) => ({ ...cell, ...rest, scenario: result.id })),
  );
  const axes = [...new Set(cells.flatMap(({ params }) => Object.keys(params)))];
  const head = ['scenario', ...axes, 'metric', 'flow', 'window', 'path', 'unit'];
  const values = [
    'mean',
    'sd',
    'ci95_low',
    'ci95_high',
    'n',
    'seed',
    'controllers',
    'ccscope',
    'core_sha256',
  ];
  const rows = cells.flatMap(({ scenario, params, metrics, seed, controllers }) =>
    metrics.map(({ name, flow, window, path, unit, measured: { mean, sd, ci95, n } }): CsvField[] => [
      ...[scenario, ...axes.map((axis) => params[axis]), name, flow, window, path, unit],
      ...[mean, sd, ...ci95].map(finite),
      ...[n, seed, controllers, ccscope, core],
    ]),
  );
  return csv([[...head, ...values], ...rows]);
}
