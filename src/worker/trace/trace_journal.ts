/** Everything that a trace worker was given, so that a replacement can be given it again. */
import type { TraceBatch, TraceEvent } from '../../core/index.js';
import { packBatches, type PackedBatches } from '../../trace/index.js';

/** How many batches become one blob: browsers keep blobs out of the page's memory, large ones on disk. */
const SEAL = 512;

/** Receives a journal's entries in order. */
export interface JournalReader {
  appendPacked(packed: PackedBatches): void;
  appendEvent(event: TraceEvent): void;
  open(file: Blob): Promise<unknown>;
}

type Entry = { file: Blob } | { event: TraceEvent } | { layout: PackedBatches['layout']; values: Blob };

export class TraceJournal {
  #entries: Entry[] = [];
  #open: TraceBatch[] = [];

  /** Keeps a copy: the caller transfers the columns. */
  batch({ table, rows, columns }: TraceBatch): void {
    this.#open.push({ table, rows, columns: columns.map((column) => column.slice()) });
    if (this.#open.length >= SEAL) this.#seal();
  }

  /** The same for many batches. */
  packed({ layout, values }: PackedBatches): void {
    this.#seal();
    this.#entries.push({ layout: layout.slice(), values: new Blob([values]) });
  }

  event(event: TraceEvent): void {
    this.#seal();
    this.#entries.push({ event });
  }

  /** Discards everything before; the contents are now this file's, or empty. */
  restart(file?: Blob): void {
    this.#open = [];
    this.#entries = file ? [{ file }] : [];
  }

  #seal(): void {
    if (this.#open.length === 0) return;
    const packed = packBatches(this.#open);
    this.#open = [];
    this.packed(packed);
  }

  /** Replays everything. Entries that are added meanwhile are included. */
  async replay(reader: JournalReader): Promise<void> {
    this.#seal();
    for (let i = 0; i < this.#entries.length; i++) {
      const entry = this.#entries[i];
      if (entry === undefined) continue;
      if ('file' in entry) await reader.open(entry.file);
      else if ('event' in entry) reader.appendEvent(entry.event);
      else {
        const values = new Float64Array(await entry.values.arrayBuffer());
        reader.appendPacked({ layout: entry.layout.slice(), values });
      }
      if (i === this.#entries.length - 1) this.#seal();
    }
  }
}
