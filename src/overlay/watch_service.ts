/** The watch as its views reach it: over a port, from wherever it runs. */
import { expose, transfer } from 'comlink';

import { clearInterval, setInterval } from '../inject/natives.js';
import type { Action, ActionResult, ActionTarget, PageBatch, RecordNotice } from '../inject/protocol.js';
import type { TraceExtent, TraceView, ViewQuery } from '../trace/index.js';
import { Watch, type WatchState, type WindowPlace } from '../watch/index.js';
import { SpillFiles } from './spill_files.js';
import { loadControllers, type CoreKind } from './controllers.js';
import { totalRates, type TotalRates } from './total_rates.js';

/** What a view shows beside the charts. */
export interface ServedState extends WatchState {
  /** How the controllers run; null before they do. */
  core: CoreKind | null;
  /** Where it runs: in a worker of its own, or, where the page's policy refuses one, beside the page's scripts. */
  place: WatchPlace;
  recording: RecordingState;
}

/** How much was recorded. */
export interface RecordingState {
  lengthUs: number;
  /** About the size of a file of all of it. */
  bytes: number;
  bookmarks: number;
  /** Whether what gets older than the latest minutes is kept, too. */
  keepsAll: boolean;
}

/** Which file is wanted. */
export interface FileOptions {
  /** Only so much of its end; default: all that is kept. */
  lastUs?: number;
  /** Whether the file tells addresses, ids, labels and URLs. */
  identifiers: boolean;
}

export type WatchPlace = 'worker' | 'page';
/** A sender that is driven: as its window names it, and as the watch does. */
export interface Driven {
  target: ActionTarget;
  endpoint: number;
  /** What is sent now. */
  startBps: number;
}

/** How often a page is told what a controller asks for. */
const DRIVE_MS = 250;

export class WatchService {
  readonly #watch: Watch;
  #core: CoreKind | null = null;
  #spill: SpillFiles | null = null;
  readonly #opening: Promise<void>;
  /** Windows by the names that their observers gave them, as pages. */
  readonly #windows = new Map<string, number>();

  constructor(
    originEpochMs: number,
    private readonly place: WatchPlace,
  ) {
    this.#watch = new Watch({ originEpochMs, load: () => loadControllers((kind) => (this.#core = kind)) });
    this.#opening = this.#open();
  }

  async #open(): Promise<void> {
    this.#spill = await SpillFiles.open();
    if (this.#spill !== null) this.#watch.spill = (segment) => this.#spill?.write(segment);
  }

  /** Takes a batch; without a place, each window is a page. */
  hear(batch: PageBatch, place?: WindowPlace): void {
    const { window } = batch;
    const page = this.#windows.get(window) ?? this.#windows.size;
    this.#windows.set(window, page);
    this.#watch.hear(batch, place ?? { page, place: 'page' });
  }

  windowEnded(window: string): void {
    this.#watch.windowEnded(window);
  }

  state(): ServedState {
    const { lengthUs, lineBytes, bookmarks } = this.#watch.recordingSize;
    const bytes = lineBytes + (this.#spill?.bytes ?? 0);
    const recording = { lengthUs, bytes, bookmarks, keepsAll: this.#spill !== null };
    const { notices, ...state } = this.#watch.state;
    const [core, place] = [this.#core, this.place];
    return { ...state, notices: [...notices, ...placeNotices(core, place)], core, place, recording };
  }

  rates(): TotalRates {
    return totalRates(this.#watch.state.streams);
  }

  /** Marks this time in the recording. */
  bookmark(text: string): void {
    this.#watch.bookmark(text);
  }

  /** The recording as a file. */
  async file(options: FileOptions): Promise<Blob> {
    await this.#spill?.settled();
    const { before, first, after } = this.#watch.export({ ...options, keptFrom: this.#spill?.first ?? null });
    // Each piece of the text leaves this thread's memory as soon as it is part of a blob.
    const latest = [...after].map((text) => new Blob([text]));
    const files = (await this.#spill?.files(first)) ?? [];
    return new Blob([before, ...files, ...latest], { type: 'application/x-ndjson' });
  }

  /** Ends the watch, and takes away what it kept on the disk. */
  async close(): Promise<void> {
    await this.#opening;
    this.#watch.close();
    this.#watch.spill = null;
    await this.#spill?.end();
  }

  view(query: ViewQuery): TraceView {
    const view = this.#watch.view(query);
    return transfer(
      view,
      Object.values(view.columns).map((column) => column.buffer),
    );
  }

  extent(): TraceExtent {
    return this.#watch.extent();
  }

  /**
   * Has GCC's loss controller bound a sender, until something ends that; `act` reaches the window's observer, which
   * ends it by itself when it hears nothing more. Resolves with what came of the first bound. Never rejects.
   */
  async drive(
    { target, endpoint, startBps }: Driven,
    act: (action: Action) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const { mid } = target;
    try {
      await this.#watch.drive(endpoint, mid, startBps);
    } catch (error) {
      const why = `The controller did not start: ${String(error)}`;
      return { ok: false, why, fix: 'cap the stream instead' };
    }
    const say = async (): Promise<ActionResult> => {
      const maxBitrateBps = this.#watch.drivenBps(endpoint, mid);
      if (maxBitrateBps === null) return { ok: false, why: 'It is driven no longer.', fix: 'drive it again' };
      return act({ kind: 'drive', target, controller: 'GCC', maxBitrateBps });
    };
    const first = await say();
    if (!first.ok) {
      this.#watch.endDrive(endpoint, mid);
      return first;
    }
    const timer = setInterval(() => {
      void say().then(({ ok }) => {
        if (ok) return;
        clearInterval(timer);
        this.#watch.endDrive(endpoint, mid);
      });
    }, DRIVE_MS);
    return first;
  }
}

/** What the page's policy made different, for people. */
function placeNotices(core: CoreKind | null, place: WatchPlace): RecordNotice[] {
  const notices: RecordNotice[] = [];
  if (core === 'javascript')
    notices.push({
      level: 'info',
      code: 'core-in-javascript',
      message:
        "The page's Content-Security-Policy refuses WebAssembly: the controllers run as JavaScript, with the same numbers and more work.",
      fix: "nothing to do; 'wasm-unsafe-eval' in script-src would allow WebAssembly",
    });
  if (place === 'page')
    notices.push({
      level: 'warning',
      code: 'watch-in-page',
      message:
        "The page's Content-Security-Policy refuses a worker: the controllers and the recording share the page's own thread.",
      fix: 'allow worker-src blob:, or use the browser extension, which the policy does not reach',
    });
  return notices;
}

/** What a worker is told first. */
export interface WatchStart {
  originEpochMs: number;
  place: WatchPlace;
  port: MessagePort;
}

/** Serves a watch over a port. */
export function serveWatch({ originEpochMs, place, port }: WatchStart): void {
  expose(new WatchService(originEpochMs, place), port);
}
