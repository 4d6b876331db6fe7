/**
 * Stores what gets too old for the recording's memory in the origin's private file system: a file for each
 * piece, in a folder of this session. The folder is locked as long as the session lives, and removed at its
 * end; an unlocked folder was left by a session that died, and the next session removes it. Pages without such
 * a file system (sandboxed frames, private windows of some browsers) or without a worker keep the latest
 * minutes only. If the disk is full, the oldest piece is dropped; if that does not help, nothing more is
 * stored, and `stopped` says why.
 */
import type { Spilled } from '../watch/index.js';

const FOLDER = 'ccscope-recordings';
const LOCK = 'lock';
/** About three hours of four received streams: older pieces are dropped. */
const MOST_BYTES = 2e9;

interface Piece {
  number: number;
  fromUs: number;
  name: string;
  bytes: number;
}

/** TypeScript's library only declares the entries of a folder with an extra setting. */
type Folder = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };

async function lock(folder: FileSystemDirectoryHandle): Promise<FileSystemSyncAccessHandle> {
  const file = await folder.getFileHandle(LOCK, { create: true });
  return file.createSyncAccessHandle();
}

/** Removes the folders of sessions that died: those whose lock is free. */
async function sweep(root: Folder): Promise<void> {
  for await (const name of root.keys()) {
    try {
      const folder = await root.getDirectoryHandle(name);
      (await lock(folder)).close();
      await root.removeEntry(name, { recursive: true });
    } catch {
      // Another tab of this origin records into it.
    }
  }
}

export class SpillFiles {
  #pieces: Piece[] = [];
  #writing: Promise<void> = Promise.resolve();
  #ended = false;
  /** Why no more pieces are stored; null while they are. */
  #stopped: string | null = null;

  private constructor(
    private readonly root: Folder,
    private readonly name: string,
    private readonly folder: FileSystemDirectoryHandle,
    private readonly locked: FileSystemSyncAccessHandle,
  ) {}

  /** Null if the page has no private file system, or this is not a worker. */
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

  /** Stores a piece. The lines are encoded at once, and written when the disk is ready. */
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
      // A full disk may silently write only a part.
      if (handle.write(bytes, { at: 0 }) < bytes.byteLength)
        throw new Error('the disk took only a part of the data');
    } finally {
      handle.close();
    }
  }

  /** A file that cannot be removed now is removed with the folder. */
  async #dropOldest(): Promise<void> {
    const oldest = this.#pieces.shift();
    if (oldest !== undefined) await this.folder.removeEntry(oldest.name).catch(() => undefined);
  }

  /**
   * To be called when a piece cannot be written, which leaves a gap: the pieces before it become useless, and
   * their space is freed.
   */
  async #stop(name: string, error: unknown): Promise<void> {
    this.#stopped = error instanceof Error ? error.message : String(error);
    await this.folder.removeEntry(name).catch(() => undefined);
    while (this.#pieces.length > 0) await this.#dropOldest();
  }

  /** Why no more pieces are stored; null while they are. */
  get stopped(): string | null {
    return this.#stopped;
  }

  /** The size of all stored pieces. */
  get bytes(): number {
    return this.#pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Resolves when everything is written, including pieces added meanwhile. */
  async settled(): Promise<void> {
    let seen;
    do {
      seen = this.#writing;
      await seen;
    } while (seen !== this.#writing);
  }

  /** The first stored piece; null while there is none. */
  get first(): { number: number; fromUs: number } | null {
    return this.#pieces[0] ?? null;
  }

  /**
   * The pieces whose number is at least `first`, as files on the disk; pieces that are still being written are
   * left out. Rejects if a piece is dropped before its file is found.
   */
  files(first: number): Promise<File[]> {
    const wanted = this.#pieces.filter(({ number }) => number >= first);
    return Promise.all(wanted.map(async ({ name }) => (await this.folder.getFileHandle(name)).getFile()));
  }

  /** Removes everything. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.settled();
    this.locked.close();
    await this.root.removeEntry(this.name, { recursive: true }).catch(() => undefined);
  }
}
