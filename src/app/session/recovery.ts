/** The causes of automatic restarts of a call, and a limit for such restarts. */
import type { Side } from '../../worker/media/protocol.js';
import type { AppState } from '../state.js';
import { changeEvent, restartMessage, type SettingChange } from './restarts.js';
import { ServerClient } from './server_client.js';

/** Why a call is ended and started again. */
export interface Cause {
  /** The events that are recorded for this cause. */
  events: readonly { name: string; detail: unknown }[];
  /** Resolves when the call may be started again. If absent, the call is started again at once. */
  wait?(isWanted: () => boolean): Promise<unknown>;
  /** The message for the user after the restart. `hasServer`: whether the new call uses the local server. */
  message(now: AppState, hasServer: boolean): string;
}

/** How long a call waits for a local server that has gone away. After that, the call continues without the server. */
const AWAY_MS = 5000;
/**
 * The largest number of automatic restarts within WITHIN_MS. If so many calls have failed, another call would
 * probably fail, too.
 */
const MOST_RECOVERIES = 3;
const WITHIN_MS = 60_000;

export const settingsChanged = (changes: readonly SettingChange[]): Cause => ({
  events: changes.map(changeEvent),
  message: (now) => restartMessage(now, changes),
});

const because = (what: string, name: string, detail: unknown = null): Cause => ({
  events: [{ name, detail }],
  message: () => `${what}, so the call was started again.`,
});

export const linkFailed = (message: string): Cause =>
  because(`The shaped link failed (${message})`, 'link_failed', { message });

export const workerDied = (side: Side): Cause =>
  because(`The media worker of the ${side} died`, 'worker_died', { side });

export const farSideAgain = (): Cause => because('The other page started again', 'far_side_again');

export const serverBack = (): Cause => because('The local server is back', 'server_back');

/** The local server was lost. A call between two pages waits without a limit, since it needs the server. */
export const serverLost = ({ role }: AppState): Cause => ({
  events: [{ name: 'server_lost', detail: null }],
  wait: (isWanted) => ServerClient.isBack(role === 'loopback' ? AWAY_MS : Infinity, isWanted),
  message: (now, hasServer) =>
    hasServer
      ? serverBack().message(now, hasServer)
      : 'The call goes on with the bottleneck in the page: it shapes whole frames, not packets.',
});

/** Limits how often a call is restarted automatically. */
export class Patience {
  #times: number[] = [];

  /** Whether the call may be restarted once more. If so, this restart is counted. */
  allows(nowMs = performance.now()): boolean {
    this.#times = this.#times.filter((timeMs) => nowMs - timeMs < WITHIN_MS);
    return this.#times.length < MOST_RECOVERIES && this.#times.push(nowMs) > 0;
  }
}
