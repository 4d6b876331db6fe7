/** Verdicts as the report of `ccscope reproduce` shows them. */
import { VERDICT_MEANINGS } from '../../../papers/text.js';
import type { Counts, Summary } from '../../../papers/report.js';
import { VERDICTS, type Verdict } from '../../../scenario/verdict.js';

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  return (
    <span class={`verdict ${verdict}`} title={VERDICT_MEANINGS[verdict]}>
      {verdict}
    </span>
  );
}

/** The count of each verdict that occurs. */
export function VerdictCounts({ counts }: { counts: Counts }) {
  const given = VERDICTS.filter((verdict) => counts[verdict] > 0);
  return (
    <span class="verdicts">
      {given.map((verdict) => (
        <span key={verdict} class={`verdict ${verdict}`} title={VERDICT_MEANINGS[verdict]}>
          {counts[verdict]} {verdict}
        </span>
      ))}
    </span>
  );
}

/**
 * Counts the verdicts of the statements, and the verdicts of the published numbers. Shows nothing if there are no
 * statements.
 */
export function SummaryLines({ summary: { statements, numbers } }: { summary: Summary }) {
  if (VERDICTS.every((verdict) => statements[verdict] === 0)) return null;
  return (
    <dl class="summary-lines">
      <dt>Statements of the papers, each by its worst number</dt>
      <dd>
        <VerdictCounts counts={statements} />
      </dd>
      <dt>Numbers</dt>
      <dd>
        <VerdictCounts counts={numbers} />
      </dd>
    </dl>
  );
}
