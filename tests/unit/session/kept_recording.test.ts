/** Recordings in the browser's database, which may be full, and which other pages read and change, too. */
import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { StoredRecording } from '../../../src/app/stored.js';

/** The database. While it is full, it takes nothing new, but still deletes. */
const stored = vi.hoisted(() => ({
  recordings: new Map<string, StoredRecording>(),
  entries: new Map<number, { recording: string; entry: unknown }>(),
  isFull: false,
}));
vi.mock('../../../src/app/stored.js', () => {
  let lastKey = 0;
  const write = async (work: () => void): Promise<void> => {
    await Promise.resolve();
    if (stored.isFull) throw new DOMException('', 'QuotaExceededError');
    work();
  };
  const entriesOf = (id: string) => [...stored.entries].filter(([, { recording }]) => recording === id);
  const stores = {
    recordings: {
      getKey: (id: string) => Promise.resolve(stored.recordings.has(id) ? id : undefined),
      delete: (id: string) => Promise.resolve(stored.recordings.delete(id)),
    },
    entries: {
      index: () => ({
        getAll: (id: string) => Promise.resolve(entriesOf(id).map(([, value]) => value)),
        getAllKeys: (id: string) => Promise.resolve(entriesOf(id).map(([key]) => key)),
      }),
      delete: (key: number) => Promise.resolve(stored.entries.delete(key)),
    },
  };
  const database = {
    put: (_: string, value: StoredRecording) => write(() => stored.recordings.set(value.id, value)),
    add: (_: string, value: { recording: string; entry: unknown }) =>
      write(() => stored.entries.set((lastKey += 1), value)),
    getAll: () => Promise.resolve([...stored.recordings.values()]),
    transaction: () => ({
      objectStore: (name: keyof typeof stores) => stores[name],
      done: Promise.resolve(),
    }),
  };
  return { openDatabase: () => Promise.resolve(database) };
});
/** The names of the locks that open pages hold. */
const held = new Set<string>();
vi.stubGlobal('navigator', {
  locks: {
    async request(name: string, ...rest: unknown[]): Promise<unknown> {
      const work = rest.at(-1) as (lock: object | null) => unknown;
      if (rest.length > 1) return work(held.has(name) ? null : {});
      held.add(name);
      await work({});
      held.delete(name);
      return undefined;
    },
  },
});
const { KeptRecording, NotKept } = await import('../../../src/app/session/kept_recording.js');
const { messageOf } = await import('../../../src/app/notices.js');

const failures: string[] = [];
const page = () => new KeptRecording((error) => failures.push(messageOf(error)));
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Begins a recording with one entry in a page. */
async function begun(kept: InstanceType<typeof KeptRecording>): Promise<StoredRecording> {
  const before = new Set(stored.recordings.keys());
  kept.begin({});
  kept.add('entry' as never);
  await settled();
  const recording = [...stored.recordings.values()].find(({ id }) => !before.has(id));
  if (recording === undefined) throw new Error('the recording was not stored');
  return recording;
}

beforeEach(() => {
  stored.recordings.clear();
  stored.entries.clear();
  stored.isFull = false;
  held.clear();
  failures.length = 0;
});

describe('a recording that an earlier visit left', () => {
  it('is read as long as it is there, and then said to be gone', async () => {
    const earlier = page();
    const left = await begun(earlier);
    earlier.end();
    expect(await page().read(left)).toEqual(['entry']);
    await page().discard(left);
    const gone = await page()
      .read(left)
      .catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(NotKept);
    expect(messageOf(gone)).toBe('it was saved or discarded in another tab');
  });

  it('is offered only once the page that made it is gone', async () => {
    const live = page();
    const recording = await begun(live);
    expect(await page().left()).toEqual([]);
    live.end();
    await settled();
    expect((await page().left()).map(({ id }) => id)).toEqual([recording.id]);
  });

  it('is deleted when a recording begins and three newer ones are left', async () => {
    const kept = page();
    const ids: string[] = [];
    for (let call = 0; call < 6; call += 1) {
      vi.setSystemTime(call * 1000);
      ids.push((await begun(kept)).id);
    }
    vi.useRealTimers();
    expect([...stored.recordings.keys()]).toEqual(ids.slice(-4));
  });

  it('is discarded by no page while another one has it', async () => {
    const earlier = page();
    const left = await begun(earlier);
    earlier.end();
    await settled();
    const [first, second] = [page(), page()];
    first.own(left);
    await second.discard(left);
    expect(await second.read(left)).toEqual(['entry']);
    first.end();
    await settled();
    await second.discard(left);
    await expect(first.read(left)).rejects.toThrow(NotKept);
  });
});

describe('a full database', () => {
  it('is told once, by the name of an error without a message, and for the next recording again', async () => {
    const kept = page();
    stored.isFull = true;
    for (let call = 0; call < 2; call += 1) {
      kept.begin({});
      kept.add('entry' as never);
      await settled();
      kept.add('entry' as never);
      await settled();
    }
    expect(failures).toEqual(['QuotaExceededError', 'QuotaExceededError']);
  });

  it('still deletes what is discarded or saved', async () => {
    const kept = page();
    const left = await begun(kept);
    const saved = await begun(kept);
    stored.isFull = true;
    kept.add('entry' as never);
    await settled();
    expect(failures).toHaveLength(1);
    await kept.discard(left);
    kept.forget();
    await settled();
    expect(stored.recordings.size + stored.entries.size).toBe(0);
    await expect(kept.read(saved)).rejects.toThrow(NotKept);
  });

  it('keeps the next recording once it has room', async () => {
    const kept = page();
    stored.isFull = true;
    kept.begin({});
    await settled();
    stored.isFull = false;
    expect(await kept.read(await begun(kept))).toEqual(['entry']);
    expect(failures).toHaveLength(1);
  });
});
