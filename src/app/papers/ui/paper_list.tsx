/** The papers with their experiments: the time that each takes, its result, and a button that runs it. */
import { PAPERS, byPaper, type Listed } from '../../lab/papers.js';
import { sumWork, type Experiment } from '../experiment.js';
import { costText, durationText, grouped, takesText, NOTHING, runsText } from '../numbers.js';
import type { Papers } from '../papers.js';
import { PapersLink } from './papers_link.js';
import { RunButton } from './run_button.js';
import { VerdictCounts } from './verdicts.js';

export const paperTitle = (paper: string): string => PAPERS.get(paper) ?? paper;

function Outcome({ experiment }: { experiment: Experiment }) {
  const { isRunning, isComplete, done, total, reported } = experiment;
  const { runs } = total.value;
  if (isRunning.value || (reported.value !== null && !isComplete.value))
    return (
      <span class="partial">
        {grouped(done.value.runs)} of {runsText(runs)}
      </span>
    );
  if (reported.value === null) return <>{NOTHING}</>;
  const { statements, summary } = reported.value.report;
  return statements.length > 0 ? <VerdictCounts counts={summary.statements} /> : <>done, none published</>;
}

function ClaimCount({ experiment: { reported, isComplete } }: { experiment: Experiment }) {
  const claims = reported.value?.report.claims ?? [];
  if (!isComplete.value || claims.length === 0) return <>{NOTHING}</>;
  return (
    <>
      {claims.filter(({ holds }) => holds === true).length} of {claims.length}
    </>
  );
}

function Row({ papers, experiment }: { papers: Papers; experiment: Experiment }) {
  const { id, title, source } = experiment.listed;
  const { total } = experiment;
  const { runs, simulatedS } = total.value;
  return (
    <tr>
      <th scope="row">
        <PapersLink to={{ scenario: id }}>{id}</PapersLink>
      </th>
      <td class="run">
        <RunButton papers={papers} ids={[id]} name={id} />
      </td>
      <td class="what">{title}</td>
      <td class="source">{source}</td>
      <td class="takes">
        {runs === 0 ? NOTHING : `${runsText(runs)}, ${takesText(papers.estimate(total.value))}`}
        {runs > 0 && <small>simulated: {durationText(simulatedS)}</small>}
      </td>
      <td class="outcome" data-label="statements">
        <Outcome experiment={experiment} />
      </td>
      <td class="number" data-label="claims that hold">
        <ClaimCount experiment={experiment} />
      </td>
    </tr>
  );
}

/** The experiments of a paper. */
export function ExperimentTable({
  papers,
  experiments,
}: {
  papers: Papers;
  experiments: readonly Experiment[];
}) {
  const title = paperTitle(experiments[0]?.listed.paper ?? '');
  return (
    <div class="scroll" role="region" aria-label={`Experiments of ${title}`} tabIndex={0}>
      <table class="cards experiments">
        <thead>
          <tr>
            <th scope="col">experiment</th>
            <th scope="col">run</th>
            <th scope="col">what</th>
            <th scope="col">source</th>
            <th scope="col">it takes</th>
            <th scope="col">statements</th>
            <th scope="col" class="number">
              claims that hold
            </th>
          </tr>
        </thead>
        <tbody>
          {experiments.map((experiment) => (
            <Row key={experiment.id} papers={papers} experiment={experiment} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The runs of the experiments and the time that they take, once all experiments are loaded. */
export function Cost({ papers, experiments }: { papers: Papers; experiments: readonly Experiment[] }) {
  const isLoaded = experiments.every(({ plan }) => plan.value !== null);
  const work = sumWork(experiments.map(({ total }) => total.value));
  return (
    <span class="hint">
      {isLoaded ? `${costText(work)}; ${takesText(papers.estimate(work))}` : 'Loading…'}
    </span>
  );
}

function PaperSection({ papers, scenarios }: { papers: Papers; scenarios: readonly Listed[] }) {
  const paper = scenarios[0]?.paper ?? '';
  const ids = scenarios.map(({ id }) => id);
  const experiments = papers.of(ids);
  return (
    <section class="paper" aria-labelledby={`paper-${paper}`}>
      <div class="row">
        <h3 id={`paper-${paper}`}>
          <PapersLink to={{ paper }}>{paperTitle(paper)}</PapersLink>
        </h3>
        <RunButton papers={papers} ids={ids} name={paperTitle(paper)} />
        <Cost papers={papers} experiments={experiments} />
      </div>
      <ExperimentTable papers={papers} experiments={experiments} />
    </section>
  );
}

/** A section for each paper. */
export function PaperList({ papers }: { papers: Papers }) {
  const listed = [...papers.experiments.values()].map((experiment) => experiment.listed);
  return (
    <>
      {byPaper(listed).map(({ title, scenarios }) => (
        <PaperSection key={title} papers={papers} scenarios={scenarios} />
      ))}
    </>
  );
}
