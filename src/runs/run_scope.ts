/** The time window of the charts of a run. The charts show the whole run until the user zooms. */
import { Scope, type ShownTime } from '../boards/scope.js';
import { chartTheme } from '../boards/theme.js';
import type { TraceStore } from '../worker/trace/trace_client.js';

/**
 * Drawing the charts may take this long in one frame, since nothing else on the page moves while the user drags a
 * slider. Distributing the work over several frames would only make the user wait longer.
 */
const FRAME_MS = 100;

/** The length of a window is rounded to less than this before it is remembered. */
const ROUNDED_S = 0.02;

/** The source of the drawn runs. */
export interface Runs {
  store: TraceStore;
  newestUs: number;
  /** The duration of the drawn run; 0 if there is none. */
  readonly durationUs: number;
  /**
   * Called when there are rows to draw. `what` is `all` if the rows belong to a new run. Resolves when they have
   * been drawn.
   */
  onRows: (what: 'more' | 'all') => Promise<void>;
}

/**
 * `shown` returns the time window that the user chose; a length of 0 means the whole run. `remember` is called
 * when the user chooses another window, with the length 0 for the whole run.
 */
export function runScope(
  runs: Runs,
  shown: () => Pick<ShownTime, 'window_s' | 'from_s'>,
  remember: (shown: ShownTime) => void,
): Scope {
  let showing = false;
  const source = { store: runs.store, newestUs: () => runs.newestUs, frameMs: FRAME_MS };
  const onShown = (time: ShownTime): void => {
    if (showing) return;
    // A user who shows the whole run wants to see the next run as a whole, too, even if it is longer.
    const isWhole = time.from_s === 0 && Math.abs(time.window_s - runs.durationUs / 1e6) < ROUNDED_S;
    remember(isWhole ? { ...time, window_s: 0 } : time);
  };
  const scope = new Scope(source, { window_s: 30, from_s: 0, paused: true }, chartTheme.peek(), onShown);
  runs.onRows = (what) => {
    if (what === 'more') {
      scope.refreshAll();
      return scope.drawn();
    }
    const { window_s, from_s } = shown();
    const { durationUs } = runs;
    // The rows belong to a run that was discarded in the meantime.
    if (durationUs === 0) return Promise.resolve();
    const window =
      window_s > 0
        ? { fromUs: from_s * 1e6, toUs: (from_s + window_s) * 1e6 }
        : { fromUs: 0, toUs: durationUs };
    showing = true;
    scope.show({ fromUs: 0, toUs: durationUs }, window);
    showing = false;
    return scope.drawn();
  };
  return scope;
}
