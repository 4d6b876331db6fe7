/**
 * The packet simulator of the core (wasm/sim). It simulates media and TCP flows over a forward and a backward
 * path, in virtual time. The same options and seed give byte-identical results in a native build, in Node and in
 * browsers.
 */
import { readDensity, type Density, type DensityOptions } from './density.js';
import { componentValues } from './component.js';
import { controllerSetup } from './controller_setup.js';
import { Handle } from './handle.js';
import { expectWhole, modeOf, passQueue } from './link_arguments.js';
import { CoreError, type CoreModule } from './load.js';
import { drainRecorder, tableBits, type TraceBatch } from './recorder.js';
import { SimulationChanges } from './simulation_changes.js';
import { readWindow, type WindowMetrics } from './simulation_metrics.js';
import { DIRECTIONS } from './direction.js';
import { inside } from './field_path.js';
import {
  FLOW_KINDS,
  type FlowOptions,
  type MediaFlowOptions,
  type SimulatedLinkOptions,
  type SimulationOptions,
  type TcpFlowOptions,
  type WindowOptions,
} from './simulation_options.js';
import type { ControllerFault } from './user_controller.js';

export type * from './simulation_metrics.js';
export type * from './simulation_options.js';

const CONGESTION_CONTROLS = ['cubic', 'new_reno'] as const;
const DEFAULT_MAX_EVENTS = 1e9;
const DEFAULT_RATE_INTERVAL_US = 500e3;
const DEFAULT_TRACE_INTERVAL_US = 200e3;
const DEFAULT_BURST_BYTES = 5000;

/** A simulation in the core. Its methods throw CoreErrors that name the field. */
export class Simulation {
  readonly #handle: Handle;
  readonly #windows: readonly WindowOptions[];
  readonly #names: readonly (string | undefined)[];
  readonly #seed: number;
  readonly #faults: ControllerFault[] = [];
  readonly #changes: SimulationChanges;

  constructor(core: CoreModule, options: SimulationOptions) {
    this.#windows = [{ name: 'run', beginUs: 0, endUs: options.durationUs }, ...(options.windows ?? [])];
    this.#names = options.flows.map(({ name }) => name);
    this.#seed = options.seed ?? 1;
    const pointer = core.found(
      core.abi.ccs_sim_create(
        options.durationUs,
        options.rateIntervalUs ?? DEFAULT_RATE_INTERVAL_US,
        this.#seed,
        options.maxEvents ?? DEFAULT_MAX_EVENTS,
      ),
    );
    this.#handle = new Handle(core, 'simulation', core.abi.ccs_sim_destroy, pointer);
    try {
      this.#changes = new SimulationChanges(this.#handle, options);
      this.#setUp(options);
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  #setUp({ forward, backward, windows = [], flows, trace }: SimulationOptions): void {
    this.#setPath(0, forward, 'forward');
    const noBottleneck = forward.oneWayDelayUs === undefined ? {} : { oneWayDelayUs: forward.oneWayDelayUs };
    this.#setPath(1, backward ?? noBottleneck, 'backward');
    for (const [index, { beginUs, endUs }] of windows.entries()) {
      inside(`windows.${index}`, () =>
        this.#handle.core.check(this.#handle.abi.ccs_sim_add_window(this.#handle.pointer, beginUs, endUs)),
      );
    }
    for (const [index, flow] of flows.entries()) inside(`flows.${index}`, () => this.#addFlow(flow));
    if (trace !== undefined) {
      this.#handle.core.check(
        this.#handle.abi.ccs_sim_trace(
          this.#handle.pointer,
          tableBits(trace.tables, 'trace.tables'),
          trace.intervalUs ?? DEFAULT_TRACE_INTERVAL_US,
        ),
      );
    }
  }

