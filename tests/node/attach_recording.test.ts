import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { Recording } from '../../src/command_line/attach/recording.js';
import { FailedRun } from '../../src/text/errors.js';
import type { Watch } from '../../src/watch/index.js';

// Each write to /dev/full fails with ENOSPC, like a write to a full disk.
test.skipIf(!existsSync('/dev/full'))(
  'a recording says once, and while it runs, that the disk is full',
  async () => {
    const watch: Pick<Watch, 'spill' | 'export'> = {
      spill: null,
      export: () => ({ before: '{"ccscope_trace":1}\n', first: 0, after: [] }),
    };
    const said: string[] = [];
    const recording = new Recording('/dev/full', watch as Watch, (text) => said.push(text));
    while (said.length === 0) {
      watch.spill?.({ lines: ['{"type":"event"}'], number: 0, fromUs: 0 });
      await setImmediate();
    }
    const message =
      'the recording ended early: /dev/full cannot be written (ENOSPC); free some space, then record again';
    await expect(recording.end()).rejects.toThrow(new FailedRun(message));
    expect(said).toEqual([message]);
  },
);
