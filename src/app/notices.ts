/** What the page has to tell: one sentence on what happened, one on what to do. */
import { signal } from '@preact/signals';

import type { Notice } from '../rtc/index.js';

/** Notices of the page itself; those of a call are in its status. */
export const notices = signal<readonly Notice[]>([]);

/** Shows a notice, in the place of an earlier one of the same code. */
export function notify(level: Notice['level'], code: string, message: string, fix: string): void {
  notices.value = [...notices.peek().filter((notice) => notice.code !== code), { level, code, message, fix }];
}

export function dismiss(code: string): void {
  notices.value = notices.peek().filter((notice) => notice.code !== code);
}

/** What an unknown thrown thing says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
