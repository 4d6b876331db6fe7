/** The page for teachers: a plan, advice on projecting, tasks with solutions, and what learners hand in. */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';

import { saveAs } from '../../files.js';
import { messageOf, notify } from '../../notices.js';
import { answers, answersCsv, forgetAll } from '../answers.js';
import type { Lesson } from '../lesson.js';
import { LESSONS } from '../lessons.js';
import { LessonLink } from './lesson_link.js';

/** Minutes, what to do, and the lesson with the choice to show. */
const PLAN: readonly { minutes: string; what: string; lesson: string; choice: string }[] = [
  { minutes: '0–5', what: 'Why delay warns earlier than loss', lesson: 'delay-before-loss', choice: '300ms' },
  { minutes: '5–12', what: 'What a receiver can measure', lesson: 'delay-variation', choice: '5ms' },
  { minutes: '12–20', what: 'From noise to a trend', lesson: 'kalman-filter', choice: '1e-3' },
  { minutes: '20–30', what: 'A call beside a download', lesson: 'adaptive-threshold', choice: 'static' },
  { minutes: '30–38', what: 'What routers can do about it', lesson: 'aqm', choice: 'fq_codel' },
  { minutes: '38–45', what: 'Sharing a link; questions', lesson: 'fairness', choice: 'nada' },
];

/** All lessons, which are fetched for their tasks. */
function useLessons(): readonly Lesson[] {
  const lessons = useSignal<readonly Lesson[]>([]);
  useEffect(() => {
    Promise.all(LESSONS.map(({ load }) => load())).then(
      (modules) => (lessons.value = modules.map((module) => module.default)),
      (error: unknown) => {
        const what = `The lessons could not be fetched: ${messageOf(error)}.`;
        notify('error', 'lesson', what, 'Check the connection, and reload the page.');
      },
    );
  }, []);
  return lessons.value;
}

function HandIn({ lessons }: { lessons: readonly Lesson[] }) {
  const id = useId();
  const name = useSignal('');
  const done = Object.keys(answers.value).length;
  const save = (): void => {
    const rights = lessons.map((lesson) => ({ id: lesson.id, right: lesson.prediction.right }));
    const csv = answersCsv(name.value.trim(), rights, answers.value);
    saveAs(new Blob([csv], { type: 'text/csv' }), 'ccscope-lessons.csv');
  };
  return (
    <section aria-labelledby="hand-in">
      <h3 id="hand-in">Handing in answers</h3>
      <p>
        Predictions and solved tasks are kept in this browser and are not sent anywhere. To hand them in,
        learners save them as a table with one line per lesson. {done} of {LESSONS.length} lessons have been
        started in this browser.
      </p>
      <div class="row">
        <label for={id}>Name</label>
        <input
          id={id}
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
        <button type="button" disabled={lessons.length === 0} onClick={save}>
          Save my answers
        </button>
        <button type="button" disabled={done === 0} onClick={forgetAll}>
          Forget my answers
        </button>
      </div>
    </section>
  );
}

export function TeachersPage() {
  const lessons = useLessons();
  return (
    <article class="lesson">
      <h2>For teachers</h2>
      <section aria-labelledby="plan">
        <h3 id="plan">A plan for 45 minutes</h3>
        <p>
          Each link opens the lesson and runs one of its choices at once. Learners can still make their own
          prediction.
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
          <li>In a lesson, “Copy a link to this view” gives an address that opens exactly that view.</li>
        </ul>
      </section>
      <section aria-labelledby="solutions">
        <h3 id="solutions">Tasks and solutions</h3>
        {lessons.map(({ id, title, prediction, task, scenario }) => (
          <details key={id}>
            <summary>{title}</summary>
            <p>
              <b>Prediction:</b> {prediction.options[prediction.right]}. {prediction.because}
            </p>
            <p>
              <b>Task:</b> {task.ask}
            </p>
            <p>
              <b>Solution:</b>{' '}
              {scenario.axes[0].values.find(({ name }) => name === task.solution)?.label ?? task.solution}.{' '}
              {task.because}
            </p>
          </details>
        ))}
      </section>
      <HandIn lessons={lessons} />
    </article>
  );
}
