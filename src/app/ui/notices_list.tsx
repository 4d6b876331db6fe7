/** Everything the user should know: of the browser, the address, the page and the call. */
import { signal } from '@preact/signals';

import { supported } from '../../rtc/index.js';
import { notices } from '../notices.js';
import type { Session } from '../session/session.js';
import { problems } from '../settings.js';

interface Shown {
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
  fix: string;
}

const LEVELS = { info: 'Info', warning: 'Note', error: 'Error' };

/** What the user has read: a notice comes back only with another text. */
const read = signal<ReadonlySet<string>>(new Set());
const keyOf = ({ code, message }: Shown): string => `${code} ${message}`;

function all(session: Session): Shown[] {
  const { message } = supported();
  return [
    ...(message ? [{ level: 'warning' as const, code: 'browser', message, fix: '' }] : []),
    ...problems.value.map(({ field, got, expected }) => ({
      level: 'warning' as const,
      code: `url-${field}`,
      message: `In the address, ${field}=${got} was not understood: expected ${expected}.`,
      fix: 'The default is used instead.',
    })),
    ...(session.status.value?.notices ?? []),
    ...notices.value,
  ];
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

export function Notices({ session }: { session: Session }) {
  return (
    <ul class="notices" aria-live="polite" aria-label="Notices">
      {all(session)
        .filter((notice) => !read.value.has(keyOf(notice)))
        .map((notice) => (
          <li key={notice.code} class={notice.level}>
            <b>{LEVELS[notice.level]}</b>
            <span>
              {notice.message} {notice.fix && <span class="fix">{sentence(notice.fix)}</span>}
            </span>
            <button
              type="button"
              class="quiet"
              aria-label="Dismiss"
              onClick={() => (read.value = new Set([...read.value, keyOf(notice)]))}
            >
              ×
            </button>
          </li>
        ))}
    </ul>
  );
}
