/** What the page has to tell: one sentence on what happened, one on what to do. */
import { signal } from '@preact/signals';

import type { Notice } from '../rtc/index.js';

/** What the user can do about a notice at the press of a button. */
export interface NoticeAction {
  label: string;
  run(): void;
}

/** What the page itself tells. */
export interface PageNotice extends Notice {
  actions?: readonly NoticeAction[];
  /** Whether it waits while a call runs. */
  whenIdle?: boolean;
}

/** Notices of the page itself; those of a call are in its status. */
export const notices = signal<readonly PageNotice[]>([]);

/** Shows a notice, in the place of an earlier one of the same code. */
export function notify(
  level: Notice['level'],
  code: string,
  message: string,
  fix: string,
  more: Pick<PageNotice, 'actions' | 'whenIdle'> = {},
): void {
  const others = notices.peek().filter((notice) => notice.code !== code);
  notices.value = [...others, { level, code, message, fix, ...more }];
}

export function dismiss(code: string): void {
  notices.value = notices.peek().filter((notice) => notice.code !== code);
}

/** What an unknown thrown thing says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
