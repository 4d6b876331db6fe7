/**
 * The sample on the Call page never replaces the user's own trace file or call, no matter which of them is read first.
 * A call and a file never write into the recorder's store at the same time.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';

/**
 * A fake store. The test decides when the store has read a file. `content` is the name of the file read last.
 */
const store = vi.hoisted(() => ({
  content: '',
  reading: [] as { name: string; end: () => void }[],
  open(file: Blob): Promise<object> {
    const name = (file as File).name;
    return new Promise((resolve) => {
      const end = (): void => {
        store.content = name;
        resolve({ ccscope_trace: 1, title: name });
      };
      store.reading.push({ name, end });
    });
  },
  clear(): Promise<void> {
    store.content = '';
    return Promise.resolve();
  },
}));
vi.mock('../../../src/worker/trace/trace_client.js', () => ({
  createTraceStore: () => Promise.resolve(store),
}));
vi.mock('../../../src/app/session/kept_recording.js', () => ({
  KeptRecording: class {
    begin(): void {}
    end(): void {}
  },
}));
const { notices, notify } = await import('../../../src/app/notices.js');
const { Recorder } = await import('../../../src/app/session/recorder.js');

const SAMPLE = new File([], 'sample');
const MINE = new File([], 'mine');
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const end = (name: string): void => store.reading.find((each) => each.name === name)?.end();

beforeEach(() => {
  store.content = '';
  store.reading = [];
});

describe('the sample', () => {
  it('is shown while nothing else is', async () => {
    const recorder = await Recorder.create();
    const shown = recorder.showSample(SAMPLE);
    end('sample');
    await shown;
    expect(recorder.shown.value).toMatchObject({ kind: 'sample', name: 'sample' });
  });

  it('is not read any more once a file is being read', async () => {
    const recorder = await Recorder.create();
    const opened = recorder.open(MINE);
    await recorder.showSample(SAMPLE);
    await settled();
    end('mine');
    await opened;
    expect(store.reading.map(({ name }) => name)).toEqual(['mine']);
    expect(recorder.shown.value).toMatchObject({ kind: 'file', name: 'mine' });
  });

  it('is read to its end before a file that comes meanwhile', async () => {
    const recorder = await Recorder.create();
    const shown = recorder.showSample(SAMPLE);
    const opened = recorder.open(MINE);
    await settled();
    expect(store.reading.map(({ name }) => name)).toEqual(['sample']);
    end('sample');
    await shown;
    await settled();
    end('mine');
    await opened;
    expect(store.content).toBe('mine');
    expect(recorder.shown.value).toMatchObject({ kind: 'file', name: 'mine' });
  });

  it('waits until a file is read before a call begins, and ends the call before a file is read', async () => {
    const recorder = await Recorder.create();
    const steps: string[] = [];
    recorder.endCall = () => {
      steps.push(`call ended, ${store.reading.length} files begun`);
      return Promise.resolve();
    };
    const opened = recorder.open(MINE).then(() => steps.push(`read ${store.content}`));
    const begun = recorder
      .begin({}, () => true)
      .then(() => steps.push(`call begun, the store has "${store.content}"`));
    await settled();
    end('mine');
    await Promise.all([opened, begun]);
    expect(steps).toEqual(['call ended, 0 files begun', 'read mine', 'call begun, the store has ""']);
    expect(recorder.shown.value.kind).toBe('call');
  });

  it('does not come into a call that has begun', async () => {
    const recorder = await Recorder.create();
    await Promise.all([recorder.begin({}, () => true), recorder.showSample(SAMPLE)]);
    expect(store.reading).toEqual([]);
    expect(recorder.shown.value.kind).toBe('call');
  });
});

it('no longer says at the next call that the last recording would not survive a reload', async () => {
  const recorder = await Recorder.create();
  notify('warning', 'kept', 'The recording would not survive a reload.', '');
  await recorder.begin({}, () => true);
  expect(notices.value).toEqual([]);
});
