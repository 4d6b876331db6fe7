/** Keeps the trace that the charts show: that of a call, of an opened file, or of the sample. */
import { signal } from '@preact/signals';

import type { TraceBatch, TraceEvent } from '../../core/index.js';
import { tableSpec } from '../../core/schema.js';
import { CROSS_FLOW } from '../../link/cross_rate.js';
import type { TraceHeader } from '../../trace/index.js';
import { recordedFlows } from '../../trace/recorded_flows.js';
import {
  createTraceStore,
  type TraceStore,
  type TraceStoreOptions,
} from '../../worker/trace/trace_client.js';
import { replayEntry } from '../../worker/trace/trace_journal.js';
import { dismiss, messageOf, notify } from '../notices.js';
import type { OwnController } from '../own_controllers.js';
import type { StoredRecording } from '../stored.js';
import { KeptRecording } from './kept_recording.js';
import { LiveValues } from './live_values.js';

/** Columns of the table `queue` that are running totals. */
const QUEUE_COUNTERS = ['drops', 'delivered_bytes'];
const QUEUE_COLUMNS = tableSpec('queue').columns.map(({ name }) => name);

/** The entry in the trace's header for all TCP connections that share the bottleneck with the call. */
const CROSS = { flow: CROSS_FLOW, name: 'TCP', kind: 'tcp' } as const;

/** The contents of the charts. `version` changes when all rows have been replaced. */
export interface Shown {
  kind: 'nothing' | 'sample' | 'call' | 'file';
  name: string;
  header: Partial<TraceHeader>;
  version: number;
}

export class Recorder {
  readonly live = new LiveValues();
  readonly shown = signal<Shown>({ kind: 'nothing', name: '', header: {}, version: 0 });
  /** How much of a file has been read, from 0 to 1; null while no file is being read. */
  readonly opening = signal<number | null>(null);
  /** Whether there is anything to download. */
  readonly hasRows = signal(false);
  /** Whether a call's recording has not been downloaded completely; false without a recording. */
  readonly unsaved = signal(false);
  /** The file to which the shown trace was saved last; null if none. `grows`: whether the call was still running. */
  readonly savedFile = signal<{ name: string; grows: boolean } | null>(null);
  /**
   * The time up to which the sample has been played. The sample is a simulated call that the page shows before a
   * call.
   */
  sampleUs: () => number = () => 0;
  /**
   * Ends the call, if there is one. Called before another recording is shown: a failed call still writes rows, and may
   * come back.
   */
  endCall: () => Promise<void> = () => Promise.resolve();
  /** Whether a call may still write rows into the recording that is shown. */
  grows: () => boolean = () => false;
  /**
   * The user's controllers that have been in charge of the shown call, one for each start of the call. Empty for a file:
   * it has only the name of its controller.
   */
  ownInCharge: OwnController[] = [];
  #reading: Promise<unknown> = Promise.resolve();
  /** Whether a call or a file other than the sample has begun. */
  #hasOtherBegun = false;
  /**
   * The queue's totals up to the last restart of the call. The counts of the new link start from zero, so these
   * totals are added to the new counts.
   */
  #counted: Partial<Record<string, number>> = {};

  private constructor(
    readonly store: TraceStore,
    /** The copy of the recording that outlives the page. */
    readonly kept: KeptRecording,
  ) {}

  static async create(): Promise<Recorder> {
    const onError = (error: Error): void => {
      notify(
        'error',
        'recorder',
        `Recording failed: ${error.message}.`,
        'Save what was recorded to a file, then reload the page.',
      );
    };
    const onReplaced = (): void =>
      notify(
        'info',
        'recorder',
        'The worker that writes the recording died and was replaced.',
        'No recorded row was lost.',
      );
    const kept = new KeptRecording((error) =>
      notify(
        'warning',
        'kept',
        `The recording would not survive a reload: ${messageOf(error)}.`,
        'Save it to a file before you leave the page.',
      ),
    );
    const onKept: TraceStoreOptions['onKept'] = (entry) => kept.add(entry);
    return new Recorder(await createTraceStore({ onError, isKept: true, onReplaced, onKept }), kept);
  }

  /** The newest time of the call or of the sample, in microseconds since the origin; 0 for an opened file. */
  get newestUs(): number {
    return this.shown.peek().kind === 'sample' ? this.sampleUs() : this.live.newestUs;
  }

  append(batch: TraceBatch): void {
    if (batch.table === 'throughput') this.#nameCross();
    if (batch.table === 'queue') this.#countOn(batch);
    this.live.observe(batch);
    this.store.append(batch);
    this.hasRows.value = true;
    this.unsaved.value = true;
  }

  event(event: TraceEvent): void {
    this.store.appendEvent(event);
  }

