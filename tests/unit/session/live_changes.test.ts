import { afterEach, expect, it, vi } from 'vitest';

vi.stubGlobal('location', new URL('https://ccscope.example/?role=receive&capacity=2mbps,600kbps@8s'));
const { LiveChanges } = await import('../../../src/app/session/live_changes.js');
const { Running } = await import('../../../src/app/session/running.js');
const { notices } = await import('../../../src/app/notices.js');
const { change, settings } = await import('../../../src/app/settings.js');

afterEach(() => void vi.useRealTimers());

it.each([
  ['receive', [], undefined],
  ['send', ['capacity', 'link'], 'in-page'],
] as const)('the link changes only in the page that has it: %s', async (role, recorded, at) => {
  vi.useFakeTimers();
  change({ role, loss: 0 });
  const names: string[] = [];
  const running = new Running(settings.peek());
  const changes = new LiveChanges(running, {
    event: ({ name }: { name: string }) => names.push(name),
  } as never);
  await vi.advanceTimersByTimeAsync(10_000);
  change({ loss: 0.1 });
  await vi.advanceTimersByTimeAsync(1000);
  changes.end();
  expect(names).toEqual(recorded);
  expect(notices.value).toEqual([]);
  expect((running.header['link'] as { at: string } | undefined)?.at).toBe(at);
});

it('a refused setting is sent again with the next change, and never recorded', async () => {
  change({ role: 'loopback', capacity: '1mbps', loss: 0, cross_traffic: 'cubic:1' });
  const running = new Running(settings.peek());
  const sent: object[] = [];
  const answers: ((isAccepted: boolean) => void)[] = [];
  const setLink = (_: string, config: object): Promise<void> => {
    sent.push(config);
    return new Promise((resolve, reject) => {
      answers.push((isAccepted) => (isAccepted ? resolve() : reject(new Error('too high'))));
    });
  };
  Object.assign(running, { link: 'link-1', server: { setLink } });
  const recorded: unknown[] = [];
  const event = ({ detail }: { detail: unknown }): void => void recorded.push(detail);
  const changes = new LiveChanges(running, { event } as never);
  const answer = async (isAccepted: boolean): Promise<void> => {
    answers.shift()?.(isAccepted);
    await new Promise((resolve) => setImmediate(resolve));
  };
  change({ capacity: '2gbps' });
  change({ loss: 0.1 });
  await answer(false);
  expect(notices.value).toMatchObject([{ code: 'setting' }]);
  await answer(true);
  change({ cross_traffic: 'none' });
  await answer(true);
  // The link has the old capacity again, so returning to it is a change.
  change({ capacity: '1mbps' });
  await answer(true);
  // Each of two values that are sent at once is refused: the link still has the one from before.
  change({ loss: 0.2 });
  change({ loss: 0.3 });
  await answer(false);
  await answer(false);
  change({ loss: 0.1 });
  changes.end();
  expect(sent).toEqual([
    { capacity: '2gbps' },
    { loss_ratio: 0.1 },
    { capacity: '2gbps', cross_traffic: 'none' },
    { capacity: '1mbps' },
    { loss_ratio: 0.2 },
    { loss_ratio: 0.3 },
  ]);
  expect(recorded).toEqual([
    { loss_ratio: 0.1 },
    { capacity: '2gbps', cross_traffic: 'none' },
    { capacity: '1mbps' },
  ]);
});
