/** The page's notices, until the user dismisses them. */
import { signal, useSignal } from '@preact/signals';

import type { NoticeAction } from '../notices.js';
import type { StateProblem } from '../url_fields.js';
import { DocsLink } from './docs_link.js';

/** One notice. */
export interface Shown {
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
  fix: string;
  actions?: readonly NoticeAction[];
}

const LEVELS = { info: 'Info', warning: 'Note', error: 'Error' };

/** The notices that the user dismissed. A dismissed notice appears again only if its text has changed. */
const read = signal<ReadonlySet<string>>(new Set());
const keyOf = ({ code, message }: Shown): string => `${code} ${message}`;

function all({ problems, notices }: NoticesListProps): readonly Shown[] {
  return [
    ...problems.map(({ field, got, expected }) => ({
      level: 'warning' as const,
      code: `url-${field}`,
      message: `In the address, ${field}=${got} was not understood: expected ${expected}.`,
      fix: 'The default is used instead.',
    })),
    ...notices,
  ];
}

/**
 * Codes that begin with one of these words end with a variable part, as in `cell-AXIS`. The list of errors has one
 * section for each of these words.
 */
const FAMILIES = ['cell', 'controller-fault', 'left', 'scenario', 'url'];

/** A notice's section in the list of errors, as a path in the documentation. */
const sectionOf = ({ code }: Shown): string =>
  `src/text/errors.html#${FAMILIES.find((family) => code.startsWith(`${family}-`)) ?? code}`;

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** A notice's sentences: what happened, what to do, and a link to its section in the list of errors. */
export function NoticeText({ notice }: { notice: Shown }) {
  return (
    <span>
      {notice.message} {notice.fix && <span class="fix">{sentence(notice.fix)}</span>}{' '}
      <DocsLink to={sectionOf(notice)} label={`More on ${notice.code}`} isInNewTab>
        More
      </DocsLink>
    </span>
  );
}

interface NoticesListProps {
  /** Parts of the address that were refused. */
  problems: readonly StateProblem[];
  notices: readonly Shown[];
  /**
   * Whether the notices overlay the lower edge of the page, so that a notice that comes later does not shift the
   * layout.
   */
  isOver?: boolean;
}

/**
 * The largest number of notices that are shown at once, so that they do not hide the page. A button shows all others.
 */
const MOST_SHOWN = 2;
const RANKS: readonly Shown['level'][] = ['error', 'warning', 'info'];

export function NoticesList(props: NoticesListProps) {
  const isOpen = useSignal(false);
  const unread = all(props)
    .filter((notice) => !read.value.has(keyOf(notice)))
    .sort((a, b) => RANKS.indexOf(a.level) - RANKS.indexOf(b.level));
  const hidden = unread.length - MOST_SHOWN;
  return (
    <ul class={`notices${props.isOver ? ' over' : ''}`} aria-live="polite" aria-label="Notices">
      {unread.map((notice, index) => (
        <li key={notice.code} class={notice.level} hidden={index >= MOST_SHOWN && !isOpen.value}>
          <b>{LEVELS[notice.level]}</b>
          <NoticeText notice={notice} />
          {notice.actions?.map(({ label, run }) => (
            <button key={label} type="button" onClick={run}>
              {label}
            </button>
          ))}
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
      {hidden > 0 && (
        <li key="more" class="more">
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {isOpen.value ? 'Show fewer' : `${hidden} more: show all`}
          </button>
        </li>
      )}
    </ul>
  );
}