  /**
   * Drops the current trace and begins the recording of a call. Does nothing if the call is no longer wanted when a file
   * that is being read has been read.
   */
  begin(header: Partial<TraceHeader>, isWanted: () => boolean): Promise<void> {
    return this.#alone(async () => {
      if (!isWanted()) return;
      this.live.clear();
      this.#counted = {};
      this.hasRows.value = false;
      this.unsaved.value = false;
      await this.store.clear();
      dismiss('kept');
      this.kept.begin(header);
      this.#show('call', 'call', header);
    });
  }

  /** Adds the shadows (controllers that only watch) to the trace's header. */
  nameShadows(shadows: readonly { flow: number }[]): void {
    if (shadows.length > 0) this.#nameFlows([...shadows, ...this.#flows('tcp')]);
  }

  #nameCross(): void {
    if (this.#flows('tcp').length === 0) this.#nameFlows([...this.#flows('shadow'), CROSS]);
  }

  #flows(kind: string): readonly { flow: number }[] {
    return recordedFlows(this.shown.peek().header).filter((each) => each.kind === kind);
  }

  #nameFlows(flows: readonly { flow: number }[]): void {
    const value = this.shown.peek();
    const header = { ...value.header, flows };
    this.kept.describe(header);
    this.shown.value = { ...value, header };
  }

  /** Continues the recording after a call has been restarted. */
  resume(): void {
    for (const name of QUEUE_COUNTERS) this.#counted[name] = this.live.value('queue', name) || 0;
  }

  /** Adds the totals from before the restart, so that the queue's counters continue. */
  #countOn({ columns }: TraceBatch): void {
    for (const name of QUEUE_COUNTERS) {
      const counted = this.#counted[name] ?? 0;
      const column = columns[QUEUE_COLUMNS.indexOf(name)];
      column?.forEach((value, row) => (column[row] = value + counted));
    }
  }

  /**
   * Shows a file instead of the current trace. Rejects with TraceError if the file cannot be read; the current trace
   * is then kept.
   */
  open(file: File): Promise<void> {
    return this.#alone(() => this.#read(file));
  }

  async #read(file: File): Promise<void> {
    this.opening.value = 0;
    try {
      await this.endCall();
      const header = await this.store.open(file, (bytes, total) => (this.opening.value = bytes / total));
      this.kept.end();
      this.live.clear();
      this.unsaved.value = false;
      this.hasRows.value = true;
      this.#show('file', file.name, header);
    } finally {
      this.opening.value = null;
    }
  }

  /**
   * Does work that loads another trace, once earlier work of this kind has ended, so that the store never reads two
   * traces at the same time. The sample does not start any more.
   */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#hasOtherBegun = true;
    const done = this.#reading.then(work);
    this.#reading = done.catch(() => undefined);
    return done;
  }

  /**
   * Shows the sample trace until another trace is shown. Does nothing if a call has begun, or if another file has
   * been opened.
   */
  async showSample(trace: Blob): Promise<void> {
    if (this.#hasOtherBegun) return;
    const reading = this.store.open(trace);
    this.#reading = reading.catch(() => undefined);
    const header = await reading;
    if (this.shown.peek().kind === 'nothing') this.#show('sample', 'sample', header);
  }

  /**
   * Shows a recording that an earlier visit left, in the same way as a file called `name`. Rejects with NotKept if
   * the recording was deleted meanwhile; the current trace is then kept.
   */
  recover(left: StoredRecording, name: string): Promise<void> {
    return this.#alone(() => this.#recover(left, name));
  }

  async #recover(left: StoredRecording, name: string): Promise<void> {
    await this.endCall();
    const entries = await this.kept.read(left);
    this.kept.end();
    await this.store.clear();
    for (const entry of entries) await replayEntry(entry, this.store);
    const header = await this.store.open(await this.store.exportNdjson(left.header));
    this.kept.own(left);
    this.live.clear();
    this.hasRows.value = true;
    this.unsaved.value = true;
    this.#show('file', name, header);
  }

  /**
   * To be called after the recording was downloaded as `name`. A recording that was still growing then (see `grows`)
   * remains unsaved, since its later rows are not in the file.
   */
  saved(name: string, grows: boolean): void {
    this.savedFile.value = { name, grows };
    this.unsaved.value = grows;
    if (!grows) this.kept.forget();
  }

  /** Returns the contents of a trace file (format v1). */
  export(): Promise<Blob> {
    const { kind, header } = this.shown.value;
    return this.store.exportNdjson(kind === 'call' ? header : undefined);
  }

  #show(kind: Shown['kind'], name: string, header: Partial<TraceHeader>): void {
    this.savedFile.value = null;
    this.ownInCharge = [];
    this.shown.value = { kind, name, header, version: this.shown.value.version + 1 };
  }
}

/** Opens a file in the recorder and tells the user when it can't be read. */
export async function openTraceFile(recorder: Recorder, file: File): Promise<void> {
  try {
    await recorder.open(file);
  } catch (error) {
    notify(
      'error',
      'open',
      `${file.name} was not opened: ${messageOf(error)}.`,
      'Choose a recording in format v1 (NDJSON).',
    );
  }
}
