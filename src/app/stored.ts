/**
 * The data that the pages keep in the browser's database: recordings of calls, and a file that one page passes to
 * another.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';

import type { TraceHeader } from '../trace/index.js';
import type { JournalEntry } from '../worker/trace/trace_journal.js';

export interface StoredRecording {
  id: string;
  /** Milliseconds since the Unix epoch. */
  startedMs: number;
  header: Partial<TraceHeader>;
}

interface Stored extends DBSchema {
  recordings: { key: string; value: StoredRecording };
  /** Entries are in the order in which they were written. */
  entries: {
    key: number;
    value: { recording: string; entry: JournalEntry };
    indexes: { recording: string };
  };
  passed: { key: string; value: File };
}

export type Database = IDBPDatabase<Stored>;

/** Rejects if the browser refuses to store anything, as in some private windows. */
export const openDatabase = (): Promise<Database> =>
  openDB<Stored>('ccscope', 1, {
    upgrade(database) {
      database.createObjectStore('recordings', { keyPath: 'id' });
      database.createObjectStore('entries', { autoIncrement: true }).createIndex('recording', 'recording');
      database.createObjectStore('passed');
    },
  });

const PASSED = 'file';
/** A page that is opened with this fragment opens the file that another page passed to it. */
export const PASSED_FRAGMENT = '#passed';

/** Leaves a file for the page that is opened next. */
export async function passFile(file: File): Promise<void> {
  const database = await openDatabase();
  await database.put('passed', file, PASSED);
  database.close();
}

/** Takes the file that was left for this page; null if there is none. */
export async function takePassedFile(): Promise<File | null> {
  const database = await openDatabase();
  const file = await database.get('passed', PASSED);
  await database.delete('passed', PASSED);
  database.close();
  return file ?? null;
}
