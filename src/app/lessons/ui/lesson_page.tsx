/** A lesson: question, prediction, task, figure, reason and the link to the next one. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';

import type { Scope } from '../../../boards/scope.js';
import { SymbolText, SymbolTexts } from '../../../boards/symbol_text.js';
import { Wheel } from '../../../boards/wheel.js';
import { hasFlowQueues } from '../../../runs/run.js';
import { RunCharts } from '../../../runs/run_charts.js';
import { chartToolsOf } from '../../ui/chart_tools.js';
import { CopyButton } from '../../ui/copy_button.js';
import { answers, predict, solve } from '../answers.js';
import { namedPapers } from '../../cited_papers.js';
import { runName, type Lesson, type Tried } from '../lesson.js';
import { LESSONS } from '../lessons.js';
import type { Player } from '../player.js';
import { change, linkTo, refuse, settings } from '../settings.js';
import { LabLink } from './lab_link.js';
import { LessonLink } from './lesson_link.js';

interface LessonParts {
  lesson: Lesson;
  player: Player;
}

interface PredictionParts {
  lesson: Lesson;
  isShown: boolean;
  /** Whether the question takes the focus: true if the user came to it from a shared result. */
  takesFocus: boolean;
  /** Opens the figure, with or without a prediction. */
  onOpen: () => void;
}

/** Learners may change their choice until they give an answer. An answer opens the figure and cannot be changed. */
function Prediction({ lesson, isShown, takesFocus, onOpen }: PredictionParts) {
  const name = useId();
  const question = useRef<HTMLFieldSetElement>(null);
  const chosen = useSignal<number | null>(null);
  const { ask, options, right, because } = lesson.prediction;
  const predicted = answers.value[lesson.id]?.predicted;
  const give = (): void => {
    if (chosen.value === null) return;
    predict(lesson.id, chosen.value);
    onOpen();
  };
  useEffect(() => {
    if (takesFocus) question.current?.focus();
  }, []);
  return (
    <fieldset ref={question} class="prediction" tabIndex={-1}>
      <legend>Your prediction</legend>
      <p>
        <SymbolText text={ask} />
      </p>
      {options.map((option, index) => (
        <label key={option} class="check">
          <input
            type="radio"
            name={name}
            checked={(predicted ?? chosen.value) === index}
            disabled={predicted !== undefined}
            onChange={() => (chosen.value = index)}
          />
          <span>
            <SymbolText text={option} />
            {predicted !== undefined && index === right && <b class="right"> – right</b>}
            {predicted === index && index !== right && <b class="wrong"> – not so</b>}
          </span>
        </label>
      ))}
      {predicted === undefined && (
        <>
          <p class="hint">
            {!isShown && 'The simulation runs when you have given your answer. '}
            You can give only one.
          </p>
          <div class="row">
            <button type="button" class="start" disabled={chosen.value === null} onClick={give}>
              Give this answer
            </button>
            {!isShown && (
              <button type="button" onClick={onOpen}>
                Show without predicting
              </button>
            )}
          </div>
        </>
      )}
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

/** Replaces the question while a shared link shows a result without the question. */
function SharedResult({ lesson }: { lesson: Lesson }) {
  const shared = useRef(runName(lesson, settings.peek().choice));
  return (
    <p class="row">
      <span>
        <b>You opened a shared result:</b> <SymbolText text={shared.current} />
      </span>
      <button type="button" onClick={() => change({ shown: false })}>
        Try the question yourself
      </button>
    </p>
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
        <p class="hint">
          Measured from {window.begin_s}&nbsp;s on, while all flows are present. The values in the legends are
          those of 0.2&nbsp;s, in which a packet counts when it has arrived. Their sum can therefore be
          slightly above the capacity.
        </p>
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
      <div class="task-result" aria-live="polite">
        {isSolved || known?.solved === true ? (
          <p class="because">
            <b class="right">Solved.</b> <SymbolTexts>{task.because}</SymbolTexts>
            {!isPredicted && ' To have it among your answers, make your prediction above.'}
          </p>
        ) : (
          last !== undefined && <p class="hint">Not yet. Try another choice.</p>
        )}
      </div>
    </section>
  );
}

/** A link for other people: to the shown result if `shown`, else to the lesson's question. */
const link = (shown: boolean): string => linkTo({ ...settings.peek(), shown, theme: 'auto' });

export function LessonPage({ lesson, player, scope }: LessonParts & { scope: Scope }) {
  const hidden = useSignal<readonly string[]>([]);
  /** How often a button has opened the figure. The button then disappears, so the focus moves to the figure. */
  const openings = useSignal(0);
  const figure = useRef<HTMLElement>(null);
  const number = LESSONS.findIndex(({ id }) => id === lesson.id);
  const next = LESSONS[number + 1];
  const isAnswered = answers.value[lesson.id] !== undefined;
  const isShared = settings.value.shown && !isAnswered;
  const beganShared = useRef(isShared);
  const isShown = isShared || isAnswered || openings.value > 0;
  useEffect(() => {
    const { choice } = settings.peek();
    const names = lesson.scenario.axes[0].values.map(({ name }) => name);
    if (choice === '' || names.includes(choice)) return;
    refuse({ field: 'choice', got: choice, expected: `one of ${names.join(', ')}` });
    change({ choice: '' });
  }, [lesson.id]);
  useEffect(() => {
    const choice = settings.peek().choice || lesson.scenario.axes[0].values[0]?.name;
    if (!isShown || choice === undefined) return;
    change({ choice });
    void player.play(lesson, choice);
  }, [isShown]);
  useEffect(() => {
    if (openings.value > 0) figure.current?.focus({ preventScroll: true });
  }, [openings.value]);
  const run = player.live.run.value;
  const name = runName(lesson, run?.cell['choice'] ?? '');
  return (
    <article class="lesson">
      <p class="hint">
        Lesson {number + 1} of {LESSONS.length}
      </p>
      <h2>{lesson.title}</h2>
      <p class="question">
        <SymbolText text={LESSONS[number]?.question ?? ''} />
      </p>
      {isShared ? (
        <SharedResult lesson={lesson} />
      ) : (
        <Prediction
          lesson={lesson}
          isShown={isShown}
          takesFocus={beganShared.current}
          onOpen={() => (openings.value += 1)}
        />
      )}
      {isShown && (
        <>
          <section ref={figure} aria-label="Figure" class="figure" tabIndex={-1}>
            <Choices lesson={lesson} player={player} />
            {!isShared && <Task lesson={lesson} player={player} />}
            {run !== null && (
              <Wheel>
                <RunCharts
                  flows={run.flows}
                  scope={scope}
                  flowQueues={hasFlowQueues(run)}
                  only={lesson.charts}
                  tools={chartToolsOf(name, `${lesson.title} (${name})`)}
                  hidden={hidden.value}
                  onHide={(next) => (hidden.value = next)}
                />
              </Wheel>
            )}
            <Readings lesson={lesson} tried={player.tried.value} />
            {run !== null && <LabLink run={run} />}
            <p class="row">
              <CopyButton text={() => link(true)}>Copy a link to this result</CopyButton>
            </p>
          </section>
          <section class="reason" aria-label="Reason">
            <SymbolTexts>{lesson.text}</SymbolTexts>
          </section>
          <p class="hint">{namedPapers(lesson.cites)}</p>
        </>
      )}
      <p class="row">
        <CopyButton text={() => link(false)}>Copy a link to this question</CopyButton>
        {next && (
          <span>
            Next: <LessonLink to={next.id}>{next.title}</LessonLink>
          </span>
        )}
      </p>
    </article>
  );
}
