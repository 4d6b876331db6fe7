import { render } from 'preact';

import { runScope } from '../../runs/run_scope.js';
import { messageOf, notify } from '../notices.js';
import { keepOffline } from '../offline/register.js';
import { followTheme } from '../theme.js';
import { createTraceStore } from '../../worker/trace/trace_client.js';
import { followOtherTabs } from './answers.js';
import { Player } from './player.js';
import { followUrl, settings } from './settings.js';
import { LessonsApp } from './ui/lessons_app.js';

async function open(root: HTMLElement): Promise<void> {
  followUrl();
  followOtherTabs();
  const store = await createTraceStore({
    onError: (error) =>
      notify('error', 'trace', `The trace worker failed: ${error.message}.`, 'Reload the page.'),
  });
  const player = new Player(store);
  const scope = runScope(
    player.live,
    () => ({ window_s: 0, from_s: 0 }),
    () => undefined,
  );
  followTheme(
    () => settings.value.theme,
    (theme) => scope.setTheme(theme),
  );
  root.replaceChildren();
  render(<LessonsApp player={player} scope={scope} />, root);
  keepOffline();
}

const root = document.getElementById('app');
if (root) {
  open(root).catch((error: unknown) => {
    root.textContent = `ccscope could not start: ${messageOf(error)}. Reload the page; if that does not help, use a current browser.`;
  });
}
