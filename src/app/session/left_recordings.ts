/**
 * Offers recordings that earlier visits left behind, and warns before the user leaves the page with an unsaved
 * recording.
 */
import { effect } from '@preact/signals';

import { dismiss, messageOf, notify } from '../notices.js';
import type { StoredRecording } from '../stored.js';
import { NotKept } from './kept_recording.js';
import type { Recorder } from './recorder.js';

const timeOf = (ms: number): string => {
  const at = new Date(ms);
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return at.toDateString() === new Date().toDateString() ? time : `${at.toLocaleDateString()}, ${time}`;
};

function offer(recorder: Recorder, left: StoredRecording): void {
  const time = timeOf(left.startedMs);
  const code = `left-${left.id}`;
  const recover = async (): Promise<void> => {
    dismiss(code);
    try {
      await recorder.recover(left, `recording of ${time}`);
    } catch (error) {
      const fix =
        error instanceof NotKept ? 'If it was saved, open its file.' : 'Reload the page to try again.';
      notify('error', code, `The recording of ${time} was not recovered: ${messageOf(error)}.`, fix);
    }
  };
  const discard = async (): Promise<void> => {
    dismiss(code);
    try {
      await recorder.kept.discard(left);
    } catch (error) {
      const fix = 'Reload the page to try again.';
      notify('error', code, `The recording of ${time} was not discarded: ${messageOf(error)}.`, fix);
    }
  };
  notify(
    'info',
    code,
    `This browser still keeps the recording of ${time}, which was not saved to a file.`,
    '',
    {
      whenIdle: true,
      actions: [
        { label: `Recover the recording of ${time}`, run: () => void recover() },
        { label: 'Discard it', run: () => void discard() },
      ],
    },
  );
}

/**
 * Offers the recordings that earlier visits left. From now on, the browser also asks for confirmation when the user
 * leaves the page with an unsaved recording.
 */
export function watchRecordings(recorder: Recorder): void {
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  effect(() => {
    if (recorder.unsaved.value) addEventListener('beforeunload', ask);
    else removeEventListener('beforeunload', ask);
  });
  recorder.kept.left().then(
    (all) => all.forEach((left) => offer(recorder, left)),
    // This browser stores nothing, so no recording can have been left.
    () => undefined,
  );
}
