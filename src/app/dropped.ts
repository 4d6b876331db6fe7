/** Recognises a file that was dropped on the wrong page, and offers the page that can show it. */
import { toFragment } from '../runs/fragment.js';
import { dismiss, messageOf, notify } from './notices.js';
import { passFile, PASSED_FRAGMENT } from './stored.js';

type Kind = 'trace' | 'scenario';

/** The kind of a file is recognised by a word within this number of bytes from its start. */
const HEAD_BYTES = 4096;

/** The kind of a file, recognised by a word near its beginning. Returns null if there is no such word. */
async function kindOf(file: File): Promise<Kind | null> {
  const head = await file.slice(0, HEAD_BYTES).text();
  const [, kind] = /"ccscope_(trace|scenario)"\s*:/.exec(head) ?? [];
  return kind === 'trace' || kind === 'scenario' ? kind : null;
}

const CODE = 'other-page';

function sayUnread(file: File, error: unknown): void {
  const what = `${file.name} was not opened: ${messageOf(error)}.`;
  notify('error', CODE, what, 'Choose a file that can be read, not a folder.');
}

async function openInLab(file: File): Promise<void> {
  const text = await file.text().catch((error: unknown) => sayUnread(file, error));
  if (text === undefined) return;
  const fragment = await toFragment('own', text);
  if (fragment !== '') location.assign(`./lab.html#${fragment}`);
  else
    notify(
      'info',
      CODE,
      `${file.name} is too large to be passed in the address.`,
      'Open the Lab and drop the file there.',
    );
}

async function openInCall(file: File): Promise<void> {
  try {
    await passFile(file);
    location.assign(`./${PASSED_FRAGMENT}`);
  } catch (error) {
    const why = `${file.name} could not be passed on: ${messageOf(error)}.`;
    notify('error', CODE, why, 'Open the Call page and drop the file there.');
  }
}

const OTHER = {
  trace: { is: 'a trace, which the Call page shows', label: 'Open it in Call', open: openInCall },
  scenario: { is: 'a scenario, which the Lab runs', label: 'Open it in the Lab', open: openInLab },
} as const;

/**
 * Opens a file of the kind `mine`, which this page can show, or a file of unknown kind. For any other file, offers to
 * open the page that can show it.
 */
export async function openDropped(mine: Kind, file: File, open: (file: File) => unknown): Promise<void> {
  const kind = await kindOf(file).catch((error: unknown) => sayUnread(file, error));
  if (kind === undefined) return;
  dismiss(CODE);
  if (kind === null || kind === mine) return void open(file);
  const { is, label, open: openThere } = OTHER[kind];
  const actions = [{ label, run: () => void openThere(file) }];
  notify('info', CODE, `${file.name} is ${is}.`, '', { actions });
}
