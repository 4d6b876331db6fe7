/** A learner's predictions and solved tasks, stored only in this browser. */
import { signal } from '@preact/signals';
import * as v from 'valibot';

const KEY = 'ccscope-lessons';

const answer = v.object({
  /** The index of the option that was chosen. */
  predicted: v.number(),
  /** Whether the task was solved. */
  solved: v.boolean(),
});
const answersSchema = v.record(v.string(), answer);

export type Answer = v.InferOutput<typeof answer>;
export type Answers = Readonly<Record<string, Answer>>;

/** The stored answers; empty if they are damaged or if the browser stores nothing. */
function kept(): Answers {
  try {
    return v.parse(answersSchema, JSON.parse(localStorage.getItem(KEY) ?? '{}'));
  } catch {
    return {};
  }
}

export const answers = signal<Answers>(kept());

function keep(next: Answers): void {
  answers.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Without storage, the answers last only until the page is closed.
  }
}

/** Only the first prediction counts: after that the learner has seen the answer. */
export function predict(lesson: string, predicted: number): void {
  if (Object.hasOwn(answers.peek(), lesson)) return;
  keep({ ...answers.peek(), [lesson]: { predicted, solved: false } });
}

export function solve(lesson: string): void {
  const known = answers.peek()[lesson];
  if (known !== undefined && !known.solved) keep({ ...answers.peek(), [lesson]: { ...known, solved: true } });
}

export const forgetAll = (): void => keep({});

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A table for grading, with a line for each lesson. `right` is the index of the correct option. */
export function answersCsv(
  name: string,
  lessons: readonly { id: string; options: readonly string[]; right: number }[],
  given: Answers,
): string {
  const lines = lessons.map(({ id, options, right }) => {
    const known = given[id];
    const predicted = known === undefined ? '' : known.predicted === right ? 'right' : 'wrong';
    const chosen = known === undefined ? '' : (options[known.predicted] ?? '');
    const task = known?.solved === true ? 'solved' : '';
    return [name, id, predicted, chosen, task].map(cell).join(',');
  });
  return ['name,lesson,prediction,answer,task', ...lines, ''].join('\n');
}
