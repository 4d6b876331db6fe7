/** Applies changed settings to the running call. */
import { effect } from '@preact/signals';

import type { LinkConfig, PartialLinkConfig } from '../../link/link_config.js';
import { linkOfUrl } from '../../link/url.js';
import { isOwn, ownName, watcherOf } from '../controllers.js';
import { dismiss, messageOf, notify } from '../notices.js';
import { ownControllers } from '../own_controllers.js';
import { settings } from '../settings.js';
import type { AppState } from '../state.js';
import { changedConfig, runSchedule, toLinkChange } from './link_settings.js';
import type { Recorder } from './recorder.js';
import type { Running } from './running.js';

/** Whether this page has the call's link. A page that another one has invited only receives from it. */
const hasLink = ({ role }: AppState): boolean => role !== 'receive';

export class LiveChanges {
  #before: AppState;
  /** The link's settings, without those that were refused. */
  readonly #accepted: LinkConfig;
  /** The same if all changes that were sent are accepted. The next change is what differs from this. */
  #sent: LinkConfig;
  #endSchedule: () => void = () => undefined;
  readonly #endEffect: () => void;

  constructor(
    private readonly running: Running,
    private readonly recorder: Recorder,
  ) {
    this.#before = running.started;
    this.#accepted = linkOfUrl(running.started);
    this.#sent = this.#accepted;
    if (!running.link && hasLink(running.started)) this.#startSchedule(running.started.capacity);
    this.#endEffect = effect(() => this.#apply(settings.value));
  }

  end(): void {
    this.#endEffect();
    this.#endSchedule();
  }

  #apply(now: AppState): void {
    const before = this.#before;
    this.#before = now;
    const change = hasLink(this.running.started) ? changedConfig(this.#sent, linkOfUrl(now)) : null;
    if (change) report(this.#changeLink(now, change));
    if (before.shadow.join() !== now.shadow.join()) report(this.#setShadows(now.shadow));
    // A change of the controller needs a new call, so it is not applied here.
    if (before.controller === now.controller && watcherOf(before) === watcherOf(now))
      this.#applyController(before, now);
  }

  /**
   * Applies a new list of shadows (controllers that only watch). Rejects if a shadow is user-written and this page
   * does not have its file.
   */
  async #setShadows(texts: readonly string[]): Promise<void> {
    const { shadows, call, started } = this.running;
    // If the far side is another page, that page keeps the shadows with which the call began.
    if (started.role !== 'loopback') return;
    await ownControllers.look(texts.filter(isOwn).map(ownName));
    const taken = shadows.take(texts);
    await call?.setShadows(taken);
    this.recorder.nameShadows(shadows.known);
    const flows = shadows.known.filter(({ flow }) => taken.some((one) => one.flow === flow));
    this.#event('shadows', { flows });
  }

  /** A setting that the link refuses keeps its old value there, so it is sent again with the next change. */
  async #changeLink(now: AppState, change: PartialLinkConfig): Promise<void> {
    this.#sent = { ...this.#sent, ...change };
    try {
      await this.#setLink(now, change);
    } catch (error) {
      for (const key of Object.keys(change) as (keyof LinkConfig)[]) {
        // A later change may have replaced the value.
        if (this.#sent[key] === change[key]) this.#sent = { ...this.#sent, [key]: this.#accepted[key] };
      }
      throw error;
    }
    Object.assign(this.#accepted, change);
    if (!this.running.ended) this.#event('link', change);
  }

  async #setLink(now: AppState, change: PartialLinkConfig): Promise<void> {
    const { link, server, call } = this.running;
    if (link) return server?.setLink(link, change);
    await call?.setBottleneck(toLinkChange(change));
    if (change.capacity !== undefined) this.#startSchedule(now.capacity);
  }

  /**
   * Runs the capacity schedule of the in-page bottleneck. The shaper does not need this method, since it applies
   * schedules itself.
   */
  #startSchedule(capacity: string): void {
    this.#endSchedule();
    this.#endSchedule = runSchedule(capacity, (capacityBps) => {
      this.#event('capacity', { capacity_bps: capacityBps });
      report(this.running.call?.setBottleneck({ capacityBps }));
    });
  }

  #applyController(before: AppState, now: AppState): void {
    const { call } = this.running;
    if (!call) return;
    const isReset =
      before.preset !== now.preset || Object.keys(before.set).some((name) => !(name in now.set));
    const changed = Object.entries(now.set).filter(([name, value]) => before.set[name] !== value);
    if (!isReset) return changed.forEach(([name, value]) => report(call.setParameter(name, value)));
    // `setPreset` sets every parameter, so the values that differ from the preset are set again afterwards.
    const { min_bps: min_bitrate_bps, max_bps: max_bitrate_bps } = this.running.started;
    report(call.setPreset(now.preset));
    const all = { min_bitrate_bps, max_bitrate_bps, ...now.set };
    for (const [name, value] of Object.entries(all)) report(call.setParameter(name, value));
  }

  #event(name: string, detail: unknown): void {
    this.recorder.event({ time_us: this.running.nowUs(), name, detail });
  }
}

/** Shows a notice if a change was refused. */
function report(work: Promise<void> | undefined): void {
  work?.then(
    () => dismiss('setting'),
    (error: unknown) =>
      notify('warning', 'setting', `A setting was refused: ${messageOf(error)}.`, 'Choose another value.'),
  );
}
