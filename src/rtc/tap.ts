import { transfer } from 'comlink';
import type { ControllerFault, TraceBatch, TraceEvent } from '../core/index.js';
import { timeZeroMs } from '../machine/index.js';
import type { EncodedStreams } from '../worker/media/encoded.js';
import { message } from '../worker/media/errors.js';
import { createMediaWorker, slotsWithinMs, type MediaWorker } from '../worker/media/media_client.js';
import type { MediaConfig, TransformOptions, WorkerEvent } from '../worker/media/protocol.js';
import type { SlotConfig } from '../worker/slot.js';
import { checkBounds, shadowSlots, slotInCharge } from './controllers.js';
import { poll } from './stats.js';
import type { StatusBoard } from './status.js';
import type { ControlOptions } from './types.js';

type Endpoint = (RTCRtpSender | RTCRtpReceiver) & { createEncodedStreams?(): EncodedStreams };

/**
 * The shortest interval at which the workers' statistics are shown: the workers report them more often than people
 * can read them.
 */
const SHOW_STATS_MS = 500;

/**
 * One side of a connection: its transform, and the transform's worker. Attaches both, forwards their reports, and keeps
 * the video going if they fail. Frames flow as soon as the constructor returns; `start` adds the controllers.
 */
export abstract class Tap<E extends Endpoint, O extends ControlOptions> {
  #client: MediaWorker | null;
  /** Whether the worker still runs the controllers. If false, it only passes frames through. */
  #working = true;
  #closed = false;
  #shownAt = -Infinity;
  /** Settles when the worker has started the controllers, or could not. */
  #started: Promise<void> = Promise.resolve();
  readonly #zeroMs = timeZeroMs();
  readonly #config: MediaConfig;
  #stopPolling: (() => void) | null = null;
  /** Whether `detach` or `close` was called, perhaps before the controllers had started. */
  #isEnded = false;

