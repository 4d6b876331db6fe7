import { transfer } from 'comlink';
import type { ControllerFault, TraceBatch, TraceEvent } from '../core/index.js';
import { timeZeroMs } from '../machine/index.js';
import type { EncodedStreams } from '../worker/media/encoded.js';
import { createMediaWorker, shadowsWithinMs, type MediaWorker } from '../worker/media/media_client.js';
import type { MediaConfig, TransformOptions, WorkerEvent } from '../worker/media/protocol.js';
import type { SlotConfig } from '../worker/slot.js';
import type { StatusBoard } from './status.js';
import type { ControlOptions } from './types.js';

type Endpoint = (RTCRtpSender | RTCRtpReceiver) & { createEncodedStreams?(): EncodedStreams };

/**
 * The shortest interval at which the workers' statistics are shown: the workers report them more often than people
 * can read them.
 */
const SHOW_STATS_MS = 500;

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The transform of one side of a call, and the transform's worker. Attaches both, forwards their reports, and keeps
 * the video going if they fail. Frames flow as soon as the constructor returns; `start` adds the controllers.
 */
export class Tap {
  #client: MediaWorker | null;
  /** Whether the worker still runs the controllers. If false, it only passes frames through. */
  #working = true;
  #closed = false;
  #shownAt = -Infinity;
  /** Settles when the worker has started the controllers, or could not. */
  #started: Promise<void> = Promise.resolve();
  readonly #zeroMs = timeZeroMs();

  constructor(
    private readonly endpoint: Endpoint,
    client: MediaWorker,
    private readonly config: MediaConfig,
    private readonly options: Pick<ControlOptions, 'workerUrl' | 'onTrace' | 'onEvent'>,
    private readonly board: StatusBoard,
    private readonly onEvent: (event: WorkerEvent) => void,
    private readonly onReplaced: () => void = () => undefined,
  ) {
    this.#client = client;
    this.#attach(client, false);
  }

  /** The worker; null if it no longer runs the controllers. */
  get worker(): MediaWorker | null {
    return this.#working ? this.#client : null;
  }

  #attach(client: MediaWorker, late: boolean): void {
    const { side } = this.config;
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
  start(): Promise<void> {
    if (this.#working) this.#started = this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    try {
      await this.#client?.start(
        this.config,
        (event) => this.#hear(event),
        (why) => void this.#replace(why),
      );
    } catch (error) {
      if (!this.#working) return;
      this.#fault(
        `the controller could not start: ${reason(error)}`,
        'reload the page; if the error persists, rebuild the core',
      );
    }
  }

  #hear(event: WorkerEvent): void {
    const { side } = this.config;
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
    this.onEvent(event);
  }

  #fault(what: string, fix: string): void {
    const { side } = this.config;
    this.#working = false;
    this.board.notice('error', `${side}-fault`, `At the ${side}, ${what}; frames pass uncontrolled.`, fix);
    this.#record('fault', { side, message: what });
    this.onEvent({ kind: 'fault', message: what });
  }

  /** Called when a controller has refused one row of its input. The call continues. */
  #rowRefused(message: string): void {
    const { side } = this.config;
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
    this.options.onEvent({ time_us: Math.round((now - this.config.originEpochMs) * 1000), name, detail });
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
      this.onReplaced();
    } catch (error) {
      this.#fault(`the worker died and could not be replaced: ${reason(error)}`, 'start the call again');
    }
    const { deadWorkers } = this.board.status;
    this.board.update({ deadWorkers: [...deadWorkers, this.config.side] });
  }

  /** Requests a key frame from the far side; for receivers. */
  requestKeyFrame(): void {
    void this.#client?.commands.requestKeyFrame();
  }

  /**
   * Stops the controllers; from then on, the worker only passes frames through. Resolves when the recorded rows have
   * been forwarded.
   */
  async passThrough(): Promise<void> {
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

  async setShadows(shadows: readonly SlotConfig[]): Promise<void> {
    await this.ask((commands) => commands.setShadows(shadows), shadowsWithinMs(shadows));
  }

  /**
   * Ends the worker. Call this only after the connection has closed: without the worker, no more frames pass.
   */
  terminate(): void {
    this.#working = false;
    this.#closed = true;
    this.#client?.terminate();
  }
}
