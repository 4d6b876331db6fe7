/** Verdicts as the report of `ccscope reproduce` shows them. */
import { ACROSS, VERDICT_MEANINGS } from '../../../papers/text.js';
import type { Counts, Summary } from '../../../papers/report.js';
import { VERDICTS, type Verdict } from '../../../scenario/verdict.js';
import { NOTHING } from '../numbers.js';

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  return (
    <span class={`verdict ${verdict}`} title={VERDICT_MEANINGS[verdict]}>
      {verdict}
    </span>
  );
}

/** Explains the verdicts. */
export function VerdictKey() {
  return (
    <ul class="verdict-key" aria-label="Verdicts">
      {VERDICTS.map((verdict) => (
        <li key={verdict}>
          <VerdictBadge verdict={verdict} /> {VERDICT_MEANINGS[verdict]}
        </li>
      ))}
      <li>{ACROSS} other seeds could give another verdict</li>
    </ul>
  );
}

/** The count of each verdict that occurs. */
export function VerdictCounts({ counts }: { counts: Counts }) {
  const given = VERDICTS.filter((verdict) => counts[verdict] > 0);
  return (
    <span class="verdicts">
      {given.length === 0 && NOTHING}
      {given.map((verdict) => (
        <span key={verdict} class={`verdict ${verdict}`} title={VERDICT_MEANINGS[verdict]}>
          {counts[verdict]} {verdict}
        </span>
      ))}
    </span>
  );
}

/** Counts the verdicts of the statements, and the verdicts of the published numbers. */
export function SummaryLines({
  summary: { statements, numbers, across_edge: across },
}: {
  summary: Summary;
}) {
  return (
    <dl class="summary-lines">
      <dt>Statements of the papers, each by its worst number</dt>
      <dd>
        <VerdictCounts counts={statements} />
      </dd>
      <dt>Numbers</dt>
      <dd>
        <VerdictCounts counts={numbers} />
        {across > 0 && ` ${across} ${ACROSS}`}
      </dd>
    </dl>
  );
}
