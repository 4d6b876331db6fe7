/**
 * Stores the parts of the recording that get too old for memory, called pieces, in the origin private file
 * system (OPFS). Each piece is a file in a folder of this session. The session locks its folder, and removes
 * the folder at its end. If a session dies, its folder remains without a lock, and the next session removes
 * it.
 *
 * Some pages have no private file system (sandboxed frames, private windows of some browsers) or no worker.
 * For these pages, only the latest minutes are kept, in memory. If a piece cannot be written, for example
 * because the disk is full, the oldest piece is dropped. If writing fails again, no more pieces are stored,
 * and `stopped` contains the reason.
 */
import type { Spilled } from '../watch/index.js';

const FOLDER = 'ccscope-recordings';
const LOCK = 'lock';
/** A file that is written whenever a session returns its files. */
const GIVEN = 'given';
/**
 * How long files stay after they were returned. A browser copies a download piece by piece, and cannot go on if a
 * file is removed.
 */
const READ_MS = 120_000;
/**
 * The limit for all pieces: about three hours of four received streams. Beyond it, the oldest pieces are
 * dropped.
 */
const MOST_BYTES = 2e9;

interface Piece {
  number: number;
  fromUs: number;
  name: string;
  bytes: number;
}

/** TypeScript's library declares `keys` of a folder only with an extra setting. */
type Folder = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };

async function lock(folder: FileSystemDirectoryHandle): Promise<FileSystemSyncAccessHandle> {
  const file = await folder.getFileHandle(LOCK, { create: true });
  return file.createSyncAccessHandle();
}

/** The time at which the files of a folder were last returned, in milliseconds since the Unix epoch. */
async function givenMs(folder: FileSystemDirectoryHandle): Promise<number> {
  const file = await folder.getFileHandle(GIVEN).catch(() => null);
  return file === null ? -Infinity : (await file.getFile()).lastModified;
}

/** Removes the folders of sessions that have ended or died. Such a folder is no longer locked. */
async function sweep(root: Folder): Promise<void> {
  for await (const name of root.keys()) {
    try {
      const folder = await root.getDirectoryHandle(name);
      (await lock(folder)).close();
      if (Date.now() - (await givenMs(folder)) < READ_MS) continue;
      await root.removeEntry(name, { recursive: true });
    } catch {
      // The folder is in use: another tab of this origin is recording into it.
    }
  }
}

export class SpillFiles {
  #pieces: Piece[] = [];
  #writing: Promise<void> = Promise.resolve();
  #ended = false;
  /** The reason why no more pieces are stored; null while pieces are stored. */
  #stopped: string | null = null;

  private constructor(
    private readonly root: Folder,
    private readonly name: string,
    private readonly folder: FileSystemDirectoryHandle,
    private readonly locked: FileSystemSyncAccessHandle,
  ) {}

  /** Starts a session. Resolves to null if the page has no private file system, or if this is not a worker. */
  static async open(): Promise<SpillFiles | null> {
    try {
      if (typeof document !== 'undefined') return null;
      const origin = await navigator.storage.getDirectory();
      const root = (await origin.getDirectoryHandle(FOLDER, { create: true })) as Folder;
      await sweep(root);
      const name = crypto.randomUUID();
      const folder = await root.getDirectoryHandle(name, { create: true });
      return new SpillFiles(root, name, folder, await lock(folder));
    } catch {
      return null;
    }
  }

  /** Stores a piece. Its lines are encoded at once, and written after the earlier pieces. */
  write({ number, fromUs, lines }: Spilled): void {
    const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`);
    this.#writing = this.#writing.then(() => this.#keep(number, fromUs, bytes));
  }

  /** Never rejects. */
  async #keep(number: number, fromUs: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#ended || this.#stopped !== null) return;
    const name = `${number}.ndjson`;
    try {
      await this.#write(name, bytes).catch(async () => {
        await this.#dropOldest();
        await this.#write(name, bytes);
      });
    } catch (error) {
      await this.#stop(name, error);
      return;
    }
    this.#pieces.push({ number, fromUs, name, bytes: bytes.byteLength });
    while (this.bytes > MOST_BYTES) await this.#dropOldest();
  }

  async #write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const file = await this.folder.getFileHandle(name, { create: true });
    const handle = await file.createSyncAccessHandle();
    try {
      handle.truncate(0);
      // If the disk is full, `write` may write only a part, without throwing an error.
      if (handle.write(bytes, { at: 0 }) < bytes.byteLength)
        throw new Error('only part of the data was written to the disk');
    } finally {
      handle.close();
    }
  }

  /** Drops the oldest piece. If its file cannot be removed now, it is removed with the folder. */
  async #dropOldest(): Promise<void> {
    const oldest = this.#pieces.shift();
    if (oldest !== undefined) await this.folder.removeEntry(oldest.name).catch(() => undefined);
  }

  /**
   * To be called when a piece cannot be written. The missing piece leaves a gap, so the earlier pieces are useless.
   * They are removed to free their space.
   */
  async #stop(name: string, error: unknown): Promise<void> {
    this.#stopped = error instanceof Error ? error.message : String(error);
    await this.folder.removeEntry(name).catch(() => undefined);
    while (this.#pieces.length > 0) await this.#dropOldest();
  }

  /** The reason why no more pieces are stored; null while pieces are stored. */
  get stopped(): string | null {
    return this.#stopped;
  }

  /** The total size of the stored pieces, in bytes. */
  get bytes(): number {
    return this.#pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Resolves when all pieces are written, including pieces that are added meanwhile. */
  async settled(): Promise<void> {
    let seen;
    do {
      seen = this.#writing;
      await seen;
    } while (seen !== this.#writing);
  }

  /** The oldest stored piece; null if there is no piece. */
  get first(): { number: number; fromUs: number } | null {
    return this.#pieces[0] ?? null;
  }

  /**
   * Returns the files of all stored pieces from number `first` on. Pieces that are still being written are left
   * out. Rejects if a piece is dropped before its file is opened.
   */
  async files(first: number): Promise<File[]> {
    const wanted = this.#pieces.filter(({ number }) => number >= first);
    if (wanted.length > 0) await this.#write(GIVEN, new Uint8Array([1])).catch(() => undefined);
    return Promise.all(wanted.map(async ({ name }) => (await this.folder.getFileHandle(name)).getFile()));
  }

  /** Ends the session. Removes its folder, or leaves this to the next session if the files may still be read. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.settled();
    this.locked.close();
    if (Date.now() - (await givenMs(this.folder)) < READ_MS) return;
    await this.root.removeEntry(this.name, { recursive: true }).catch(() => undefined);
  }
}
