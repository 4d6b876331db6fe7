/** The interface of the watch for views. Views use it over a port, wherever the watch runs. */
import { expose, transfer } from 'comlink';

import type { Action, ActionResult, ActionTarget, PageBatch, RecordNotice } from '../inject/protocol.js';
import type { TraceExtent, TraceView, ViewQuery } from '../trace/index.js';
import { KEPT_US, Watch, type WatchState, type WindowPlace } from '../watch/index.js';
import { loadControllers, type CoreKind } from './controllers.js';
import { DriveLoop } from './drive_loop.js';
import { SpillFiles } from './spill_files.js';
import { totalRates, type TotalRates } from './total_rates.js';

/** The state that a view shows, apart from the charts. */
export interface ServedState extends WatchState {
  /** How the controllers run; null until they are loaded. */
  core: CoreKind | null;
  /**
   * Where the watch runs: in a worker, or on the page's own thread if the policy of the page refuses a worker.
   */
  place: WatchPlace;
  recording: RecordingState;
}

/** The extent of the recording. */
export interface RecordingState {
  /** The time from the beginning of the recording until now. */
  lengthUs: number;
  /**
   * How much of the recording is still stored, counted back from now; older data are gone. A file of the
   * whole recording contains this part.
   */
  keptUs: number;
  /** The approximate size of a file with this part. */
  bytes: number;
  bookmarks: number;
  /** Whether the whole recording is kept, including the parts that got too old for memory. */
  keepsAll: boolean;
}

/** Options for the file of a recording. */
export interface FileOptions {
  /** Limits the file to the latest part of this length. Default: everything that is kept. */
  lastUs?: number;
  /** Whether the file contains the mapping from aliases to the original addresses, ids, labels and URLs. */
  identifiers: boolean;
}

export type WatchPlace = 'worker' | 'page';
/**
 * A sender that a controller is to drive: the controller repeatedly limits its rate. `target` identifies the
 * sender in its window. `endpoint` is the number of its connection in the watch.
 */
export interface Driven {
  target: ActionTarget;
  endpoint: number;
  /** The current sending rate of the sender. */
  startBps: number;
}

export class WatchService {
  readonly #watch: Watch;
  #core: CoreKind | null = null;
  #spill: SpillFiles | null = null;
  readonly #opening: Promise<void>;
  readonly #place: WatchPlace;
  /** The page number of each window. The key is the window name in batches. */
  readonly #windows = new Map<string, number>();
  /** The running drives, by endpoint and mid. */
  readonly #drives = new Map<string, DriveLoop>();

  constructor({ originEpochMs, place, spills }: ServiceOptions) {
    this.#place = place;
    this.#watch = new Watch({ originEpochMs, load: () => loadControllers((kind) => (this.#core = kind)) });
    this.#opening = spills ? this.#open() : Promise.resolve();
  }

