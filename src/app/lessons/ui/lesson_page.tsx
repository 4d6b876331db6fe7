/** A lesson: question, prediction, figure, reason, task and the link to the next one. */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';

import type { Scope } from '../../../boards/scope.js';
import { SymbolText, SymbolTexts } from '../../../boards/symbol_text.js';
import { Wheel } from '../../../boards/wheel.js';
import { RunCharts } from '../../../runs/run_charts.js';
import { chartTools } from '../../ui/chart_tools.js';
import { CopyButton } from '../../ui/copy_button.js';
import { answers, predict, solve } from '../answers.js';
import type { Lesson, Tried } from '../lesson.js';
import { LESSONS } from '../lessons.js';
import type { Player } from '../player.js';
import { change, linkTo, refuse, settings } from '../settings.js';
import { LabLink } from './lab_link.js';
import { LessonLink } from './lesson_link.js';

interface LessonParts {
  lesson: Lesson;
  player: Player;
}

function Prediction({ lesson }: { lesson: Lesson }) {
  const name = useId();
  const { ask, options, right, because } = lesson.prediction;
  const predicted = answers.value[lesson.id]?.predicted;
  return (
    <fieldset class="prediction">
      <legend>Your prediction</legend>
      <p>
        <SymbolText text={ask} />
      </p>
      {options.map((option, index) => (
        <label key={option} class="check">
          <input
            type="radio"
            name={name}
            checked={predicted === index}
            disabled={predicted !== undefined}
            onChange={() => predict(lesson.id, index)}
          />
          <span>
            <SymbolText text={option} />
            {predicted !== undefined && index === right && <b class="right"> – right</b>}
            {predicted === index && index !== right && <b class="wrong"> – not so</b>}
          </span>
        </label>
      ))}
      <div aria-live="polite">
        {predicted !== undefined && (
          <p class="because">
            <SymbolTexts>{because}</SymbolTexts>
          </p>
        )}
      </div>
    </fieldset>
  );
}

/** The choices; each is simulated as soon as it is chosen. */
function Choices({ lesson, player }: LessonParts) {
  const [axis] = lesson.scenario.axes;
  const { choice } = settings.value;
  return (
    <div class="choices" role="group" aria-label={axis.label}>
      <span>{axis.label}</span>
      {axis.values.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          aria-pressed={choice === name}
          onClick={() => {
            change({ choice: name });
            void player.play(lesson, name);
          }}
        >
          {label}
        </button>
      ))}
      <span class="hint" role="status">
        {player.running.value === null ? '' : 'Simulating…'}
      </span>
    </div>
  );
}

/** The readings (measured numbers) of every choice that was tried. */
function Readings({ lesson, tried }: { lesson: Lesson; tried: readonly Tried[] }) {
  const {
    axes: [axis],
    windows: [window] = [],
  } = lesson.scenario;
  if (tried.length === 0) return null;
  const inOrder = axis.values.flatMap(({ name, label }) =>
    tried.filter(({ value }) => value === name).map(({ measured }) => ({ name, label, measured })),
  );
  return (
    <div class="scroll">
      <table class="readings">
        <caption class="visually-hidden">What was tried, with the results</caption>
        <thead>
          <tr>
            <th scope="col">{axis.label}</th>
            {lesson.readings.map(({ title }) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inOrder.map(({ name, label, measured }) => (
            <tr key={name} class={settings.value.choice === name ? 'chosen' : ''}>
              <th scope="row">{label}</th>
              {lesson.readings.map(({ title, of, text }) => (
                <td key={title} class="number">
                  {text(of(measured))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {window !== undefined && (
        <p class="hint">Measured from {window.begin_s} s on, while all flows are present.</p>
      )}
    </div>
  );
}

function Task({ lesson, player }: LessonParts) {
  const { task } = lesson;
  const known = answers.value[lesson.id];
  const last = player.tried.value.find(({ value }) => value === settings.value.choice);
  const isSolved = last !== undefined && task.isSolved(last);
  const isPredicted = known !== undefined;
  useEffect(() => {
    if (isSolved) solve(lesson.id);
  }, [isSolved, isPredicted, lesson.id]);
  return (
    <section class="task" aria-labelledby="task-title">
      <h3 id="task-title">Task</h3>
      <p>
        <SymbolTexts>{task.ask}</SymbolTexts>
      </p>
      <div aria-live="polite">
        {isSolved || known?.solved === true ? (
          <p class="because">
            <b class="right">Solved.</b> <SymbolTexts>{task.because}</SymbolTexts>
            {!isPredicted && ' To have it among your answers, make your prediction above.'}
          </p>
        ) : (
          last !== undefined && <p class="hint">Not yet. Try another choice above the charts.</p>
        )}
      </div>
    </section>
  );
}

export function LessonPage({ lesson, player, scope }: LessonParts & { scope: Scope }) {
  const hidden = useSignal<readonly string[]>([]);
  const number = LESSONS.findIndex(({ id }) => id === lesson.id);
  const next = LESSONS[number + 1];
  const isPredicted = answers.value[lesson.id] !== undefined;
  const { choice } = settings.value;
  const isChoice = lesson.scenario.axes[0].values.some(({ name }) => name === choice);
  const isShown = isPredicted || isChoice;
  useEffect(() => {
    if (isChoice) void player.play(lesson, choice);
    else if (choice !== '') {
      const names = lesson.scenario.axes[0].values.map(({ name }) => name);
      refuse({ field: 'choice', got: choice, expected: `one of ${names.join(', ')}` });
      change({ choice: '' });
    }
  }, [lesson.id]);
  useEffect(() => {
    const first = lesson.scenario.axes[0].values[0]?.name;
    if (!isPredicted || settings.peek().choice !== '' || first === undefined) return;
    change({ choice: first });
    void player.play(lesson, first);
  }, [isPredicted]);
  const run = player.live.run.value;
  return (
    <article class="lesson">
      <p class="hint">
        Lesson {number + 1} of {LESSONS.length}
      </p>
      <h2>{lesson.title}</h2>
      <p class="question">{LESSONS[number]?.question}</p>
      <Prediction lesson={lesson} />
      {isShown && (
        <>
          <section aria-label="Figure" class="figure">
            <Choices lesson={lesson} player={player} />
            {run !== null && (
              <Wheel>
                <RunCharts
                  flows={run.flows}
                  scope={scope}
                  only={lesson.charts}
                  tools={chartTools}
                  hidden={hidden.value}
                  onHide={(next) => (hidden.value = next)}
                />
              </Wheel>
            )}
            <Readings lesson={lesson} tried={player.tried.value} />
            {run !== null && <LabLink run={run} />}
          </section>
          <section class="reason">
            <SymbolTexts>{lesson.text}</SymbolTexts>
          </section>
          <Task lesson={lesson} player={player} />
        </>
      )}
      <p class="row">
        <CopyButton text={() => linkTo(settings.peek())}>Copy a link to this view</CopyButton>
        {next && (
          <span>
            Next: <LessonLink to={next.id}>{next.title}</LessonLink>
          </span>
        )}
      </p>
    </article>
  );
}
