/** The top of every page: its name, the links to the other pages, and the theme. */
import type { ComponentChildren } from 'preact';

import { isDark, systemIsDark, type Theme } from '../../boards/theme.js';
import { rememberTheme } from '../theme.js';
import { DocsLink } from './docs_link.js';

const PAGES = [
  { id: 'call', name: 'Call', file: './' },
  { id: 'lab', name: 'Lab', file: './lab.html' },
  { id: 'lessons', name: 'Lessons', file: './lessons.html' },
  { id: 'papers', name: 'Papers', file: './papers.html' },
] as const;

interface PageHeaderProps {
  page: (typeof PAGES)[number]['id'];
  /** The chosen theme, which the links pass on to the other pages. */
  theme: Theme;
  onTheme: (theme: Theme) => void;
  /** Text about the state of the page. */
  children: ComponentChildren;
  /** The page's main buttons or links. */
  action: ComponentChildren;
}

export function PageHeader({ page, theme, onTheme, children, action }: PageHeaderProps) {
  const other = isDark.value ? 'Light theme' : 'Dark theme';
  const inTheme = (file: string): string => (theme === 'auto' ? file : `${file}?theme=${theme}`);
  /** Switching back to the theme that the system prefers makes the page follow the system again. */
  const switchTheme = (): void => {
    const next = isDark.value !== systemIsDark.value ? 'auto' : isDark.value ? 'light' : 'dark';
    rememberTheme(next);
    onTheme(next);
  };
  return (
    <header>
      <h1>
        <a href={inTheme('./')}>
          <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
            <path
              d="M3 20h6l4-12 6 16 4-8h6"
              fill="none"
              stroke="currentColor"
              stroke-width="2.8"
              stroke-linejoin="round"
            />
          </svg>
          ccscope
        </a>
      </h1>
      <nav aria-label="Pages">
        {PAGES.map(({ id, name, file }) => (
          <a key={id} href={inTheme(file)} aria-current={id === page ? 'page' : undefined}>
            {name}
          </a>
        ))}
        <DocsLink to="">Docs</DocsLink>
      </nav>
      {children}
      <span class="spring" />
      {action}
      <button type="button" class="quiet" aria-label={other} title={other} onClick={switchTheme}>
        {isDark.value ? '☀' : '☾'}
      </button>
    </header>
  );
}
