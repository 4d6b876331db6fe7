/** A table of the numbers that a paper published, with the values that this run measured. */
import { metricName } from '../../../papers/metric_name.js';
import { METRICS, metricText } from '../../../scenario/metrics.js';
import type { Scenario } from '../../../scenario/scenario.js';
import type { MetricResult } from '../../../scenario/verdict.js';
import type { Run } from '../../../runs/run.js';

const VERDICTS = {
  within: 'in the band',
  ordering: 'outside of the band; what the paper claims of it holds',
  off: 'outside of the band',
};

/** Whether each cell runs only once. If a cell has several runs, a single run gets no verdict. */
const isExperiment = ({ runs = 1 }: Scenario): boolean => runs === 1;

function Row({ metric, isJudged }: { metric: MetricResult; isJudged: boolean }) {
  const { name, published = NaN, says, where, read, band, why, note, measured, verdict } = metric;
  const text = (value: number): string => metricText(name, value);
  return (
    <tr>
      <th scope="row" title={METRICS.get(name)?.description}>
        {metricName(metric)}
      </th>
      <td title={`read from ${read ?? ''}`}>
        {says ?? text(published)} <small>{where}</small>
      </td>
      <td title={why}>{band === undefined ? '' : `${text(band[0])} to ${text(band[1])}`}</td>
      <td class="number">{text(measured.mean)}</td>
      <td title={note}>
        {verdict && !isJudged && (verdict === 'within' ? 'inside' : 'outside')}
        {verdict && isJudged && (
          <span class={`verdict ${verdict}`} title={VERDICTS[verdict]}>
            {verdict}
          </span>
        )}
      </td>
    </tr>
  );
}

interface PublishedProps {
  run: Run;
  /** Why the published values are not shown. */
  withheld: string | undefined;
}

export function Published({ run, withheld }: PublishedProps) {
  const expected = (run.result?.metrics ?? []).filter(({ published }) => published !== undefined);
  if (withheld !== undefined) return <p class="hint">{withheld}</p>;
  if (expected.length === 0) return null;
  const { scenario, seed } = run;
  const isJudged = isExperiment(scenario);
  return (
    <section class="results" aria-labelledby="published-title">
      <h2 id="published-title">Published and measured</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">Published</th>
              <th scope="col">Band</th>
              <th scope="col" class="number">
                This run
              </th>
              <th scope="col">{isJudged ? 'Verdict' : 'Of the band'}</th>
            </tr>
          </thead>
          <tbody>
            {expected.map((metric, index) => (
              <Row key={index} metric={metric} isJudged={isJudged} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        A single run, seed {seed}.{' '}
        {isJudged
          ? 'Single runs scatter with the seed.'
          : `Single runs scatter: a verdict needs the mean of ${scenario.runs ?? 1} runs.`}{' '}
        <code>ccscope reproduce {scenario.id}</code> makes the whole experiment.
      </p>
    </section>
  );
}
