/** One call at a time, which may fail and come back, and writes only into its own recording. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { CallOptions, CallStatus } from '../../../src/rtc/index.js';

/** The calls that were made, with the functions by which the test reports for them. */
const made = vi.hoisted(() => ({
  calls: [] as { options: CallOptions; isClosed: boolean }[],
  /** What a call waits for when it is closed. */
  closing: Promise.resolve(),
  links: [] as ((rows: object[]) => void)[],
  /** What a call waits for between its link and its recording. */
  inviting: Promise.resolve(),
  /** What the recorder reads before it begins a recording. */
  reading: Promise.resolve(),
  /** The track that is sent. */
  track: new EventTarget(),
  /** Restarts the latest call. */
  restart: (): void => undefined,
}));
vi.mock('../../../src/rtc/index.js', () => ({
  createCall: (options: CallOptions) => {
    const call = { options, isClosed: false };
    made.calls.push(call);
    return Promise.resolve({
      remoteStream: null,
      mediaStats: () => Promise.resolve(null),
      close: async () => {
        await made.closing;
        call.isClosed = true;
      },
    });
  },
}));
vi.mock('../../../src/app/session/path.js', () => ({
  openPath: async (_: object, { rows }: { rows: (rows: object[]) => void }) => {
    made.links.push(rows);
    await made.inviting;
    return {};
  },
}));
vi.mock('../../../src/app/session/server_client.js', () => ({
  ServerClient: { connect: () => Promise.resolve({ close: () => undefined, onLost: () => undefined }) },
  ServerError: Error,
}));
vi.mock('../../../src/app/session/source.js', () => ({
  SourceKeeper: class {
    fps = 30;
    stop(): void {}
    open(): Promise<object> {
      return Promise.resolve({ track: made.track });
    }
  },
  videoOf: () => null,
}));
vi.mock('../../../src/app/session/live_changes.js', () => ({
  LiveChanges: class {
    end(): void {}
  },
}));
vi.mock('../../../src/app/session/restarts.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  watchForRestart: ({ restart }: { restart: (changes: object) => void }) => {
    made.restart = () => restart([]);
    return () => undefined;
  },
}));
vi.stubGlobal('location', new URL('https://ccscope.example/'));
vi.stubGlobal(
  'MediaStream',
  class {
    getVideoTracks(): [] {
      return [];
    }
  },
);
const { Session } = await import('../../../src/app/session/session.js');
const { change } = await import('../../../src/app/settings.js');
const { dismiss, notices, notify } = await import('../../../src/app/notices.js');
const { ownControllers } = await import('../../../src/app/own_controllers.js');
const { DEFAULT_STATE } = await import('../../../src/app/state.js');

const written: string[] = [];
const recorder = {
  append: ({ table }: { table: string }) => written.push(table),
  event: ({ name }: { name: string }) => written.push(name),
  begin: async (_: object, isWanted: () => boolean) => {
    await made.reading;
    if (isWanted()) written.push('begin');
  },
  resume: () => written.push('resume'),
  nameShadows: () => undefined,
  grows: () => false,
  ownInCharge: [] as object[],
};
const ROW = { link: 0, time_us: 1e6, queue_delay_us: 0, queue_bytes: 0, capacity_bps: 1e6, drops: 0 };

afterEach(() => {
  vi.useRealTimers();
  change(DEFAULT_STATE);
  for (const { code } of notices.peek()) dismiss(code);
});
beforeEach(() => {
  made.calls = [];
  made.links = [];
  recorder.ownInCharge = [];
  made.closing = made.inviting = made.reading = Promise.resolve();
  written.length = 0;
});

const session = () => new Session(recorder as never);

function report(call: number, phase: CallStatus['phase']): void {
  const nothing = { notices: [], deadWorkers: [], controllerFaults: [] };
  made.calls[call]?.options.onStatus({ ...nothing, phase } as never);
}

