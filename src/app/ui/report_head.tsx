/** The head of a page on paper: what it shows, when it was printed, and at which address it can be found. */
import { version } from '../../../package.json';
import { isOnPaper } from '../print.js';

export type ReportFacts = readonly (readonly [name: string, value: string])[];

interface ReportHeadProps {
  title: () => string;
  facts: () => ReportFacts;
  /** The address of the view that is printed. */
  link: () => string;
}

/** All of this is computed for paper only; facts without a value are left out. */
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
