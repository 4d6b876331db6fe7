/**
 * Notices shown on the page. Each says in one sentence what happened. What the user can do is in another
 * sentence or on buttons.
 */
import { signal } from '@preact/signals';

import type { Notice } from '../rtc/index.js';

/** A button of a notice, and the action that it runs. */
export interface NoticeAction {
  label: string;
  run(): void;
}

/** A notice that the page itself shows; the notices of a call are in the call's status. */
export interface PageNotice extends Notice {
  actions?: readonly NoticeAction[];
  /** Whether the notice is held back while a call is running. */
  whenIdle?: boolean;
}

/** The notices that the page itself shows. */
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

/**
 * The message of a thrown value, which need not be an Error. Some errors of browsers have only a name, such as
 * `QuotaExceededError`.
 */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
