/**
 * The recording of a call as it is kept in the browser's database while it grows, so that it outlives the page: a
 * navigation, a reload, a crash. A lock tells which recordings have a page that lives.
 */
import type { TraceHeader } from '../../trace/index.js';
import type { JournalEntry } from '../../worker/trace/trace_journal.js';
import { openDatabase, type Database, type StoredRecording } from '../stored.js';

/** Older ones go when another begins. */
const MOST_KEPT = 3;

const lockOf = (id: string): string => `ccscope-recording-${id}`;

/** Locks are for secure contexts alone. */
const isPossible = 'locks' in navigator;

/** Holds the lock of a recording until the returned function is called, or the page is gone. */
function hold(id: string): () => void {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  void navigator.locks.request(lockOf(id), () => held);
  return release;
}

/** Whether no page has it that lives. */
const isLeft = ({ id }: StoredRecording): Promise<boolean> =>
  navigator.locks.request(lockOf(id), { ifAvailable: true }, (lock) => lock !== null);

async function remove(database: Database, id: string): Promise<void> {
  const transaction = database.transaction(['recordings', 'entries'], 'readwrite');
  const entries = transaction.objectStore('entries');
  const keys = await entries.index('recording').getAllKeys(id);
  await Promise.all([
    transaction.objectStore('recordings').delete(id),
    ...keys.map((key) => entries.delete(key)),
    transaction.done,
  ]);
}

async function leftIn(database: Database): Promise<StoredRecording[]> {
  const all = await database.getAll('recordings');
  const left = await Promise.all(all.map(isLeft));
  return all.filter((_, index) => left[index]).sort((a, b) => b.startedMs - a.startedMs);
}

export class KeptRecording {
  #recording: StoredRecording | null = null;
  #release: () => void = () => undefined;
  readonly #database: Promise<Database>;
  /** Writes come one after the other. */
  #writing: Promise<void> = Promise.resolve();
  #failed = false;

  /** Told once when the browser does not keep it. */
  constructor(private readonly onFailed: (error: unknown) => void) {
    this.#database = openDatabase();
    // Whoever reads or writes is told.
    this.#database.catch(() => undefined);
  }

  /** From now on it is another recording that is kept; the former one is left for another visit. */
  begin(header: Partial<TraceHeader>): void {
    if (!isPossible)
      return this.onFailed(new Error('only a page of this machine, or over HTTPS, may keep it'));
    const recording = { id: crypto.randomUUID(), startedMs: Date.now(), header };
    this.own(recording);
    this.#write(async (database) => {
      await database.put('recordings', recording);
      for (const { id } of (await leftIn(database)).slice(MOST_KEPT)) await remove(database, id);
    });
  }

  /** What its header says now. */
  describe(header: Partial<TraceHeader>): void {
    if (this.#recording === null) return;
    const recording = { ...this.#recording, header };
    this.#recording = recording;
    this.#write(async (database) => {
      await database.put('recordings', recording);
    });
  }

  add(entry: JournalEntry): void {
    const { id: recording } = this.#recording ?? {};
    if (recording === undefined) return;
    this.#write(async (database) => {
      await database.add('entries', { recording, entry });
    });
  }

  /** It stays where it is, and grows no more. */
  end(): void {
    this.#release();
    this.#release = () => undefined;
    this.#recording = null;
  }

  /** It was saved in another way. */
  forget(): void {
    const { id } = this.#recording ?? {};
    this.end();
    if (id !== undefined) this.discard(id);
  }

  discard(id: string): void {
    this.#write((database) => remove(database, id));
  }

  /** Those that earlier visits left, the newest first. */
  async left(): Promise<StoredRecording[]> {
    return isPossible ? leftIn(await this.#database) : [];
  }

  /** The entries of one that was left. */
  async read({ id }: StoredRecording): Promise<JournalEntry[]> {
    const all = await (await this.#database).getAllFromIndex('entries', 'recording', id);
    return all.map(({ entry }) => entry);
  }

  /** It is this page's from now on. */
  own(recording: StoredRecording): void {
    this.end();
    this.#recording = recording;
    this.#release = hold(recording.id);
  }

  #write(work: (database: Database) => Promise<void>): void {
    if (this.#failed) return;
    this.#writing = this.#writing
      .then(async () => work(await this.#database))
      .catch((error: unknown) => {
        if (this.#failed) return;
        this.#failed = true;
        this.onFailed(error);
      });
  }
}
