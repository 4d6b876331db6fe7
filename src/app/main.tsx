import { effect } from '@preact/signals';
import { render } from 'preact';

import { installAutomation } from './automation.js';
import { messageOf } from './notices.js';
import { keepOffline } from './offline/register.js';
import { LongTasks } from './scope/long_tasks.js';
import { RedrawCosts } from './scope/redraw_costs.js';
import { Scope, type ShownTime } from '../boards/scope.js';
import { watchRecordings } from './session/left_recordings.js';
import { watchPausedCharts } from './session/paused_charts.js';
import { openTraceFile, Recorder } from './session/recorder.js';
import { showSample } from './session/sample.js';
import { Session } from './session/session.js';
import { change, followUrl, settings } from './settings.js';
import { followPaper } from './print.js';
import { PASSED_FRAGMENT, takePassedFile } from './stored.js';
import { chartTheme } from '../boards/theme.js';
import { followTheme } from './theme.js';
import { App } from './ui/app.js';

/** The longest time for which the charts wait for the sample before they are drawn without it. */
const LONGEST_SAMPLE_MS = 3000;

/** Opens a trace that the user dropped on another page. That page passed the file on to this page. */
async function openPassed(recorder: Recorder): Promise<void> {
  const file = await takePassedFile().catch(() => null);
  if (file) await openTraceFile(recorder, file);
}

async function open(root: HTMLElement): Promise<void> {
  const isPassed = location.hash === PASSED_FRAGMENT;
  followUrl();
  const recorder = await Recorder.create();
  const session = new Session(recorder);
  const remember = (shown: ShownTime): void => {
    const { window_s, from_s, paused } = settings.peek();
    if (shown.window_s === window_s && shown.paused === paused && shown.from_s === from_s) return;
    change(shown);
  };
  let showFirst = (): void => undefined;
  const firstRows = new Promise<void>((resolve) => (showFirst = resolve));
  const redraws = new RedrawCosts();
  const source = {
    store: recorder.store,
    newestUs: () => recorder.newestUs,
    firstRows,
    painted: (costMs: number) => redraws.add(costMs),
  };
  const scope = new Scope(source, settings.peek(), chartTheme.peek(), remember);
  followTheme(
    () => settings.value.theme,
    (theme) => scope.setTheme(theme),
  );
  followPaper(scope);
  const longTasks = new LongTasks();
  effect(() => {
    if (session.connectedAt.value !== null) longTasks.reset();
  });
  installAutomation({ recorder, session, redraws, longTasks });
  root.replaceChildren();
  render(<App recorder={recorder} session={session} scope={scope} />, root);
  watchRecordings(recorder);
  watchPausedCharts(session, scope);
  keepOffline();
  if (isPassed) await openPassed(recorder);
  const isSampleDue = !settings.peek().autostart;
  setTimeout(showFirst, isSampleDue ? LONGEST_SAMPLE_MS : 0);
  if (!isSampleDue) return session.start();
  // Without the sample, the charts stay empty until a call begins.
  await showSample(recorder, scope).catch(() => undefined);
  showFirst();
}

const root = document.getElementById('app');
if (root) {
  open(root).catch((error: unknown) => {
    root.textContent = `ccscope could not start: ${messageOf(error)}. Reload the page; if that does not help, use a current browser.`;
  });
}
