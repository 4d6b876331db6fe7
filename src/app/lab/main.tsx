import { render } from 'preact';

import { messageOf } from '../notices.js';
import { Scope, type ShownTime } from '../../boards/scope.js';
import { chartTheme } from '../../boards/theme.js';
import { followTheme } from '../theme.js';
import { Lab } from './lab.js';
import { change, followUrl, settings } from './settings.js';
import { LabApp } from './ui/lab_app.js';

/** Window and scope: all of a run is shown until somebody zooms. */
function makeScope(lab: Lab): Scope {
  let showing = false;
  const remember = ({ window_s, from_s }: ShownTime): void => {
    if (!showing) change({ window_s, from_s });
  };
  const source = { store: lab.store, newestUs: () => lab.newestUs };
  const scope = new Scope(source, { window_s: 30, from_s: 0, paused: true }, chartTheme.peek(), remember);
  lab.onRows = (what) => {
    if (what === 'more') return scope.refreshAll();
    const { window_s, from_s } = settings.peek();
    const durationUs = lab.run.peek()?.durationUs ?? 0;
    const window =
      window_s > 0
        ? { fromUs: from_s * 1e6, toUs: (from_s + window_s) * 1e6 }
        : { fromUs: 0, toUs: durationUs };
    showing = true;
    scope.show({ fromUs: 0, toUs: durationUs }, window);
    showing = false;
  };
  return scope;
}

async function open(root: HTMLElement): Promise<void> {
  followUrl();
  const lab = await Lab.create();
  const scope = makeScope(lab);
  followTheme(
    () => settings.value.theme,
    (theme) => scope.setTheme(theme),
  );
  render(<LabApp lab={lab} scope={scope} />, root);
  await lab.open();
}

const root = document.getElementById('app');
if (root) {
  open(root).catch((error: unknown) => {
    root.textContent = `ccscope could not start: ${messageOf(error)}. Reload the page; if that does not help, use a current browser.`;
  });
}
