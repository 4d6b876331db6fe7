import { saveAs } from '../files.js';
import type { Recorder } from '../session/recorder.js';

interface SaveButtonProps {
  recorder: Recorder;
  running: boolean;
  children: string;
}

/** Saves the recording to a file. */
export function SaveButton({ recorder, running, children }: SaveButtonProps) {
  const save = async (): Promise<void> => {
    const created = recorder.shown.value.header.created ?? new Date().toISOString();
    const name = `ccscope-${created.replaceAll(/[:.]/g, '-')}.ndjson`;
    saveAs(await recorder.export(), name);
    recorder.saved(name, running);
  };
  return (
    <button
      type="button"
      disabled={!recorder.hasRows.value}
      title="Save the recording as a text file: NDJSON, one row a line"
      onClick={() => void save()}
    >
      {children}
    </button>
  );
}
