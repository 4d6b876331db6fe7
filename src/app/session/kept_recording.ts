/**
 * The recording of a call, stored in the browser's database while it grows. It thus survives a navigation, a reload
 * or a crash of the page. A page holds a lock for its recording, so other pages can detect that the recording is in
 * use.
 */
import type { TraceHeader } from '../../trace/index.js';
import type { JournalEntry } from '../../worker/trace/trace_journal.js';
import { openDatabase, type Database, type StoredRecording } from '../stored.js';

/**
 * At most this many recordings from earlier visits are kept. When a recording begins, older recordings are deleted.
 */
const MOST_KEPT = 3;

const lockOf = (id: string): string => `ccscope-recording-${id}`;

/** Browsers offer locks only in secure contexts. */
const isPossible = 'locks' in navigator;

/** Holds the lock of a recording until the returned function is called, or until the page no longer exists. */
function hold(id: string): () => void {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  void navigator.locks.request(lockOf(id), () => held);
  return release;
}

/** How the lock of a recording is asked for at once. Several pages may ask at the same time. */
const AT_ONCE = { ifAvailable: true, mode: 'shared' } as const;

/** Whether the recording belongs to no open page, so that it can be offered to the user. */
const isLeft = ({ id }: StoredRecording): Promise<boolean> =>
  navigator.locks.request(lockOf(id), AT_ONCE, (lock) => lock !== null);

/** Thrown if a recording that was offered to the user is not kept any more. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

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
  /** The latest write; each write begins after the one before it has ended. */
  #writing: Promise<void> = Promise.resolve();
  /** The last recording that the browser could not keep. Nothing more is written of it. */
  #failed: string | undefined;

  /** `onFailed` is called when the browser cannot keep the recording. */
  constructor(private readonly onFailed: (error: unknown) => void) {
    this.#database = openDatabase();
    // Later reads and writes report the error. This handler only keeps the promise from counting as an unhandled
    // rejection.
    this.#database.catch(() => undefined);
  }

  /** Starts keeping a new recording. The previous recording remains stored for a later visit. */
  begin(header: Partial<TraceHeader>): void {
    if (!isPossible)
      return this.onFailed(
        new Error('browsers keep recordings only for pages that come from this machine or over HTTPS'),
      );
    const recording = { id: crypto.randomUUID(), startedMs: Date.now(), header };
    this.own(recording);
    this.#write(recording.id, async (database) => {
      await database.put('recordings', recording);
      for (const { id } of (await leftIn(database)).slice(MOST_KEPT)) await remove(database, id);
    });
  }

  /** Stores the current header of the recording. */
  describe(header: Partial<TraceHeader>): void {
    if (this.#recording === null) return;
    const recording = { ...this.#recording, header };
    this.#recording = recording;
    this.#write(recording.id, async (database) => {
      await database.put('recordings', recording);
    });
  }

  add(entry: JournalEntry): void {
    const { id: recording } = this.#recording ?? {};
    if (recording === undefined) return;
    this.#write(recording, async (database) => {
      await database.add('entries', { recording, entry });
    });
  }

  /** Ends the recording. It stays in the database. */
  end(): void {
    this.#release();
    this.#release = () => undefined;
    this.#recording = null;
  }

  /** Ends the recording and deletes it, since it was saved elsewhere. */
  forget(): void {
    const { id } = this.#recording ?? {};
    this.end();
    // If the copy cannot be deleted, it is only offered once more at a later visit.
    if (id !== undefined) this.#remove(id).catch(() => undefined);
  }

  /** Deletes a recording that an earlier visit left, unless an open page has recovered it meanwhile. */
  async discard({ id }: StoredRecording): Promise<void> {
    await navigator.locks.request(lockOf(id), AT_ONCE, (lock) =>
      lock === null ? undefined : this.#remove(id),
    );
  }

  /** The recordings that belong to no open page, newest first. */
  async left(): Promise<StoredRecording[]> {
    return isPossible ? leftIn(await this.#database) : [];
  }

  /** The entries of a recording that an earlier visit left. Rejects with NotKept if it was deleted meanwhile. */
  async read({ id }: StoredRecording): Promise<JournalEntry[]> {
    const transaction = (await this.#database).transaction(['recordings', 'entries']);
    const [key, all] = await Promise.all([
      transaction.objectStore('recordings').getKey(id),
      transaction.objectStore('entries').index('recording').getAll(id),
    ]);
    if (key === undefined) throw new NotKept('it was saved or discarded in another tab');
    return all.map(({ entry }) => entry);
  }

  /** Makes this page the owner of a recording: a new one, or one that an earlier visit left. */
  own(recording: StoredRecording): void {
    this.end();
    this.#recording = recording;
    this.#release = hold(recording.id);
  }

  #remove(id: string): Promise<void> {
    const removing = this.#writing.then(async () => remove(await this.#database, id));
    this.#writing = removing.catch(() => undefined);
    return removing;
  }

  /** Writes a part of the recording `id`. */
  #write(id: string, work: (database: Database) => Promise<void>): void {
    if (this.#failed === id) return;
    this.#writing = this.#writing
      .then(async () => work(await this.#database))
      .catch((error: unknown) => {
        if (this.#failed === id) return;
        this.#failed = id;
        this.onFailed(error);
      });
  }
}
