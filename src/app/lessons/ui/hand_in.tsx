/** The table that learners hand in: their predictions and solved tasks. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

import { saveAs } from '../../files.js';
import { answers, answersCsv, forgetAll } from '../answers.js';
import { LESSONS } from '../lessons.js';
import { loadAll, notFetched } from './all_lessons.js';

/** Saves a learner's answers as a table, or deletes them. */
export function HandIn() {
  const id = useId();
  const name = useSignal('');
  const asks = useSignal(false);
  const done = Object.keys(answers.value).length;
  const forget = (): void => {
    forgetAll();
    asks.value = false;
  };
  const save = async (): Promise<void> => {
    const who = name.value.trim();
    const lessons = await loadAll();
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
        enter your name, save them as a table with one line per lesson, and send that file to your teacher.
        Lessons started in this browser: {done} of {LESSONS.length}.
      </p>
      <div class="row">
        <label for={id}>Name</label>
        <input
          id={id}
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
        <button type="button" onClick={() => void save().catch(notFetched)}>
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
