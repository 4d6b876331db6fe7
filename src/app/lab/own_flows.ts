/** The user's own controller, and the flows that it controls: those with the field `own_controller`. */
import { signal } from '@preact/signals';

import { authorsFlows } from '../../scenario/chosen_controller.js';
import type { Scenario } from '../../scenario/scenario.js';
import type { Wanted } from '../../runs/live_run.js';
import { dismiss, notify } from '../notices.js';
import { CONTROLLER_TITLES } from './controller_choice.js';
import { ownControllers, type OwnController } from '../own_controllers.js';

/** The names of the flows that are to run with the controller of the scenario's author (`own_controller`). */
export const ownFlowsOf = (network: Scenario): readonly string[] =>
  authorsFlows(network).map(({ flow }) => flow);

export class OwnFlows {
  readonly own = signal<OwnController | null>(null);
  /** The missing controllers that the user was last told about, and their flows, as JSON. */
  #told = '';

  /** The controller in a file. If the file is refused, shows a notice and returns null. */
  accept(file: File): OwnController | null {
    const fix = ownControllers.keep(file, 'run');
    if (fix !== null) {
      notify('error', 'own-file', `${file.name} was not accepted.`, fix);
      return null;
    }
    dismiss('own-file');
    const { name } = file;
    return { name, url: ownControllers.urlOf(name) };
  }

  forget(): void {
    this.own.value = null;
  }

  /**
   * The option that passes the user's controller to a run of this network. Empty if no flow of the network uses the
   * user's controller, or if there is no such controller.
   */
  controllerFor(network: Scenario | null): Pick<Wanted, 'controller'> {
    const { value: own } = this.own;
    const flows = network === null ? [] : ownFlowsOf(network);
    return own === null || flows.length === 0 ? {} : { controller: { name: own.name, url: own.url, flows } };
  }

  /** If this page has no user's controller, tells the user once which flows need one. */
  tellMissing(network: Scenario): void {
    const missing = this.own.value === null ? authorsFlows(network) : [];
    const told = JSON.stringify(missing);
    if (told === this.#told) return;
    this.#told = told;
    const [first] = missing;
    if (first === undefined) return dismiss('own-missing');
    const flows = missing.map(({ flow }) => flow).join(', ');
    notify(
      'warning',
      'own-missing',
      `${missing.length === 1 ? 'The flow' : 'The flows'} ${flows} ran with the author's own controller, ${first.file}, which neither an address nor a scenario contains.`,
      `${CONTROLLER_TITLES[first.instead]} takes its place. Add the controller under “+ own controller” to see the same run.`,
    );
  }
}
