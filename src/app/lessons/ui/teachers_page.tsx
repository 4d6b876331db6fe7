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
 * A plan for a class. Each part has its minutes, its subject, the lesson, the choice to run first, a question to the
 * class, and what to show after the question.
 */
const PLAN: readonly {
  minutes: string;
  what: string;
  lesson: string;
  choice: string;
  ask: string;
  show: string;
}[] = [
  {
    minutes: '0–5',
    what: 'Why delay warns earlier than loss',
    lesson: 'delay-before-loss',
    choice: '300ms',
    ask: 'Which of the two does the receiver notice first, and by how much?',
    show: 'Run all three queues: the delay grows at the same time in each, the losses begin later and later.',
  },
  {
    minutes: '5–12',
    what: 'What a receiver can measure',
    lesson: 'delay-variation',
    choice: '5ms',
    ask: 'Why does it not matter that the clocks disagree?',
    show: 'Run “none” and “60 ms”: the points d_m scatter, and the call uses less of the link.',
  },
  {
    minutes: '12–20',
    what: 'From noise to a trend',
    lesson: 'kalman-filter',
    choice: '1e-3',
    ask: 'What is lost when an estimate follows each measurement, and what when it hardly moves?',
    show: 'Run Q = 1: m follows the noise, and the rate is cut although the link is not full.',
  },
  {
    minutes: '20–30',
    what: 'A call beside a download',
    lesson: 'adaptive-threshold',
    choice: 'static',
    ask: 'Who gives way, and why?',
    show: 'Run all three thresholds: compare how often T is above γ, and the two shares.',
  },
  {
    minutes: '30–38',
    what: 'What routers can do about it',
    lesson: 'aqm',
    choice: 'droptail',
    ask: 'Who pays when a router keeps the queue short?',
    show: 'Run CoDel, then FQ-CoDel: with a queue of its own, the call waits little and keeps its share.',
  },
  {
    minutes: '38–45',
    what: 'Sharing a link; questions',
    lesson: 'fairness',
    choice: 'nada-steady',
    ask: 'What does a newcomer mistake for an empty path?',
    show: 'Run NADA with steady video, then NADA: the third call takes the most, then its fair share.',
  },
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
          Each link opens the lesson at its question. Let the class vote, and give that answer or press “Show
          without predicting”: the choice of the link then runs. None of these choices solves the task.
        </p>
        <div class="scroll">
          <table class="readings plan">
            <thead>
              <tr>
                <th scope="col">Minutes</th>
                <th scope="col">Subject</th>
                <th scope="col">Open</th>
                <th scope="col">Ask</th>
                <th scope="col">Show</th>
              </tr>
            </thead>
            <tbody>
              {PLAN.map(({ minutes, what, lesson, choice, ask, show }) => (
                <tr key={lesson}>
                  <td>{minutes}</td>
                  <td>{what}</td>
                  <td>
                    <LessonLink to={lesson} choice={choice}>
                      {LESSONS.find(({ id }) => id === lesson)?.title ?? lesson}
                    </LessonLink>
                  </td>
                  <td>{ask}</td>
                  <td>
                    <SymbolText text={show} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
            In a classroom, <code>npm start -- --host 0.0.0.0</code> (in a clone) or{' '}
            <code>npx ccscope serve --host 0.0.0.0</code> serves the pages to the local network, and prints
            the address for other machines. Learners open that address with <code>lessons.html</code> at its
            end. The Call page needs more: browsers allow the camera, and recordings that survive a reload,
            only over HTTPS or on the computer itself.
          </li>
          <li>
            Learners save their answers below the <LessonLink to="">list of lessons</LessonLink>, and send you
            a table with one line per lesson: their prediction, whether it was right, whether the task was
            solved, and the date. Learners can change the table, so do not use it as an examination.
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
          <li>
            The runs of a lesson use the same random numbers on every computer, so everyone sees what you see.
          </li>
          <li>
            In a lesson, “Copy a link to this question” gives an address that opens the lesson at its
            question, and runs the present choice when the learner has answered. “Copy a link to this result”
            opens it with the run shown, without the question. Zoom and hidden lines are not part of a link.
          </li>
        </ul>
      </section>
      <section aria-labelledby="solutions">
        <h3 id="solutions">Tasks and solutions</h3>
        <p>The solutions are public: learners can open this page, too.</p>
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
