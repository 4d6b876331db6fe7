/**
 * A window's report is `unheard` until the listener acknowledges it. If a report stays unheard for too long,
 * all actions on the window's calls are undone.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const clock = vi.hoisted(() => ({ ms: 0 }));
vi.mock('../../../src/inject/natives.js', () => ({ epochMs: () => clock.ms }));

const { Reporter } = await import('../../../src/inject/reporter.js');
type Deliver = ConstructorParameters<typeof Reporter>[1];

beforeEach(() => {
  clock.ms = 0;
  vi.stubGlobal('location', { href: 'https://a.example/' });
});
afterEach(() => void vi.unstubAllGlobals());

const NOTICE = { level: 'info', code: 'c', message: 'm', fix: 'f' } as const;

/**
 * Sends a batch every half second for `ms` milliseconds. Returns the age, in milliseconds, of the oldest
 * batch that the listener has not acknowledged; 0 if there is none.
 */
async function after(ms: number, reporter: InstanceType<typeof Reporter>): Promise<number> {
  for (const end = clock.ms + ms; clock.ms < end; clock.ms += 500) {
    reporter.notice(0, NOTICE);
    await Promise.race([reporter.send(), Promise.resolve()]);
    await Promise.resolve();
  }
  return reporter.unheardMs;
}

describe('a window’s new name after a pause', () => {
  it('is told at once, even if there is nothing else to report', async () => {
    const windows: string[] = [];
    const reporter = new Reporter(0, ({ window }) => void windows.push(window));
    reporter.notice(0, NOTICE);
    await reporter.send();
    reporter.pause();
    await reporter.send();
    reporter.resume();
    await reporter.send();
    await reporter.send();
    expect(windows).toHaveLength(2);
    expect(windows[1]).not.toBe(windows[0]);
  });

  it('is not told by a window that never reported anything', async () => {
    const deliver = vi.fn();
    const reporter = new Reporter(0, deliver);
    reporter.pause();
    reporter.resume();
    await reporter.send();
    expect(deliver).not.toHaveBeenCalled();
  });
});

describe('a window’s reports', () => {
  it('are heard while the listener takes them, whether it answers at once or later', async () => {
    const answers: Deliver[] = [() => undefined, () => Promise.resolve()];
    for (const deliver of answers)
      expect(await after(20_000, new Reporter(0, deliver))).toBeLessThanOrEqual(500);
  });

  it('are unheard from the first one on that is never answered', async () => {
    expect(await after(20_000, new Reporter(0, () => new Promise<void>(() => undefined)))).toBe(20_000);
  });

  it.each<[string, Deliver]>([
    ['rejects', () => Promise.reject(new Error('gone'))],
    [
      'is missing',
      () => {
        throw new TypeError('no binding');
      },
    ],
  ])('are unheard while the listener %s, and heard again once it takes one', async (_, failing) => {
    let deliver = failing;
    const reporter = new Reporter(0, (batch) => deliver(batch));
    expect(await after(20_000, reporter)).toBe(20_000);
    deliver = () => undefined;
    expect(await after(500, reporter)).toBeLessThanOrEqual(500);
    expect(await after(20_000, reporter)).toBeLessThanOrEqual(500);
  });

  it('do not count for another listener', async () => {
    const reporter = new Reporter(0, () => Promise.reject(new Error('gone')));
    await after(20_000, reporter);
    reporter.resume(() => undefined);
    expect(reporter.unheardMs).toBe(0);
  });
});
