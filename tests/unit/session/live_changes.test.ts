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
