/** Files that are dropped on a page: one that cannot be read, such as a folder, is named, and nothing is opened. */
import { beforeEach, expect, it, vi } from 'vitest';

import { notices } from '../../src/app/notices.js';

vi.mock('../../src/app/stored.js', () => ({ PASSED_FRAGMENT: '', passFile: () => Promise.resolve() }));
const { openDropped } = await import('../../src/app/dropped.js');

beforeEach(() => void (notices.value = []));

const unreadable = (): Promise<string> => Promise.reject(new Error('it is a folder'));

it('a file that cannot be read is named', async () => {
  const folder = Object.assign(new File([], 'traces'), {
    slice: () => Object.assign(new Blob(), { text: unreadable }),
  });
  const open = vi.fn();
  await openDropped('trace', folder, open);
  expect(open).not.toHaveBeenCalled();
  expect(notices.value).toMatchObject([
    {
      level: 'error',
      message: 'traces was not opened: it is a folder.',
      fix: expect.stringMatching(/./) as string,
    },
  ]);
});

it('a file that this page can show is opened, and earlier notices about others go', async () => {
  const trace = new File(['{"ccscope_trace": 1}'], 'call.ndjson');
  const scenario = new File(['{"ccscope_scenario": 1}'], 'network.json');
  const open = vi.fn();
  await openDropped('trace', scenario, open);
  expect(notices.value).toMatchObject([{ message: 'network.json is a scenario, which the Lab runs.' }]);
  await openDropped('trace', trace, open);
  expect(open).toHaveBeenCalledExactlyOnceWith(trace);
  expect(notices.value).toEqual([]);
});
