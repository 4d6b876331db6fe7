import { DEFAULT_LINK_CONFIG } from '../../../src/link/link_config.js';
import { summarise } from '../../../src/command_line/call/summary.js';
import type { RunReport } from '../../../src/command_line/call/types.js';
import type { Compared } from '../../../src/command_line/matrix/form.js';
import type { CellNames } from '../../../src/command_line/matrix/plan.js';
import type { CellReport } from '../../../src/command_line/matrix/verdicts.js';

/** A matrix with only the required fields. */
export const SMALL = {
  ccscope_matrix: 1,
  title: 'Two links',
  links: [
    { name: 'narrow', capacity: '500kbps' },
    { name: 'wide', capacity: '2mbps', rtt_ms: 100 },
  ],
  controllers: [{ name: 'gcc' }, { name: 'native' }],
};

type Values = Partial<Record<Compared, number | null>>;

const run = (values: Values): RunReport =>
  ({
    utilisation: values.utilisation ?? 0.9,
    queue_delay_ms: { p50: 10, p95: values.queue_delay_p95_ms ?? 50, p99: 60 },
    drops: values.drops ?? 0,
    freeze_count: values.freeze_count === undefined ? 0 : values.freeze_count,
    controller_faults: [] as RunReport['controller_faults'],
    time_to_90pct_s: values.time_to_90pct_s === undefined ? 5 : values.time_to_90pct_s,
  }) as RunReport;

/** A cell whose runs measured these values. */
export function cell(names: Partial<CellNames>, ...runs: readonly Values[]): CellReport {
  const made = runs.map(run);
  return {
    ...{ link: 'narrow', set: null, source: 'synthetic', controller: 'gcc', ...names },
    report: {
      ...{ mode: 'control', controller: 'gcc', preset: null, parameters: {}, link: DEFAULT_LINK_CONFIG },
      ...{ duration_s: 42, browser: '', runs: made, set_aside: [], overloaded_runs: 0 },
      summary: summarise(made),
    },
  };
}
