/**
 * Keeps a copy of everything that a trace worker was given. If the worker ends, its replacement is given the
 * copy.
 */
import type { TraceBatch, TraceEvent } from '../../core/index.js';
import { packBatches, type PackedBatches } from '../../trace/index.js';

/**
 * How many batches are stored in one blob. Browsers keep blobs outside the memory of the page, and large blobs
 * on disk.
 */
const SEAL = 512;
/**
 * The interval between blobs, if `onSealed` is given: after this time, the next batch completes a blob, even if
 * it contains fewer than SEAL batches.
 */
const SEAL_MS = 2000;

/** Receives a journal's entries in order. */
export interface JournalReader {
  appendPacked(packed: PackedBatches): void;
  appendEvent(event: TraceEvent): void;
  open(file: Blob): Promise<unknown>;
}

/** A part of the recorded contents, in a form that can be stored elsewhere. */
export type JournalEntry = { event: TraceEvent } | { layout: PackedBatches['layout']; values: Blob };
type Entry = { file: Blob } | JournalEntry;

/** Passes the contents of an entry to a reader. */
export async function replayEntry(
  entry: JournalEntry,
  reader: Pick<JournalReader, 'appendEvent' | 'appendPacked'>,
): Promise<void> {
  if ('event' in entry) {
    reader.appendEvent(entry.event);
    return;
  }
  const values = new Float64Array(await entry.values.arrayBuffer());
  reader.appendPacked({ layout: entry.layout.slice(), values });
}

export class TraceJournal {
  #entries: Entry[] = [];
  #open: TraceBatch[] = [];
  #sealedAtMs = -Infinity;

  /**
   * `onSealed` receives each new entry, but not the files passed to `restart`. If `onSealed` is given, an
   * entry of batches is completed by the first batch that arrives more than SEAL_MS after the previous entry
   * of batches.
   */
  constructor(private readonly onSealed?: (entry: JournalEntry) => void) {}

  /** Keeps a copy of a batch, since the caller transfers its columns. */
  batch({ table, rows, columns }: TraceBatch): void {
    this.#open.push({ table, rows, columns: columns.map((column) => column.slice()) });
    const isDue = this.onSealed !== undefined && performance.now() - this.#sealedAtMs > SEAL_MS;
    if (this.#open.length >= SEAL || isDue) this.#seal();
  }

  /** Keeps a copy of many batches. */
  packed({ layout, values }: PackedBatches): void {
    this.#seal();
    this.#push({ layout: layout.slice(), values: new Blob([values]) });
  }

  event(event: TraceEvent): void {
    this.#seal();
    this.#push({ event });
  }

  #push(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.onSealed?.(entry);
  }

  /** Discards all entries so far. The new contents are those of `file`; without it, the journal is empty. */
  restart(file?: Blob): void {
    this.#open = [];
    this.#entries = file ? [{ file }] : [];
  }

  #seal(): void {
    if (this.#open.length === 0) return;
    this.#sealedAtMs = performance.now();
    const packed = packBatches(this.#open);
    this.#open = [];
    this.packed(packed);
  }

  /** Passes all entries to `reader`, including those added during the replay. */
  async replay(reader: JournalReader): Promise<void> {
    this.#seal();
    for (let i = 0; i < this.#entries.length; i++) {
      const entry = this.#entries[i];
      if (entry === undefined) continue;
      if ('file' in entry) await reader.open(entry.file);
      else await replayEntry(entry, reader);
      if (i === this.#entries.length - 1) this.#seal();
    }
  }
}
