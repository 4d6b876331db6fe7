/** `window.ccscope`: the interface for scripts that automate this page. Keep it stable. */
import type { CallStatus, MediaStats } from '../rtc/index.js';
import type { LatenessMs } from '../link/server_protocol.js';
import { recordedFlows } from '../trace/recorded_flows.js';
import { notices } from './notices.js';
import type { LongTasks } from './scope/long_tasks.js';
import type { RedrawCost, RedrawCosts } from './scope/redraw_costs.js';
import type { Counters } from './session/live_values.js';
import type { Recorder } from './session/recorder.js';
import type { Phase, Session } from './session/session.js';
import { problems } from './settings.js';

export interface AutomationState {
  phase: Phase;
  /** Seconds since the running call was connected; null before that and when no call is running. */
  connectedForS: number | null;
  status: CallStatus | null;
  /** The name of the call's link at the local server; null if the call has no such link. */
  link: string | null;
  /** How late the shaper sends packets, by its latest report; null before a call's first report. */
  lateness: LatenessMs | null;
  /** The page's own notices. The notices of the call are in `status`. */
  notices: readonly { level: string; code: string; message: string; fix: string }[];
  /** The parts of the URL that were refused. */
  urlProblems: readonly { field: string; got: string; expected: string }[];
}

export interface Automation {
  state(): AutomationState;
  /**
   * The browser's statistics of the media in the running call or, if no call is running, in the last call.
   * Null before the first call and while a call is starting.
   */
  media(): Promise<MediaStats | null>;
  counters(): Counters;
  /**
   * The target rates of every controller of the call over time. Flow 0 comes first: the controller in charge
   * or, if the browser's own controller is in charge, the controller of the chosen preset, which only
   * watches. Then come the shadows (further controllers that only watch). The rates of a controller that only
   * watches are those that it would have requested.
   */
  targets(): Promise<Targets[]>;
  /**
   * The load of the page's main thread: the time that one redraw of a chart takes, and the tasks longer than 50 ms
   * since the call was connected.
   */
  cost(): { refresh: RedrawCost; longTasks: { count: number; longestMs: number } };
  /** The contents of a trace file (format v1). */
  exportTrace(): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The target rates of one controller. Each rate applies from its time (microseconds since the call's origin) until
 * the time of the next rate.
 */
export interface Targets {
  flow: number;
  name: string;
  controller: string;
  preset: string | null;
  parameters: Readonly<Record<string, number | string>>;
  timeUs: number[];
  targetBps: number[];
}

async function targetsOf({ recorder, session }: Pick<Parts, 'recorder' | 'session'>): Promise<Targets[]> {
  const { header } = recorder.shown.peek();
  const { preset, parameters } = header;
  const own = { ...session.inCharge.peek(), preset, parameters };
  const shadows = recordedFlows(header).filter(({ kind }) => kind === 'shadow');
  const reading = [own, ...shadows].map(async (flow) => {
    const where = { column: 'flow', value: flow.flow };
    const { columns } = await recorder.store.view({ table: 'rate', columns: ['target_bps'], where });
    return {
      ...{ flow: flow.flow, name: flow.name ?? '', controller: flow.controller ?? '' },
      ...{ preset: flow.preset ?? null, parameters: flow.parameters ?? {} },
      timeUs: [...(columns['time_us'] ?? [])],
      targetBps: [...(columns['target_bps'] ?? [])],
    };
  });
  return Promise.all(reading);
}

declare global {
  interface Window {
    ccscope: Automation;
  }
}

interface Parts {
  recorder: Recorder;
  session: Session;
  redraws: RedrawCosts;
  longTasks: LongTasks;
}

export function installAutomation({ recorder, session, redraws, longTasks }: Parts): void {
  window.ccscope = {
    state: () => {
      const connectedAt = session.connectedAt.peek();
      return {
        phase: session.phase.peek(),
        connectedForS: connectedAt === null ? null : (performance.now() - connectedAt) / 1000,
        status: session.status.peek(),
        link: session.link,
        lateness: session.lateness.peek(),
        notices: notices.peek().map(({ level, code, message, fix }) => ({ level, code, message, fix })),
        urlProblems: problems.peek(),
      };
    },
    media: () => session.media(),
    counters: () => recorder.live.counters,
    targets: () => targetsOf({ recorder, session }),
    cost: () => ({ refresh: redraws.summary, longTasks: longTasks.summary }),
    exportTrace: async () => (await recorder.export()).text(),
    start: () => session.start(),
    stop: () => session.stop(),
  };
}
