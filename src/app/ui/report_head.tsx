/**
 * The head of a printed page: a title, the facts about the page, the time of printing, and the address of the view.
 */
import { version } from '../../../package.json';
import { isOnPaper } from '../print.js';

export type ReportFacts = readonly (readonly [name: string, value: string])[];

interface ReportHeadProps {
  title: () => string;
  facts: () => ReportFacts;
  /** The address of the view that is printed. */
  link: () => string;
}

/** Rendered for paper only. Facts with an empty value are left out. */
export function ReportHead({ title, facts, link }: ReportHeadProps) {
  if (!isOnPaper.value) return null;
  const all: ReportFacts = [...facts(), ['Printed', `${new Date().toLocaleString()}, ccscope ${version}`]];
  return (
    <section class="report-head" aria-label="Report">
      <h2>{title()}</h2>
      <dl>
        {all
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        <div>
          <dt>This view</dt>
          <dd>
            <a href={link()}>{link()}</a>
          </dd>
        </div>
      </dl>
    </section>
  );
}
