/**
 * The panel of the recording: its size, its download as a file, and its bookmarks. It also asks before a
 * recording is deleted.
 */
import { signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';

import { counted } from '../text/counted.js';
import type { Model } from './model.js';
import type { RecordingState } from './watch_service.js';

const TEN_MINUTES_US = 600e6;
/** If less than this would be lost, the recording is discarded without asking. */
const WORTH_US = 10e6;
const KEY = 'b';

/** The panel's own state. The state of the recording is part of ServedState. */
class Panel {
  /** The text for the next bookmark. */
  readonly text = signal('');
  /** The message to the user about the latest bookmark or download. */
  readonly said = signal('');
  /** How often the user has pressed Detach since the panel last had an answer; 0 if it asks nothing. */
  readonly asks = signal(0);
  readonly identifiers = signal(false);
  /** The length of the recording at its last complete download; 0 before the first one. */
  savedUs = 0;

  constructor(readonly model: Model) {}

  get recording(): RecordingState | null {
    return this.model.state.peek()?.recording ?? null;
  }

  async bookmark(): Promise<void> {
    await this.model.watch.bookmark(this.text.peek().trim());
    this.said.value = `Bookmark at ${lengthText(this.recording?.lengthUs ?? 0)}.`;
    this.text.value = '';
    await this.model.refresh();
  }

  /** Returns whether the browser was given the file. If not, `said` contains the reason. */
  async download(lastUs?: number): Promise<boolean> {
    const lengthUs = this.recording?.lengthUs ?? 0;
    const options = { identifiers: this.identifiers.peek(), ...(lastUs !== undefined && { lastUs }) };
    try {
      save(await this.model.watch.file(options));
      if (lastUs === undefined || lastUs >= lengthUs) this.savedUs = lengthUs;
      this.said.value = 'Saved. Open it on the Call page of ccscope, or with ccscope replay.';
      return true;
    } catch (error) {
      const fix =
        lastUs === undefined
          ? 'Save the last ten minutes instead.'
          : 'Free some memory or disk space, then try again.';
      this.said.value = `The recording could not be saved: ${error instanceof Error ? error.message : String(error)}. ${fix}`;
      return false;
    }
  }
}

const panels = new WeakMap<Model, Panel>();

function panelOf(model: Model): Panel {
  const panel = panels.get(model) ?? new Panel(model);
  panels.set(model, panel);
  return panel;
}

/** Lets the browser save a file. The link for this is never inserted into the document of the page. */
function save(file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = `ccscope-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.ndjson`;
  link.click();
  // By this time, the browser has certainly opened the file.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** `12:03`, `1:02:03`. */
export function lengthText(us: number): string {
  const s = Math.floor(us / 1e6);
  const [hours, minutes, seconds] = [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** `820 kB`, `12 MB`. */
export const sizeText = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.round(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${Math.round(bytes / 1e6)} MB`
      : `${(bytes / 1e9).toFixed(1)} GB`;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Adds a bookmark when the key `b` is pressed in the view, except in a text field. */
export function listenForBookmarks(root: ShadowRoot | Document, model: Model): void {
  root.addEventListener('keydown', (event) => {
    const { key, ctrlKey, altKey, metaKey, target } = event as KeyboardEvent;
    if (key !== KEY || ctrlKey || altKey || metaKey || isTyping(target)) return;
    event.preventDefault();
    void panelOf(model).bookmark();
  });
}

/** Detaches the overlay from the page. If much of the recording would be lost, asks the user first. */
export function leave(model: Model, detach: () => void): void {
  const panel = panelOf(model);
  const { lengthUs = 0, keptUs = 0 } = panel.recording ?? {};
  const lostUs = Math.min(keptUs, lengthUs - panel.savedUs);
  if (lostUs < WORTH_US) detach();
  else panel.asks.value += 1;
}

interface RecordPanelProps {
  model: Model;
  /** Called when the user agrees to delete the recording. Absent if the view cannot be detached. */
  onDetach?: () => void;
}

export function RecordPanel({ model, onDetach }: RecordPanelProps) {
  const panel = panelOf(model);
  const id = useId();
  const saving = useSignal(false);
  const question = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (panel.asks.value > 0) question.current?.focus();
  }, [panel.asks.value]);
  const section = useRef<HTMLElement>(null);
  const recording = model.state.value?.recording;
  if (recording === undefined) return null;
  const close = (): void => {
    // The pressed button is about to disappear. The focus stays in the overlay, whose keys work there.
    if (question.current?.matches(':focus-within') === true) section.current?.focus();
    panel.asks.value = 0;
  };
  const { lengthUs, keptUs, bytes, bookmarks, keepsAll } = recording;
  const download = async (lastUs?: number): Promise<boolean> => {
    saving.value = true;
    const isSaved = await panel.download(lastUs);
    saving.value = false;
    return isSaved;
  };
  return (
    <section ref={section} class="recording" aria-label="Recording" tabIndex={-1}>
      <b>Recording</b>
      <span class="reading">
        {lengthText(keptUs)}, {sizeText(bytes)}
        {bookmarks > 0 && `, ${counted(bookmarks, 'bookmark')}`}
      </span>
      {!keepsAll && keptUs < lengthUs && (
        <span class="soft">of {lengthText(lengthUs)}: what is older is not kept</span>
      )}
      <button type="button" disabled={saving.value} onClick={() => void download()}>
        Download
      </button>
      {keptUs > TEN_MINUTES_US && (
        <button type="button" disabled={saving.value} onClick={() => void download(TEN_MINUTES_US)}>
          Download the last ten minutes
        </button>
      )}
      <label>
        <input
          type="checkbox"
          checked={panel.identifiers.value}
          onChange={({ currentTarget }) => (panel.identifiers.value = currentTarget.checked)}
        />{' '}
        with addresses, ids, labels and URLs
      </label>
      <span class="spring" />
      <label class="soft" for={id}>
        Bookmark
      </label>
      <input
        id={id}
        type="text"
        size={14}
        maxLength={200}
        placeholder="what happened"
        value={panel.text.value}
        onInput={({ currentTarget }) => (panel.text.value = currentTarget.value)}
        onKeyDown={(event) => {
          // Text that is typed here must not trigger shortcuts of the page.
          event.stopPropagation();
          if (event.key === 'Enter') void panel.bookmark();
        }}
      />
      <button type="button" title="Key b" onClick={() => void panel.bookmark()}>
        Add
      </button>
      <span class="soft" role="status">
        {panel.said.value}
      </span>
      {panel.asks.value > 0 && (
        <div
          ref={question}
          role="alertdialog"
          aria-label="The recording would be lost"
          class="leaving"
          tabIndex={-1}
        >
          Detaching deletes the recording of {lengthText(keptUs)}.{' '}
          <button type="button" onClick={() => void download().then((isSaved) => isSaved && close())}>
            Download it first
          </button>{' '}
          <button type="button" onClick={onDetach}>
            Delete it and detach
          </button>{' '}
          <button type="button" onClick={close}>
            Stay
          </button>
        </div>
      )}
    </section>
  );
}