  constructor(
    protected readonly endpoint: E,
    client: MediaWorker,
    config: Pick<MediaConfig, 'side' | 'recordsChanges' | 'bottleneck' | 'keyFrameIntervalS'>,
    protected readonly options: O,
    protected readonly board: StatusBoard,
    private readonly pollMs: number,
  ) {
    const { originEpochMs, wasmUrl } = options;
    this.#config = {
      ...config,
      originEpochMs,
      controller: slotInCharge(options),
      shadows: shadowSlots(options.shadows ?? [], options),
      ...(wasmUrl === undefined ? {} : { wasmUrl: String(wasmUrl) }),
    };
    this.#client = client;
    this.#attach(client, false);
  }

  /** Called for every report of the worker, and for the faults that end control. */
  protected abstract hear(event: WorkerEvent): void;
  /** Reads the browser's statistics; called every `pollMs` once the controllers have started. */
  protected abstract poll(): Promise<void>;
  /** Called when the browser gives no statistics. */
  protected abstract statsMissing(): void;

  /** Called after a dead worker has been replaced. */
  protected replaced(): void {
    // Only a sender has something to do.
  }

  /** The worker; null if it no longer runs the controllers. */
  get worker(): MediaWorker | null {
    return this.#working ? this.#client : null;
  }

  #attach(client: MediaWorker, late: boolean): void {
    const { side } = this.#config;
    if (typeof RTCRtpScriptTransform !== 'undefined') {
      this.endpoint.transform = new RTCRtpScriptTransform(client.worker, {
        side,
        late,
      } satisfies TransformOptions);
      return;
    }
    const streams = this.endpoint.createEncodedStreams?.();
    if (streams === undefined) throw new Error('this browser gives no access to encoded video frames');
    const { readable, writable } = streams;
    void client.commands.attachStreams(side, transfer(readable, [readable]), transfer(writable, [writable]));
  }

  /** Starts the controllers in the worker. Never rejects: if they cannot start, frames pass uncontrolled. */
  async start(): Promise<void> {
    if (this.#working) this.#started = this.#start();
    await this.#started;
    if (this.#isEnded) return;
    this.#stopPolling = poll(
      this.pollMs,
      () => this.poll(),
      () => this.statsMissing(),
    );
  }

  async #start(): Promise<void> {
    try {
      await this.#client?.start(
        this.#config,
        (event) => this.#forward(event),
        (why) => void this.#replace(why),
      );
    } catch (error) {
      if (!this.#working) return;
      // The worker may only be slow. It must not take control later, when the status says that it does not.
      void this.#passThrough();
      this.#fault(
        `the controller could not start: ${message(error)}`,
        'reload the page; if the error persists, rebuild the core',
      );
    }
  }

  #forward(event: WorkerEvent): void {
    const { side } = this.#config;
    switch (event.kind) {
      case 'batches':
        for (const batch of event.batches) this.options.onTrace(batch satisfies TraceBatch, side);
        break;
      case 'event':
        this.options.onEvent(event.event satisfies TraceEvent);
        break;
      case 'fault':
        this.#fault(`the controller failed: ${event.message}`, 'save the trace, then start the call again');
        return;
      case 'controller-fault':
        this.#controllerFault(event.fault);
        break;
      case 'row-refused':
        this.#rowRefused(event.message);
        break;
      case 'tick':
        if (performance.now() - this.#shownAt < SHOW_STATS_MS) break;
        this.#shownAt = performance.now();
        this.board.update({ workers: { ...this.board.status.workers, [side]: event.stats } });
        break;
      case 'feedback':
      case 'target':
      case 'key-frame':
        break;
    }
    this.hear(event);
  }

  #fault(what: string, fix: string): void {
    const { side } = this.#config;
    this.#working = false;
    this.board.notice('error', `${side}-fault`, `At the ${side}, ${what}; frames pass uncontrolled.`, fix);
    this.#record('fault', { side, message: what });
    this.hear({ kind: 'fault', message: what });
  }

  /** Called when a controller has refused one row of its input. The call continues. */
  #rowRefused(message: string): void {
    const { side } = this.#config;
    this.board.notice(
      'warning',
      `${side}-row-refused`,
      `At the ${side}, the controller refused a row of its input (${message}); it continues without that row.`,
      "nothing to do, unless `rowsRefused` in the worker's statistics keeps growing",
    );
    this.#record('row_refused', { side, message });
  }

  /** One controller failed on this side of the call (its other half runs on the other side). The call continues. */
  #controllerFault(fault: ControllerFault): void {
    const { flow, controller, half, message, timeUs } = fault;
    const kept =
      flow === 0 ? 'its last good rate stays in force' : 'it is no longer drawn, and nothing else changes';
    this.board.update({ controllerFaults: [...this.board.status.controllerFaults, fault] });
    this.board.notice(
      'error',
      `controller-fault-${flow}`,
      `The controller ${controller} failed at the ${half}: ${message}; ${kept}.`,
      'save the trace, then choose another controller or repair this one',
    );
    const event = {
      time_us: timeUs,
      name: 'controller_fault',
      detail: { flow, controller, half, message },
    };
    this.options.onEvent(event);
  }

  #record(name: string, detail: unknown): void {
    const now = this.#zeroMs + performance.now();
    this.options.onEvent({ time_us: Math.round((now - this.#config.originEpochMs) * 1000), name, detail });
  }

  /** Replaces a dead worker by a new one that only passes frames through. */
  async #replace(why: string): Promise<void> {
    this.#fault(`the worker died: ${why}`, 'save the trace, then start the call again');
    this.#client = null;
    try {
      const fresh = await createMediaWorker(this.options.workerUrl);
      if (this.#closed) {
        fresh.terminate();
        return;
      }
      this.#client = fresh;
      this.#attach(fresh, true);
      this.replaced();
    } catch (error) {
      this.#fault(`the worker died and could not be replaced: ${message(error)}`, 'start the call again');
    }
    const { deadWorkers } = this.board.status;
    this.board.update({ deadWorkers: [...deadWorkers, this.#config.side] });
  }

  /** Requests a key frame from the far side; for receivers. */
  requestKeyFrame(): void {
    void this.#client?.commands.requestKeyFrame();
  }

  /**
   * Stops the controllers; from then on, the worker only passes frames through. Resolves when the recorded rows have
   * been forwarded.
   */
  async #passThrough(): Promise<void> {
    const client = this.worker;
    this.#working = false;
    // A worker that died unnoticed does not answer; then there is nothing left to forward.
    if (client !== null) await client.answered(client.commands.passThrough()).catch(() => undefined);
  }

  /**
   * Sends a command to the worker, once the controllers have started: before, there is nothing that the worker could
   * change. Does nothing if the worker no longer runs the controllers. Rejects with the worker's error, or if the
   * worker does not answer in time (by default, within a second).
   */
  async ask(command: (commands: MediaWorker['commands']) => Promise<void>, withinMs?: number): Promise<void> {
    await this.#started;
    const client = this.worker;
    if (client !== null) await client.answered(command(client.commands), withinMs);
  }

  async setParameter(name: string, value: number): Promise<void> {
    checkBounds(name, value, this.options);
    await this.ask((commands) => commands.setParameter(name, value));
  }

  async setPreset(name: string): Promise<void> {
    await this.ask((commands) => commands.setPreset(name));
  }

  async setShadows(shadows: readonly SlotConfig[]): Promise<void> {
    await this.ask((commands) => commands.setShadows(shadows), slotsWithinMs(shadows));
  }

  #end(): void {
    this.#isEnded = true;
    this.#stopPolling?.();
  }

  /** Stops the controllers. The connection continues. */
  async detach(): Promise<void> {
    this.#end();
    await this.#passThrough();
  }

  /**
   * Ends the worker. Call this only after the connection has closed: without the worker, no more frames pass.
   */
  close(): void {
    this.#end();
    this.#working = false;
    this.#closed = true;
    this.#client?.terminate();
  }
}