  #setPath(direction: number, path: SimulatedLinkOptions, name: string): void {
    inside(name, () => {
      const { burstLossPackets, jitterBehindQueue = false, reordering, outages } = path;
      if (burstLossPackets !== undefined)
        this.#handle.core.check(
          this.#handle.abi.ccs_sim_set_burst_loss(this.#handle.pointer, direction, burstLossPackets),
        );
      if (jitterBehindQueue)
        this.#handle.core.check(
          this.#handle.abi.ccs_sim_set_jitter_behind_queue(this.#handle.pointer, direction, 1),
        );
      if (reordering) {
        const { ratio, delayUs } = reordering;
        inside('reordering', () =>
          this.#handle.core.check(
            this.#handle.abi.ccs_sim_set_reordering(this.#handle.pointer, direction, ratio, delayUs),
          ),
        );
      }
      if (outages) {
        const { meanOnUs, meanOffUs, offPhases = 1 } = outages;
        inside('outages', () => {
          expectWhole('offPhases', offPhases, '1 to 100');
          this.#handle.core.check(
            this.#handle.abi.ccs_sim_set_outages(
              this.#handle.pointer,
              direction,
              meanOnUs,
              meanOffUs,
              offPhases,
            ),
          );
        });
      }
      const delay = [path.oneWayDelayUs ?? 0, path.lossRatio ?? 0, path.jitterUs ?? 0] as const;
      if (path.capacityBps === undefined) {
        this.#handle.core.check(
          this.#handle.abi.ccs_sim_set_delay(this.#handle.pointer, direction, ...delay),
        );
      } else {
        const queue = passQueue(this.#handle.core, path.queue ?? { kind: 'droptail' });
        const mode = modeOf(path.bottleneck ?? 'serial');
        const burstBytes = path.burstBytes ?? DEFAULT_BURST_BYTES;
        this.#handle.core.check(
          this.#handle.abi.ccs_sim_set_bottleneck(
            this.#handle.pointer,
            direction,
            path.capacityBps,
            ...queue,
            mode,
            burstBytes,
            ...delay,
          ),
        );
      }
      for (const [index, { atUs, capacityBps }] of (path.schedule ?? []).entries()) {
        inside(`schedule.${index}`, () =>
          this.#handle.core.check(
            this.#handle.abi.ccs_sim_schedule_capacity(this.#handle.pointer, direction, atUs, capacityBps),
          ),
        );
      }
    });
  }

  #addFlow(flow: FlowOptions): void {
    expectOneOf('kind', FLOW_KINDS, flow.kind);
    if (flow.kind === 'media') this.#addMedia(flow);
    else this.#addTcp(flow);
  }

  #addMedia(flow: MediaFlowOptions): void {
    const { index, values, user } = controllerSetup(flow, 'simulation', 'parameters');
    const pauses = (flow.pauses ?? []).flatMap(({ fromUs, toUs }) => [fromUs, toUs]);
    const source = componentValues('media_source', {
      preset: flow.sourcePreset,
      parameters: flow.source ?? {},
      path: 'source',
    });
    const live =
      flow.live === undefined
        ? []
        : componentValues('live_call', {
            preset: flow.live.preset,
            parameters: flow.live.parameters ?? {},
            path: 'live',
          });
    const add = (): void => {
      this.#handle.core.input([...source, ...live, ...values, ...pauses]);
      this.#handle.core.check(
        this.#handle.abi.ccs_sim_add_media_flow(
          this.#handle.pointer,
          ...common(flow),
          index,
          Number(live.length > 0),
          pauses.length / 2,
        ),
      );
    };
    if (user === undefined) add();
    else this.#handle.core.users.making({ controller: user, seed: this.#seed, faults: this.#faults }, add);
  }

  #addTcp(flow: TcpFlowOptions): void {
    const values = componentValues('tcp', {
      preset: flow.preset,
      parameters: flow.parameters ?? {},
      path: 'parameters',
      presetPath: 'preset',
    });
    const { short } = flow;
    const files = short === undefined ? [] : [short.minBytes, short.maxBytes, short.idleMeanUs];
    this.#handle.core.input([...values, ...files]);
    const congestionControl = CONGESTION_CONTROLS.indexOf(flow.congestionControl ?? 'cubic');
    this.#handle.core.check(
      this.#handle.abi.ccs_sim_add_tcp_flow(
        this.#handle.pointer,
        ...common(flow),
        congestionControl,
        Number(short !== undefined),
      ),
    );
  }

  /** The virtual time, in microseconds. */
  get nowUs(): number {
    return this.#handle.abi.ccs_sim_now_us(this.#handle.pointer);
  }

  /** The number of events so far. */
  get events(): number {
    return this.#handle.abi.ccs_sim_events(this.#handle.pointer);
  }

  /**
   * Runs until the time `us`, but at most until the end of the simulation. Throws CoreError if the run
   * reaches a limit: `maxEvents`, 1e6 packets in pacers and in flight, or 4e6 recorded rows that were not
   * drained.
   */
  runUntil(us: number): void {
    for (const change of this.#changes.until(us)) {
      this.#run(change.atUs);
      this.#changes.apply(change);
    }
    this.#run(us);
  }

  #run(us: number): void {
    this.#handle.core.check(this.#handle.abi.ccs_sim_run_until(this.#handle.pointer, us));
  }

  /** The measurements so far: those of the whole run, followed by those of the requested windows. */
  metrics(): WindowMetrics[] {
    return this.#windows.map((window, index) => {
      const pointer = this.#handle.core.found(this.#handle.abi.ccs_sim_metrics(this.#handle.pointer, index));
      const size = this.#handle.abi.ccs_sim_metrics_size(this.#handle.pointer);
      return readWindow(this.#handle.core.doubles(pointer, size), window.name, this.#names);
    });
  }

  /**
   * The joint density of rate and delay that the controller of media flow `flow` has learnt so far. Null if
   * the controller is not LCC, and before the first feedback. Throws a CoreError that names the option.
   */
  density(flow = 0, options: DensityOptions = {}): Density | null {
    expectWhole('flow', flow, '0 to the last flow');
    return readDensity(
      this.#handle.core,
      this.#handle.core.found(this.#handle.abi.ccs_sim_sender_half(this.#handle.pointer, flow)),
      options,
    );
  }

  /** The faults of users' controllers so far. After a fault, the controller's flow keeps its last good rate. */
  faults(): readonly ControllerFault[] {
    return this.#faults;
  }

  /** Removes and returns the rows since the last call. */
  drain(): TraceBatch[] {
    return drainRecorder(this.#handle.core, this.#handle.abi.ccs_sim_recorder(this.#handle.pointer));
  }

  /**
   * Frees the simulation. Calling `destroy` again does nothing; all other methods except `faults` then throw
   * CoreError.
   */
  destroy(): void {
    this.#handle.destroy();
  }
}

function common(
  flow: FlowOptions,
): [direction: number, startUs: number, stopUs: number, extraDelayUs: number] {
  const direction = DIRECTIONS.indexOf(flow.direction ?? 'forward');
  // For the core, NaN means "until the end". So a NaN from the caller must be refused here.
  if (Number.isNaN(flow.stopUs))
    throw new CoreError('stopUs: expected startUs to 1e12 us, got NaN', 'stopUs');
  return [direction, flow.startUs ?? 0, flow.stopUs ?? NaN, flow.extraDelayUs ?? 0];
}

/** Throws CoreError for an unknown name. The types exclude unknown names, but callers in JavaScript may pass them. */
function expectOneOf(field: string, known: readonly string[], value: string): void {
  if (!known.includes(value))
    throw new CoreError(`${field}: expected ${known.join(' or ')}, got ${value}`, field);
}
