/** Notices of the page: one sentence on what happened, one on what to do. */
import { signal } from '@preact/signals';

import type { Notice } from '../rtc/index.js';

/** A button of a notice, and the action that it runs. */
export interface NoticeAction {
  label: string;
  run(): void;
}

/** A notice of the page itself. */
export interface PageNotice extends Notice {
  actions?: readonly NoticeAction[];
  /** Whether the notice is held back while a call runs. */
  whenIdle?: boolean;
}

/** Notices of the page itself; those of a call are in its status. */
export const notices = signal<readonly PageNotice[]>([]);

/** Shows a notice, which replaces an earlier one with the same code. */
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

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
