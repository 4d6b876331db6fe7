/** A learner's predictions and solved tasks, stored only in this browser. */
import { signal } from '@preact/signals';
import * as v from 'valibot';

import { csv } from '../../text/csv.js';

const KEY = 'ccscope-lessons';

const answer = v.object({
  /** The index of the option that was chosen. */
  predicted: v.number(),
  /** When the prediction was made, in milliseconds since the Unix epoch. Older versions did not store it. */
  predictedMs: v.optional(v.number()),
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

/** Takes over the answers that other tabs store from now on. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key }) => {
    // The key is null if everything that the browser had stored was deleted.
    if (key === KEY || key === null) answers.value = kept();
  });
}

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
  keep({ ...answers.peek(), [lesson]: { predicted, predictedMs: Date.now(), solved: false } });
}

export function solve(lesson: string): void {
  const known = answers.peek()[lesson];
  if (known !== undefined && !known.solved) keep({ ...answers.peek(), [lesson]: { ...known, solved: true } });
}

export const forgetAll = (): void => keep({});

const dateOf = (ms: number | undefined): string =>
  ms === undefined ? '' : new Date(ms).toISOString().slice(0, 10);

/**
 * A table for grading, with a line for each lesson in the order of the list. `right` is the index of the correct
 * option.
 */
export function answersCsv(
  name: string,
  lessons: readonly { id: string; title: string; options: readonly string[]; right: number }[],
  given: Answers,
): string {
  const rows = lessons.map(({ id, title, options, right }, index) => {
    const known = given[id];
    const result =
      known === undefined
        ? [null, null, null, null]
        : [
            options[known.predicted] ?? '',
            known.predicted === right ? 'yes' : 'no',
            known.solved ? 'yes' : 'no',
            dateOf(known.predictedMs),
          ];
    return [name, index + 1, title, ...result];
  });
  return csv([['name', 'number', 'lesson', 'predicted', 'right', 'task solved', 'date (UTC)'], ...rows]);
}
