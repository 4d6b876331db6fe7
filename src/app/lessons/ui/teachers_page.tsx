/** The page for teachers: a plan, advice on projecting, tasks with solutions, and what learners hand in. */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';

import { saveAs } from '../../files.js';
import { messageOf, notify } from '../../notices.js';
import { answers, answersCsv, forgetAll } from '../answers.js';
import type { Lesson } from '../lesson.js';
import { LESSONS } from '../lessons.js';
import { LessonLink } from './lesson_link.js';

/** Minutes, what to do, and the lesson with the choice to show; no choice where each would give the answer away. */
const PLAN: readonly { minutes: string; what: string; lesson: string; choice: string }[] = [
  { minutes: '0–5', what: 'Why delay warns earlier than loss', lesson: 'delay-before-loss', choice: '300ms' },
  { minutes: '5–12', what: 'What a receiver can measure', lesson: 'delay-variation', choice: '5ms' },
  { minutes: '12–20', what: 'From noise to a trend', lesson: 'kalman-filter', choice: '1e-3' },
  { minutes: '20–30', what: 'A call beside a download', lesson: 'adaptive-threshold', choice: '' },
  { minutes: '30–38', what: 'What routers can do about it', lesson: 'aqm', choice: 'droptail' },
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
  const asks = useSignal(false);
  const done = Object.keys(answers.value).length;
  const forget = (): void => {
    forgetAll();
    asks.value = false;
  };
  const save = (): void => {
    const who = name.value.trim();
    const predictions = lessons.map(({ id: lesson, prediction }) => ({ ...prediction, id: lesson }));
    const csv = answersCsv(who, predictions, answers.value);
    const file = ['ccscope-lessons', who.replace(/[^\p{L}\p{N}]+/gu, '-')].filter(Boolean).join('-');
    saveAs(new Blob([csv], { type: 'text/csv' }), `${file}.csv`);
  };
  return (
    <section aria-labelledby="hand-in">
      <h3 id="hand-in">Handing in answers</h3>
      <p>
        Predictions and solved tasks are kept in this browser and are not sent anywhere. To hand them in,
        learners enter their name, save them as a table with one line per lesson, and send you that file.
        Lessons started in this browser: {done} of {LESSONS.length}.
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
        {asks.value ? (
          <span role="alertdialog" aria-label="All answers in this browser would be lost">
            Forget all answers in this browser?{' '}
            <button type="button" onClick={forget}>
              Forget them
            </button>{' '}
            <button type="button" onClick={() => (asks.value = false)}>
              Keep them
            </button>
          </span>
        ) : (
          <button type="button" disabled={done === 0} onClick={() => (asks.value = true)}>
            Forget my answers
          </button>
        )}
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