  async #open(): Promise<void> {
    const spill = await SpillFiles.open();
    this.#spill = spill;
    if (spill === null) return;
    this.#watch.spill = (segment) => {
      if (spill.stopped === null) spill.write(segment);
      else this.#watch.spill = null;
    };
  }

  /** Processes a batch of reports. Without `place`, each window counts as a page. */
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
    const { notices, ...state } = this.#watch.state;
    const [core, place] = [this.#core, this.#place];
    return {
      ...{ ...state, core, place, recording: this.#recording(state.timeUs) },
      notices: [...notices, ...placeNotices(core, place), ...diskNotices(this.#spill?.stopped ?? null)],
    };
  }

  #recording(nowUs: number): RecordingState {
    const { lengthUs, lineBytes, bookmarks } = this.#watch.recordingSize;
    const spill = this.#spill;
    const [first, bytes] = [spill?.first ?? null, lineBytes + (spill?.bytes ?? 0)];
    const keptUs = first === null ? Math.min(lengthUs, KEPT_US) : nowUs - first.fromUs;
    // Pieces are numbered from 0. Nothing is missing if piece 0 is stored, or if no piece has left memory yet.
    const keepsAll = spill !== null && spill.stopped === null && (first?.number ?? 0) === 0;
    return { lengthUs, keptUs: keepsAll ? lengthUs : keptUs, bytes, bookmarks, keepsAll };
  }

  rates(): TotalRates {
    return totalRates(this.#watch.state.streams);
  }

  /** Records a bookmark at the current time. */
  bookmark(text: string): void {
    this.#watch.bookmark(text);
  }

  /** Returns the recording as a file. */
  async file(options: FileOptions): Promise<Blob> {
    await this.#spill?.settled();
    const { before, first, after } = this.#watch.export({ ...options, keptFrom: this.#spill?.first ?? null });
    // The list of files is made before the next await. A piece that leaves memory during the await is not
    // missing, because `after` already contains the piece.
    const kept = this.#spill?.files(first) ?? [];
    // Browsers keep blobs outside the memory of this thread. Therefore each piece of text becomes a separate blob
    // immediately.
    const latest = [...after].map((text) => new Blob([text]));
    return new Blob([before, ...(await kept), ...latest], { type: 'application/x-ndjson' });
  }

  /** Ends the watch, and removes its data from the disk. */
  async close(): Promise<void> {
    await this.#opening;
    for (const drive of this.#drives.values()) void drive.end();
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
   * Lets GCC's loss controller limit a sender until `endDrive` is called. This limitation is called a drive.
   * `act` sends actions to the observer of the window. An observer that receives no more limits ends the drive
   * itself. Resolves to the result of the first limit. Never rejects.
   */
  async drive(
    { target, endpoint, startBps }: Driven,
    act: (action: Action) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const { mid } = target;
    await this.endDrive(endpoint, mid);
    try {
      await this.#watch.drive(endpoint, mid, startBps);
    } catch (error) {
      const why = `The controller did not start: ${String(error)}`;
      return { ok: false, why, fix: 'cap the stream instead' };
    }
    const drive = new DriveLoop({
      bound: () => {
        const maxBitrateBps = this.#watch.drivenBps(endpoint, mid);
        return maxBitrateBps === null
          ? Promise.resolve(null)
          : act({ kind: 'drive', target, controller: 'GCC', maxBitrateBps });
      },
      ended: () => {
        this.#watch.endDrive(endpoint, mid);
        // The drive may have been released elsewhere. A limit that arrived after that release has started the
        // drive again. In that case, releases the drive again.
        if (this.#isDriven(endpoint, mid))
          void act({ kind: 'release', target, of: 'drive' }).catch(() => undefined);
      },
    });
    const key = sectionKey(endpoint, mid);
    void this.#drives.get(key)?.end();
    this.#drives.set(key, drive);
    return drive.begin();
  }

  /**
   * Ends the drive of a sender. Resolves when the page has answered the last limit. A release that is sent
   * after that cannot be undone by a late limit.
   */
  async endDrive(endpoint: number, mid: string): Promise<void> {
    const key = sectionKey(endpoint, mid);
    const drive = this.#drives.get(key);
    this.#drives.delete(key);
    this.#watch.endDrive(endpoint, mid);
    await drive?.end();
  }

  /** Whether a controller limits the sender, according to the page's latest report. */
  #isDriven(endpoint: number, mid: string): boolean {
    return this.#watch.state.streams.some(
      (stream) =>
        stream.endpoint === endpoint &&
        stream.direction === 'send' &&
        stream.mid === mid &&
        stream.inForce.some(({ kind }) => kind === 'drive'),
    );
  }
}

const sectionKey = (endpoint: number, mid: string): string => `${endpoint} ${mid}`;

/**
 * Notices for the user about the effects of the page's policy: controllers that run as JavaScript, and a watch
 * on the page's thread.
 */
function placeNotices(core: CoreKind | null, place: WatchPlace): RecordNotice[] {
  const notices: RecordNotice[] = [];
  if (core === 'javascript')
    notices.push({
      level: 'info',
      code: 'core-in-javascript',
      message:
        "The page's Content-Security-Policy refuses WebAssembly: the controllers run as JavaScript, with the same results, but use more CPU time.",
      fix: "nothing to do; 'wasm-unsafe-eval' in script-src would allow WebAssembly",
    });
  if (place === 'page')
    notices.push({
      level: 'warning',
      code: 'watch-in-page',
      message:
        "No worker could start here, usually because the page's Content-Security-Policy refuses it: the controllers and the recording run on the page's own thread.",
      fix: 'allow worker-src blob:, or use the browser extension, which the policy does not affect',
    });
  return notices;
}

/** A warning for the user if the old parts of the recording can no longer be stored on the disk. */
const diskNotices = (stopped: string | null): RecordNotice[] =>
  stopped === null
    ? []
    : [
        {
          level: 'warning',
          code: 'recording-cut',
          message: `The browser could not store what is older than ten minutes (${stopped}): only the last ten minutes of the recording are kept.`,
          fix: 'download the recording every ten minutes; for a longer one, free disk space, detach, and start again',
        },
      ];

interface ServiceOptions {
  /** The zero point of all times, in milliseconds since the Unix epoch. */
  originEpochMs: number;
  place: WatchPlace;
  /** Whether the parts that get too old for memory are stored in the origin private file system (OPFS). */
  spills: boolean;
}

/** The first message to a worker that is to run the watch. */
export interface WatchStart extends ServiceOptions {
  port: MessagePort;
}

/** Starts a watch, and provides its interface over the port. */
export function serveWatch({ port, ...options }: WatchStart): void {
  expose(new WatchService(options), port);
}