describe('a call that failed', () => {
  it('is live again if it comes back', async () => {
    const calls = session();
    await calls.start();
    for (const phase of ['connected', 'failed', 'connected'] as const) {
      report(0, phase);
      expect(calls.phase.value).toBe(phase);
    }
    await calls.stop();
  });

  it('is followed by one call, however often Start is pressed', async () => {
    const calls = session();
    await calls.start();
    report(0, 'failed');
    let close = (): void => undefined;
    made.closing = new Promise((resolve) => (close = resolve));
    const starts = [calls.start(), calls.start()];
    close();
    await Promise.all(starts);
    expect(made.calls.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    await calls.stop();
    expect(made.calls.every(({ isClosed }) => isClosed)).toBe(true);
  });
});

describe('a controller of the user', () => {
  const choose = (): string => {
    ownControllers.keep(new File([''], 'mine.js'), 'call');
    return ownControllers.urlOf('mine.js');
  };
  /** The URLs of the modules that were in charge, one for each call that was made. */
  const urls = (): (string | undefined)[] => made.calls.map(({ options: { controller } }) => controller?.url);
  const again = async (): Promise<void> => {
    const { length } = made.calls;
    made.restart();
    await vi.waitFor(() => expect(made.calls).toHaveLength(length + 1));
  };

  it('stays in charge of a call that is restarted, until the call is stopped and started', async () => {
    const first = choose();
    change({ controller: 'own:mine.js' });
    const calls = session();
    await calls.start();
    const edited = choose();
    await again();
    await again();
    await calls.stop();
    await calls.start();
    expect(urls()).toEqual([first, first, first, edited]);
    expect(recorder.ownInCharge).toEqual(urls().map((url) => ({ name: 'mine.js', url })));
    await calls.stop();
  });

  it('is the one that was there when Start was pressed, even if the call takes long to begin', async () => {
    const first = choose();
    change({ controller: 'own:mine.js' });
    let invite = (): void => undefined;
    made.inviting = new Promise((resolve) => (invite = resolve));
    const calls = session();
    const started = calls.start();
    await vi.waitFor(() => expect(made.links).toHaveLength(1));
    choose();
    invite();
    await started;
    expect(urls()).toEqual([first]);
    await calls.stop();
  });

  it('is the newest file if another controller was in charge, and then no notice says otherwise', async () => {
    choose();
    const calls = session();
    await calls.start();
    expect(calls.controller).toBe('gcc');
    notify('info', 'own-controller-changed', 'The call goes on.', '');
    const edited = choose();
    change({ controller: 'own:mine.js' });
    expect(calls.controller).toBe('gcc');
    await again();
    expect(calls.controller).toBe('own:mine.js');
    expect(urls()).toEqual([undefined, edited]);
    expect(notices.value.map(({ code }) => code)).not.toContain('own-controller-changed');
    await calls.stop();
    expect(calls.controller).toBeNull();
  });
});

describe('a time after which the call stops', () => {
  it('counts from the beginning of the call, also if it is chosen during the call', async () => {
    vi.useFakeTimers();
    const calls = session();
    await calls.start();
    report(0, 'connected');
    await vi.advanceTimersByTimeAsync(2000);
    change({ duration_s: 5 });
    await vi.advanceTimersByTimeAsync(2900);
    expect(calls.phase.value).toBe('connected');
    await vi.advanceTimersByTimeAsync(200);
    expect(calls.phase.value).toBe('idle');
  });

  it('does not end the call if it has passed already, nor does a later restart', async () => {
    vi.useFakeTimers();
    const calls = session();
    await calls.start();
    report(0, 'connected');
    await vi.advanceTimersByTimeAsync(10_000);
    change({ duration_s: 5 });
    made.restart();
    await vi.advanceTimersByTimeAsync(1000);
    report(1, 'connected');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.phase.value).toBe('connected');
    await calls.stop();
  });
});

describe('a camera that ends', () => {
  const told = (): boolean => notices.value.some(({ code }) => code === 'source-ended');

  it('is mentioned and recorded, until the call is stopped', async () => {
    change({ source: 'camera' });
    const calls = session();
    await calls.start();
    report(0, 'connected');
    made.track.dispatchEvent(new Event('ended'));
    expect(told()).toBe(true);
    expect(written).toContain('source_ended');
    await calls.stop();
    expect(told()).toBe(false);
    made.track.dispatchEvent(new Event('ended'));
    expect(told()).toBe(false);
  });
});

describe('the recording', () => {
  it('is not begun, and no call, if Stop is pressed while a file is still being read', async () => {
    const calls = session();
    let read = (): void => undefined;
    made.reading = new Promise((resolve) => (read = resolve));
    const started = calls.start();
    await vi.waitFor(() => expect(made.links).toHaveLength(1));
    await calls.stop();
    read();
    await started;
    expect(calls.phase.value).toBe('idle');
    expect(written).toEqual([]);
    expect(made.calls).toEqual([]);
  });

  it('grows as long as the call may come back', async () => {
    const calls = session();
    await calls.start();
    for (const phase of ['connected', 'failed'] as const) {
      report(0, phase);
      expect(recorder.grows()).toBe(true);
    }
    await calls.stop();
    expect(recorder.grows()).toBe(false);
  });

  it('counts on before the link of a call that was restarted reports rows', async () => {
    const calls = session();
    await calls.start();
    made.inviting = new Promise(() => undefined);
    made.restart();
    await vi.waitFor(() => expect(made.links).toHaveLength(2));
    made.links[1]?.([ROW]);
    expect(written.slice(-2)).toEqual(['resume', 'queue']);
    await calls.stop();
  });

  it('has nothing of a call that has not begun', async () => {
    const calls = session();
    made.inviting = new Promise(() => undefined);
    void calls.start();
    await vi.waitFor(() => expect(made.links).toHaveLength(1));
    made.links[0]?.([ROW]);
    expect(recorder.grows()).toBe(false);
    await calls.stop();
    expect(written).toEqual([]);
  });

  it('has the rows of the link, the start and the stop of a call that has', async () => {
    const calls = session();
    await calls.start();
    made.links[0]?.([ROW]);
    await calls.stop();
    expect(written).toEqual(['begin', 'start', 'queue', 'stop']);
  });
});
