/** The papers page: a list of all papers, one paper with its experiments in full, or one experiment. */
import { useEffect, useMemo } from 'preact/hooks';

import { REPORT_KEY } from '../../../papers/text.js';
import { sumSummaries } from '../../../papers/report.js';
import { registry } from '../../lab/registry.js';
import { notices } from '../../notices.js';
import { CopyButton } from '../../ui/copy_button.js';
import { printReport } from '../../print.js';
import { NoticesList } from '../../ui/notices_list.js';
import { PageHeader } from '../../ui/page_header.js';
import { ReportHead } from '../../ui/report_head.js';
import { durationText, grouped, runsText } from '../numbers.js';
import type { Papers } from '../papers.js';
import { change, linkTo, problems, settings } from '../settings.js';
import { shownIds } from '../state.js';
import { Comparison } from './comparison.js';
import { ExperimentSection } from './experiment_section.js';
import { Cost, ExperimentTable, PaperList, paperTitle } from './paper_list.js';
import { PapersLink } from './papers_link.js';
import { RunButton } from './run_button.js';
import { SummaryLines, VerdictKey } from './verdicts.js';

const ENDS = {
  '': 'Ready',
  done: 'Done',
  partly: 'Partly done',
  cancelled: 'Cancelled',
  failed: 'Failed',
} as const;

function Header({ papers }: { papers: Papers }) {
  const { paper, scenario, theme } = settings.value;
  const progress = papers.progress.value;
  return (
    <PageHeader
      page="papers"
      theme={theme}
      onTheme={(next) => change({ theme: next })}
      action={
        progress !== null && (
          <button type="button" class="stop" onClick={() => papers.cancelAll()}>
            Cancel all
          </button>
        )
      }
    >
      {(paper !== '' || scenario !== '') && <PapersLink to={{}}>All papers</PapersLink>}
      <p class={`phase${progress === null ? '' : ' connected'}`} role="status">
        {progress === null ? ENDS[papers.lastEnd.value] : 'Running'}
      </p>
      {progress !== null && (
        <>
          <progress aria-label="All that runs" value={progress.share} />
          <span>
            {grouped(progress.runs)} of {runsText(progress.of)}
            {progress.toGoS !== null && `, about ${durationText(progress.toGoS)} to go`}
          </span>
        </>
      )}
    </PageHeader>
  );
}

/**
 * The total count of each verdict, over all shown experiments that are complete. It is shown even if none is complete,
 * so that nothing below it moves when the first result arrives.
 */
function Together({ papers, ids }: { papers: Papers; ids: readonly string[] }) {
  const experiments = papers.of(ids);
  const complete = experiments.filter(({ isComplete }) => isComplete.value);
  const summaries = complete.flatMap(({ reported }) => reported.value?.report.summary ?? []);
  return (
    <section aria-label="Together">
      <p>
        {complete.length} of {ids.length} experiments have been run.
      </p>
      {experiments.some(({ isJudged }) => isJudged.value) && (
        <>
          <SummaryLines summary={sumSummaries(summaries)} />
          <VerdictKey />
        </>
      )}
    </section>
  );
}

function Actions({ papers, ids, name }: { papers: Papers; ids: readonly string[]; name: string }) {
  const experiments = papers.of(ids);
  const isShown = experiments.some(({ shown }) => shown.value !== null);
  return (
    <div class="row">
      <RunButton papers={papers} ids={ids} name={name} isMain />
      <button type="button" disabled={!isShown} onClick={() => papers.download(ids)}>
        Download JSON
      </button>
      <CopyButton text={() => linkTo(settings.peek())}>Copy a link to this view</CopyButton>
      <button type="button" onClick={printReport}>
        Print report
      </button>
      <Cost papers={papers} experiments={experiments} />
    </div>
  );
}

function AllPapers({ papers, ids }: { papers: Papers; ids: readonly string[] }) {
  return (
    <>
      <h2>The papers’ experiments, run again</h2>
      <p>
        Every figure and table of these papers that states a number, simulated in this page with the code that
        a live call uses, and judged beside what was published. The runs, their seeds and the verdicts are
        those of <code>ccscope reproduce</code>.
      </p>
      <Actions papers={papers} ids={ids} name="every paper" />
      <Together papers={papers} ids={ids} />
      <PaperList papers={papers} />
    </>
  );
}

/** A separate component, so that a new result re-renders only the comparison and not the whole paper. */
function PaperComparison({ papers, ids }: { papers: Papers; ids: readonly string[] }) {
  const reported = papers.of(ids).map((each) => each.reported.value);
  const cases = useMemo(() => reported.flatMap((each) => each?.cases ?? []), reported);
  return <Comparison cases={cases} />;
}

function OnePaper({ papers, paper, ids }: { papers: Papers; paper: string; ids: readonly string[] }) {
  const experiments = papers.of(ids);
  return (
    <>
      <h2>{paperTitle(paper)}</h2>
      <Actions papers={papers} ids={ids} name="this paper" />
      <Together papers={papers} ids={ids} />
      <ExperimentTable papers={papers} experiments={experiments} />
      <p class="hint">{REPORT_KEY}</p>
      <PaperComparison papers={papers} ids={ids} />
      {experiments.map((experiment) => (
        <ExperimentSection key={experiment.id} papers={papers} experiment={experiment} />
      ))}
    </>
  );
}

function OneExperiment({ papers, id }: { papers: Papers; id: string }) {
  const experiment = papers.experiments.get(id);
  if (experiment === undefined) return null;
  const { paper } = experiment.listed;
  return (
    <>
      <p class="row">
        <PapersLink to={{ paper }}>All of {paperTitle(paper)}</PapersLink>
        <CopyButton text={() => linkTo(settings.peek())}>Copy a link to this view</CopyButton>
        <button type="button" onClick={printReport}>
          Print report
        </button>
      </p>
      <ExperimentSection papers={papers} experiment={experiment} isAlone />
      <p class="hint">{REPORT_KEY}</p>
    </>
  );
}

export function PapersApp({ papers }: { papers: Papers }) {
  const { paper, scenario } = settings.value;
  const ids = shownIds(settings.value, registry);
  useEffect(() => void papers.load(ids), [ids.join()]);
  return (
    <div class="page">
      <Header papers={papers} />
      <NoticesList problems={problems.value} notices={notices.value} />
      <main class="papers">
        <ReportHead
          title={() => 'The papers’ experiments, run again'}
          facts={() => [['Experiments', ids.join(', ')]]}
          link={() => linkTo(settings.value)}
        />
        {scenario !== '' ? (
          <OneExperiment key={scenario} papers={papers} id={scenario} />
        ) : paper !== '' ? (
          <OnePaper key={paper} papers={papers} paper={paper} ids={ids} />
        ) : (
          <AllPapers papers={papers} ids={ids} />
        )}
      </main>
    </div>
  );
}
