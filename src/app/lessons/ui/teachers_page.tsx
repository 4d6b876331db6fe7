/**
 * The page for teachers: a lesson plan, how a class opens the lessons, advice on using a projector, and the tasks
 * with their solutions.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { SymbolText, SymbolTexts } from '../../../boards/symbol_text.js';
import { isOnPaper } from '../../print.js';
import type { Lesson } from '../lesson.js';
import { LESSONS } from '../lessons.js';
import { loadAll, notFetched } from './all_lessons.js';
import { LessonLink } from './lesson_link.js';

/**
 * A plan for a class: for each part its minutes, its subject, and the lesson to show. `choice` is the choice that the
 * lesson runs at once; it is empty if every choice would give the answer away.
 */
const PLAN: readonly { minutes: string; what: string; lesson: string; choice: string }[] = [
  { minutes: '0–5', what: 'Why delay warns earlier than loss', lesson: 'delay-before-loss', choice: '300ms' },
  { minutes: '5–12', what: 'What a receiver can measure', lesson: 'delay-variation', choice: '5ms' },
  { minutes: '12–20', what: 'From noise to a trend', lesson: 'kalman-filter', choice: '1e-3' },
  { minutes: '20–30', what: 'A call beside a download', lesson: 'adaptive-threshold', choice: '' },
  { minutes: '30–38', what: 'What routers can do about it', lesson: 'aqm', choice: 'droptail' },
  { minutes: '38–45', what: 'Sharing a link; questions', lesson: 'fairness', choice: 'nada' },
];

/** Loads all lessons, since the page lists their tasks. */
function useLessons(): readonly Lesson[] {
  const lessons = useSignal<readonly Lesson[]>([]);
  useEffect(() => {
    loadAll().then((all) => (lessons.value = all), notFetched);
  }, []);
  return lessons.value;
}

export function TeachersPage() {
  const lessons = useLessons();
  return (
    <article class="lesson">
      <h2>For teachers</h2>
      <section aria-labelledby="plan">
        <h3 id="plan">A plan for 45 minutes</h3>
        <p>
          Each link opens the lesson; most run one of its choices at once, never the one that solves the task.
          Learners can still make their own prediction.
        </p>
        <table class="readings">
          <thead>
            <tr>
              <th scope="col">Minutes</th>
              <th scope="col">Subject</th>
              <th scope="col">Open</th>
            </tr>
          </thead>
          <tbody>
            {PLAN.map(({ minutes, what, lesson, choice }) => (
              <tr key={lesson}>
                <td>{minutes}</td>
                <td>{what}</td>
                <td>
                  <LessonLink to={lesson} choice={choice}>
                    {LESSONS.find(({ id }) => id === lesson)?.title ?? lesson}
                  </LessonLink>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section aria-labelledby="class">
        <h3 id="class">For a whole class</h3>
        <ul>
          <li>
            The lessons, the Lab and the papers need no server of their own. Put the folder{' '}
            <code>dist/app</code>, which <code>npm start</code> or <code>npm run build</code> makes, on any
            web server, and send learners the address of its <code>lessons.html</code>.
          </li>
          <li>
            In a classroom, <code>npm start -- --host 0.0.0.0</code> serves the pages to the local network:
            learners open <code>http://ADDRESS:8088/lessons.html</code>, with the address of your computer.
            The Call page needs more: browsers allow the camera, and recordings that survive a reload, only
            over HTTPS or on the computer itself.
          </li>
          <li>
            Learners save their answers below the <LessonLink to="">list of lessons</LessonLink>, and send you
            a table with one line per lesson: their prediction, and whether it was right and the task solved.
          </li>
        </ul>
      </section>
      <section aria-labelledby="project">
        <h3 id="project">On a projector</h3>
        <ul>
          <li>Use the light theme (☀ at the top right switches to it). F11 fills the screen.</li>
          <li>Press Ctrl and + to enlarge everything, including the charts.</li>
          <li>
            Point at a chart, and the cursor shows the values of all charts at that time. Click a name in a
            legend to hide its line.
          </li>
          <li>The same seed gives the same run on every computer, so everyone sees what you see.</li>
          <li>
            In a lesson, “Copy a link to this view” gives an address that opens this lesson with this choice.
          </li>
        </ul>
      </section>
      <section aria-labelledby="solutions">
        <h3 id="solutions">Tasks and solutions</h3>
        {lessons.map(({ id, title, prediction, task, scenario }) => (
          <details key={id} open={isOnPaper.value}>
            <summary>{title}</summary>
            <p>
              <b>Prediction:</b> <SymbolText text={`${prediction.options[prediction.right] ?? ''}. `} />
              <SymbolTexts>{prediction.because}</SymbolTexts>
            </p>
            <p>
              <b>Task:</b> <SymbolTexts>{task.ask}</SymbolTexts>
            </p>
            <p>
              <b>Solution:</b>{' '}
              {scenario.axes[0].values.find(({ name }) => name === task.solution)?.label ?? task.solution}.{' '}
              <SymbolTexts>{task.because}</SymbolTexts>
            </p>
          </details>
        ))}
      </section>
    </article>
  );
}
