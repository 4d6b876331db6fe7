import { saveAs } from '../files.js';
import type { Recorder } from '../session/recorder.js';

interface SaveButtonProps {
  recorder: Recorder;
  children: string;
}

/** Saves the recording to a file. */
export function SaveButton({ recorder, children }: SaveButtonProps) {
  const save = async (): Promise<void> => {
    const created = recorder.shown.value.header.created ?? new Date().toISOString();
    const name = `ccscope-${created.replaceAll(/[:.]/g, '-')}.ndjson`;
    const grows = recorder.grows();
    saveAs(await recorder.export(), name);
    recorder.saved(name, grows);
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
