/** One experiment: its description, its duration, published and measured numbers, claims, notes and pictures. */
import { PAPERS } from '../../lab/papers.js';
import { maximumText } from '../../../papers/surface.js';
import {
  CLAIM_OUTCOMES,
  claimNumber,
  claimText,
  CURVES_KEY,
  failText,
  failureText,
} from '../../../papers/text.js';
import type { ExperimentReport, StatementReport } from '../../../papers/report.js';
import type { Experiment } from '../experiment.js';
import { costText, grouped, takesText, labLink, runsText } from '../numbers.js';
import type { Papers } from '../papers.js';
import type { Picture } from '../../../scenario/scenario.js';
import type { Reported } from '../report_service.js';
import { settings } from '../settings.js';
import { Gallery } from './gallery.js';
import { MissText, NumbersTable, OtherNumbers } from './numbers_table.js';
import { RunButton } from './run_button.js';
import { SummaryLines, VerdictBadge, VerdictKey } from './verdicts.js';

interface ExperimentSectionProps {
  papers: Papers;
  experiment: Experiment;
  /** Whether the page shows this experiment only. Then the section explains the verdicts. */
  isAlone?: boolean;
}

/** The experiment's progress, or the time that it takes. */
function StateLine({ papers, experiment }: Omit<ExperimentSectionProps, 'isAlone'>) {
  const { plan, isRunning, done, total, reported, shown, isComplete } = experiment;
  const { scenario } = plan.value ?? {};
  if (scenario === undefined) return <p class="hint">Loading…</p>;
  const { runs, simulatedS } = total.value;
  const each = scenario.duration_s;
  const takes = costText(total.value, runs * each === simulatedS ? each : undefined);
  if (isRunning.value)
    return (
      <p>
        <progress aria-label={`Runs of ${experiment.id}`} value={done.value.cost} max={total.value.cost} />{' '}
        <span>
          {grouped(done.value.runs)} of {runsText(runs)}
        </span>
      </p>
    );
  if (reported.value === null)
    return (
      <p class="hint">
        Not run yet. It takes {takes}; {takesText(papers.estimate(total.value))}.
      </p>
    );
  const { seed, cpu_seconds: seconds } = reported.value.report;
  if (!isComplete.value)
    return (
      <p>
        <b class="partial">
          {grouped(reported.value.runs)} of {runsText(runs)}
        </b>
        : it was cancelled,{' '}
        {shown.value === null
          ? 'and a map is shown when all of its points are there.'
          : 'and what follows is of these runs alone.'}{' '}
        Run goes on from there.
      </p>
    );
  return (
    <p class="hint">
      {takes}, seeds from {seed}; computed in {seconds.toFixed(1)} s of worker time.
    </p>
  );
}

function Claims({ report: { claims }, isRun }: { report: ExperimentReport; isRun: boolean }) {
  if (claims.length === 0) return null;
  return (
    <>
      <h3>What the paper states</h3>
      <ul class="claims">
        {claims.map((claim, index) => (
          <li key={claim.id}>
            <b class={claim.holds === null ? '' : claim.holds ? 'holds' : 'fails'}>
              {CLAIM_OUTCOMES[`${claim.holds}`]}
            </b>
            <div>
              {claimNumber(index)} {claim.says} ({claim.where})
              {isRun && claim.holds !== null && ` · ${claimText(claim)}`}
              {claim.test !== '' && <p class="hint">Tested: {claim.test}</p>}
              {claim.holds === false && (
                <p class="hint">
                  <MissText text={failText(claim)} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Texts({ title, texts }: { title: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

/** The largest number of failures that are listed; more would add nothing new. */
const MOST_FAILURES = 20;

function Failures({ failures }: Pick<Reported, 'failures'>) {
  if (failures.length === 0) return null;
  const more = failures.length - MOST_FAILURES;
  return (
    <section class="failures" aria-label="Runs that failed">
      <h3>{runsText(failures.length)} failed</h3>
      <ul>
        {failures.slice(0, MOST_FAILURES).map((failure) => (
          <li key={`${failure.cell} ${failure.run}`}>{failureText(failure)}</li>
        ))}
        {more > 0 && <li>and {runsText(more)} more</li>}
      </ul>
    </section>
  );
}

/** The paper's statements about a map. Each point of the map is one cell of the experiment. */
function MapStatements({
  statements,
  isComplete,
}: {
  statements: readonly StatementReport[];
  isComplete: boolean;
}) {
  return (
    <ul class="claims">
      {statements.map(({ says = '', where, verdict }) => (
        <li key={says}>
          {isComplete && <VerdictBadge verdict={verdict} />}
          <div>
            {says} ({where})
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The kinds of pictures that are drawn from the first run alone. */
const OF_FIRST_RUN: ReadonlySet<Picture['kind']> = new Set([
  'time_series',
  'cdf',
  'density',
  'kernel_density',
]);

function Results({ experiment, isAlone }: Required<Omit<ExperimentSectionProps, 'papers'>>) {
  const { plan, shown, isJudged } = experiment;
  if (plan.value === null) return null;
  const { published, scenario } = plan.value;
  const reported = shown.value;
  const isComplete = experiment.isComplete.value;
  const report = reported?.report ?? published;
  const { surface, decided_after_results: decided, notes } = report;
  return (
    <>
      {reported !== null && isComplete && isJudged.value && <SummaryLines summary={report.summary} />}
      {reported !== null && (
        <>
          <Failures failures={reported.failures} />
          {report.runs > 1 && (scenario.pictures ?? []).some(({ kind }) => OF_FIRST_RUN.has(kind)) && (
            <p>{CURVES_KEY}</p>
          )}
          <Gallery pictures={reported.pictures} experiment={{ id: report.id, seed: report.seed }} />
        </>
      )}
      <NumbersTable published={published} measured={reported?.report} isComplete={isComplete} />
      {scenario.surface !== undefined && (
        <MapStatements statements={report.statements} isComplete={isComplete} />
      )}
      {isAlone && isJudged.value && <VerdictKey />}
      {surface !== undefined && <p>The map is {maximumText(surface)}.</p>}
      {reported !== null && <OtherNumbers report={report} />}
      <Claims report={report} isRun={reported !== null} />
      <Texts title="Decided when results were known" texts={decided.length > 0 ? decided : ['Nothing.']} />
      <Texts title="Notes" texts={notes} />
    </>
  );
}

export function ExperimentSection({ papers, experiment, isAlone = false }: ExperimentSectionProps) {
  const { id, title, source, paper } = experiment.listed;
  const scenario = experiment.plan.value?.scenario;
  return (
    <section class="experiment" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="hint">
        <code>{id}</code> · {PAPERS.get(paper) ?? paper} · {source}
      </p>
      <p>{scenario?.description}</p>
      <div class="row">
        <RunButton papers={papers} ids={[id]} name={id} isMain />
        <a class="button" href={labLink(id, settings.value.theme)}>
          Open in the Lab
        </a>
        <button
          type="button"
          disabled={experiment.shown.value === null}
          onClick={() => papers.download([id])}
        >
          Download JSON
        </button>
      </div>
      <StateLine papers={papers} experiment={experiment} />
      <Results experiment={experiment} isAlone={isAlone} />
    </section>
  );
}
