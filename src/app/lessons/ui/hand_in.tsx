/** The table that learners hand in: their predictions and solved tasks. */
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';

import { inFileName, saveAs } from '../../files.js';
import { answers, answersCsv, forgetAll } from '../answers.js';
import { LESSONS } from '../lessons.js';
import { loadAll, notFetched } from './all_lessons.js';

/** A byte order mark. Without it, Excel does not read the table as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/** Saves a learner's answers as a table, or deletes them. */
export function HandIn() {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const name = useSignal('');
  const isNameless = useSignal(false);
  const saved = useSignal('');
  const asks = useSignal(false);
  const done = Object.keys(answers.value).length;
  const forget = (): void => {
    forgetAll();
    asks.value = false;
    saved.value = '';
  };
  const save = async (): Promise<void> => {
    const who = name.value.trim();
    saved.value = '';
    isNameless.value = who === '';
    if (who === '') {
      field.current?.focus();
      return;
    }
    const lessons = await loadAll();
    const csv = answersCsv(
      who,
      lessons.map(({ id: lesson, title, prediction }) => ({ ...prediction, id: lesson, title })),
      answers.value,
    );
    const file = `ccscope-lessons-${inFileName(who)}.csv`;
    saveAs(new Blob([BYTE_ORDER_MARK, csv], { type: 'text/csv' }), file);
    saved.value = file;
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
          ref={field}
          id={id}
          value={name.value}
          autocomplete="name"
          aria-invalid={isNameless.value}
          aria-describedby={`${id}-result`}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value;
            isNameless.value = false;
          }}
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
      <p id={`${id}-result`} role="status">
        {isNameless.value && 'Enter your name first.'}
        {saved.value !== '' && `Saved as ${saved.value}. Send this file to your teacher.`}
      </p>
    </section>
  );
}
