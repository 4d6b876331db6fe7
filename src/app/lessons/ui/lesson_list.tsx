/** All lessons, with the learner's progress in each. */
import { SymbolText } from '../../../boards/symbol_text.js';
import { answers } from '../answers.js';
import { CITED_PAPERS, namedPapers, type CitedPaper } from '../../cited_papers.js';
import { LESSONS } from '../lessons.js';
import { HandIn } from './hand_in.js';
import { LessonLink } from './lesson_link.js';

const PAPER_NAMES = Object.keys(CITED_PAPERS) as CitedPaper[];

function doneOf(id: string): string {
  const known = answers.value[id];
  if (known === undefined) return '';
  return known.solved ? 'solved' : 'started';
}

export function LessonList() {
  return (
    <article class="lesson">
      <h2>Twelve lessons on congestion control for live video</h2>
      <p>
        Each lesson takes about five minutes. It asks a question, and you make a prediction. A simulation then
        shows the answer, a task follows, and a short text explains it and points to the place in the papers.
        The simulations run in this page, with the same code that controls a live call.
      </p>
      <p class="hint">The lessons cite five papers by short names. {namedPapers(PAPER_NAMES)}</p>
      <ol class="lesson-list">
        {LESSONS.map(({ id, title, question }) => (
          <li key={id}>
            <LessonLink to={id}>{title}</LessonLink> <span class="hint">{doneOf(id)}</span>
            <br />
            <span class="question">
              <SymbolText text={question} />
            </span>
          </li>
        ))}
      </ol>
      <HandIn />
    </article>
  );
}
