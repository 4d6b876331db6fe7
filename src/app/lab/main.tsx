import { render } from 'preact';

import { SimulationWorker } from '../../worker/simulation/simulation_client.js';
import { createTraceStore } from '../../worker/trace/trace_client.js';
import { messageOf } from '../notices.js';
import { keepOffline } from '../offline/register.js';
import { followPaper } from '../print.js';
import { followTheme } from '../theme.js';
import { Lab } from './lab.js';
import { runScope } from '../../runs/run_scope.js';
import { change, followUrl, settings } from './settings.js';
import { tellTraceError } from './simulation_notice.js';
import { LabApp } from './ui/lab_app.js';

async function open(root: HTMLElement): Promise<void> {
  followUrl();
  const worker = new SimulationWorker();
  // Both workers start at the same time.
  worker.prepare();
  const lab = new Lab(await createTraceStore({ onError: tellTraceError }), worker);
  const scope = runScope(
    lab.live,
    () => settings.peek(),
    ({ window_s, from_s }) => change({ window_s, from_s }),
  );
  lab.charts = scope;
  const { at_s } = settings.peek();
  if (at_s > 0) scope.axis.holdCursor(at_s * 1e6);
  followTheme(
    () => settings.value.theme,
    (theme) => scope.setTheme(theme),
  );
  followPaper(scope);
  // The scenario is fetched while the page is rendered.
  const opening = lab.open();
  root.replaceChildren();
  render(<LabApp lab={lab} scope={scope} />, root);
  keepOffline();
  await opening;
}

const root = document.getElementById('app');
if (root) {
  open(root).catch((error: unknown) => {
    root.textContent = `ccscope could not start: ${messageOf(error)}. Reload the page; if that does not help, use a current browser.`;
  });
}
