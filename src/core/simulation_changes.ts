/** Changes during a simulation, to its paths and to its controllers. */
import { controllerSetup } from './controller_setup.js';
import { DIRECTIONS } from './direction.js';
import { inside } from './field_path.js';
import type { Handle } from './handle.js';
import { expectWhole, modeOf, passQueue } from './link_arguments.js';
import { CoreError } from './load.js';
import type { ControllerName } from './schema.js';
import type { PathChange, SimulationChange, SimulationOptions } from './simulation_options.js';

/** The current loss settings of a path. A change of one setting keeps the other. */
interface Losses {
  lossRatio: number;
  burstLossPackets: number;
}

export class SimulationChanges {
  readonly #changes: readonly SimulationChange[];
  readonly #flows: SimulationOptions['flows'];
  readonly #losses: readonly Losses[];
  #next = 0;

  /** Throws CoreError for changes that are not in time order. */
  constructor(
    private readonly handle: Handle,
    { changes = [], flows, forward, backward }: SimulationOptions,
  ) {
    this.#changes = changes;
    this.#flows = flows;
    this.#losses = [forward, backward].map((path) => ({
      lossRatio: path?.lossRatio ?? 0,
      burstLossPackets: path?.burstLossPackets ?? 1,
    }));
    for (const [index, { atUs }] of changes.entries()) {
      if (atUs >= (changes[index - 1]?.atUs ?? 0)) continue;
      const field = `changes.${index}.atUs`;
      throw new CoreError(`${field}: expected a time at or after the previous change, got ${atUs}`, field);
    }
  }

  /** Yields the next changes with `atUs` up to `us`, in time order. Each change is yielded once. */
  *until(us: number): Generator<SimulationChange> {
    for (;;) {
      const change = this.#changes[this.#next];
      if (change === undefined || change.atUs > us) return;
      yield change;
      this.#next += 1;
    }
  }

  /** Applies the change that `until` has just yielded. Throws a CoreError that names the field. */
  apply({ forward, backward, controller }: SimulationChange): void {
    inside(`changes.${this.#next}`, () => {
      for (const [index, path] of [forward, backward].entries())
        if (path !== undefined) inside(DIRECTIONS[index] ?? '', () => this.#changePath(index, path));
      if (controller !== undefined) inside('controller', () => this.#configure(controller));
    });
  }

  #changePath(direction: number, change: PathChange): void {
    const { core, abi, pointer } = this.handle;
    const { queue, bottleneck, oneWayDelayUs, jitterUs, outages, reordering } = change;
    if (oneWayDelayUs !== undefined) core.check(abi.ccs_sim_change_delay(pointer, direction, oneWayDelayUs));
    if (queue !== undefined)
      core.check(abi.ccs_sim_change_queue(pointer, direction, ...passQueue(core, queue)));
    if (bottleneck !== undefined) core.check(abi.ccs_sim_change_mode(pointer, direction, modeOf(bottleneck)));
    this.#changeLosses(direction, change);
    if (jitterUs !== undefined) core.check(abi.ccs_sim_change_jitter(pointer, direction, jitterUs));
    if (outages !== undefined) {
      const { meanOnUs, meanOffUs, offPhases = 1 } = outages ?? { meanOnUs: 0, meanOffUs: 0 };
      expectWhole('offPhases', offPhases, '1 to 100');
      core.check(abi.ccs_sim_change_outages(pointer, direction, meanOnUs, meanOffUs, offPhases));
    }
    if (reordering !== undefined) {
      const { ratio, delayUs } = reordering ?? { ratio: 0, delayUs: 0 };
      core.check(abi.ccs_sim_change_reordering(pointer, direction, ratio, delayUs));
    }
  }

  #changeLosses(direction: number, { lossRatio, burstLossPackets }: PathChange): void {
    const losses = this.#losses[direction];
    if (losses === undefined || (lossRatio === undefined && burstLossPackets === undefined)) return;
    if (lossRatio !== undefined) losses.lossRatio = lossRatio;
    if (burstLossPackets !== undefined) losses.burstLossPackets = burstLossPackets;
    const { core, abi, pointer } = this.handle;
    core.check(abi.ccs_sim_change_loss(pointer, direction, losses.lossRatio, losses.burstLossPackets));
  }

  #configure({ flow, preset, parameters }: NonNullable<SimulationChange['controller']>): void {
    const { core, abi, pointer } = this.handle;
    const changed = this.#flows[flow];
    if (changed?.kind !== 'media')
      throw new CoreError(`flow: expected the number of a media flow, got ${flow}`, 'flow');
    const { name, user, preset: own } = controllerSetup(changed, 'simulation');
    const used = preset ?? own;
    const choice = {
      controller: user ?? (name as ControllerName),
      ...(used !== undefined && { preset: used }),
      ...(parameters !== undefined && { parameters }),
    };
    core.input(controllerSetup(choice, 'simulation', 'parameters').values);
    core.check(abi.ccs_sim_configure(pointer, flow));
  }
}
