/** The data of a view: the state of the watch, and the choices of the user. */
import { signal } from '@preact/signals';
import { proxy, type Remote } from 'comlink';

import type { Action, ActionResult, ActionTarget } from '../inject/protocol.js';
import type { StreamState } from '../watch/index.js';
import { Scope } from '../boards/scope.js';
import { chartTheme } from '../boards/theme.js';
import { totalRates, type TotalRates } from './total_rates.js';
import type { ServedState, WatchService } from './watch_service.js';

/** The initially visible time range. */
const WINDOW_S = 30;

/** How often a collapsed view requests the rates that it shows. */
const COLLAPSED_REFRESH_MS = 2000;

/** Sends an action to the observer of a window. `window` is the name of the window, as in `PageBatch.window`. */
export type Act = (action: Action, window: string) => Promise<ActionResult>;

export class Model {
  readonly state = signal<ServedState | null>(null);
  readonly rates = signal<TotalRates>({ sentBps: 0, receivedBps: 0 });
  readonly collapsed = signal(false);
  #refreshedMs = -Infinity;
  /** The flow of the stream that the user has chosen for the charts. Null: the busiest stream is shown. */
  readonly chosen = signal<number | null>(null);
  /** The result of the last action. */
  readonly result = signal<ActionResult | null>(null);
  /** Whether an action is under way. */
  readonly acting = signal(false);
  readonly scope: Scope;
  /**
   * The flow that is drawn if the user has chosen none. It stays the same as long as its stream is live, so
   * that the charts do not alternate between streams with similar rates.
   */
  #shown: number | null = null;

  constructor(
    readonly watch: Remote<WatchService>,
    private readonly command: Act,
  ) {
    const source = { store: watch, newestUs: () => this.state.peek()?.timeUs ?? 0 };
    const shown = { window_s: WINDOW_S, from_s: 0, paused: false };
    this.scope = new Scope(source, shown, chartTheme.peek(), () => undefined);
  }

  /**
   * Requests the state of the watch. For a collapsed view, requests only the rates, and less often. Never
   * rejects.
   */
  async refresh(): Promise<void> {
    if (!this.collapsed.peek()) return this.#refreshAll();
    const nowMs = performance.now();
    if (nowMs - this.#refreshedMs < COLLAPSED_REFRESH_MS) return;
    this.#refreshedMs = nowMs;
    const rates = await this.watch.rates().catch(() => null);
    if (rates !== null) this.rates.value = rates;
  }

  collapse(isCollapsed: boolean): void {
    this.collapsed.value = isCollapsed;
    void this.refresh();
  }

  async #refreshAll(): Promise<void> {
    const state = await this.watch.state().catch(() => null);
    if (state === null) return;
    const shown = state.streams.find(({ flow }) => flow === this.#shown);
    if (shown?.isLive !== true) this.#shown = busiest(state.streams)?.flow ?? null;
    this.state.value = state;
    this.rates.value = totalRates(state.streams);
  }

  /** Moves the charts to this time, and places the cursor there. */
  jumpTo(timeUs: number): void {
    const { axis } = this.scope;
    const half = axis.lengthUs / 2;
    axis.setWindow({ fromUs: timeUs - half, toUs: timeUs + half });
    axis.setCursor(timeUs);
  }

  /** The stream whose charts are drawn; null while there is none. */
  get stream(): StreamState | null {
    const streams = this.state.value?.streams ?? [];
    const of = (wanted: number | null): StreamState | undefined =>
      streams.find(({ flow }) => flow === wanted);
    return of(this.chosen.value) ?? of(this.#shown) ?? null;
  }

  /** Acts on a stream. Afterwards, `result` contains the outcome. Never rejects. */
  act(stream: StreamState, make: (target: ActionTarget) => Action): Promise<void> {
    return this.#do(stream, async (target, window) => {
      const action = make(target);
      // A drive is a controller that limits the sender. A limit that arrived after the release would start the
      // drive again. So the drive must have sent its last limit before the release.
      if (releasesDrive(action)) await this.watch.endDrive(stream.endpoint, stream.mid);
      return this.command(action, window);
    });
  }

  /** Starts a controller that limits the sender of a stream. The controller runs in the watch. Never rejects. */
  drive(stream: StreamState): Promise<void> {
    const { endpoint } = stream;
    const sections = (this.state.peek()?.streams ?? []).filter(
      (each) => each.endpoint === endpoint && each.direction === 'send' && each.mid === stream.mid,
    );
    const startBps = sections.reduce((sum, { rateBps }) => sum + orZero(rateBps), 0);
    return this.#do(stream, (target, window) =>
      this.watch.drive(
        { target, endpoint, startBps },
        proxy((action: Action) => this.command(action, window)),
      ),
    );
  }

  async #do(
    stream: StreamState,
    work: (target: ActionTarget, window: string) => Promise<ActionResult>,
  ): Promise<void> {
    const home = this.state.peek()?.connections.find(({ endpoint }) => endpoint === stream.endpoint);
    if (home === undefined) return;
    const { direction, mid, ssrc } = stream;
    this.acting.value = true;
    const target = { endpoint: home.number, direction, mid, ssrc };
    this.result.value = await work(target, home.window).catch((error: unknown): ActionResult => ({
      ok: false,
      why: `The page does not answer: ${String(error)}`,
      fix: 'reload the page',
    }));
    this.acting.value = false;
  }

  close(): void {
    this.scope.close();
  }
}

const releasesDrive = (action: Action): boolean =>
  action.kind === 'release' &&
  action.target.direction === 'send' &&
  (action.of === null || action.of === 'drive');

const orZero = (value: number): number => (Number.isFinite(value) ? value : 0);

function busiest(streams: readonly StreamState[]): StreamState | null {
  const videos = streams.filter(({ kind }) => kind === 'video');
  const some = videos.length > 0 ? videos : streams;
  return some.reduce<StreamState | null>(
    (best, each) => (best === null || orZero(each.rateBps) > orZero(best.rateBps) * 2 ? each : best),
    null,
  );
}
