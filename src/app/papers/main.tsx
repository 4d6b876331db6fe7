import { render } from 'preact';

import { registry } from '../lab/registry.js';
import { messageOf } from '../notices.js';
import { keepOffline } from '../offline/register.js';
import { followTheme } from '../theme.js';
import { Papers } from './papers.js';
import { followUrl, settings } from './settings.js';
import { shownIds } from './state.js';
import { PapersApp } from './ui/papers_app.js';

async function open(root: HTMLElement): Promise<void> {
  followUrl();
  followTheme(
    () => settings.value.theme,
    () => undefined,
  );
  const papers = new Papers(registry);
  root.replaceChildren();
  render(<PapersApp papers={papers} />, root);
  keepOffline();
  const { run } = settings.peek();
  if (run) await papers.run(shownIds(settings.peek(), registry));
}

const root = document.getElementById('app');
if (root) {
  open(root).catch((error: unknown) => {
    root.textContent = `ccscope could not start: ${messageOf(error)}. Reload the page; if that does not help, use a current browser.`;
  });
}
