/** The flows that the user's own controller controls. */
import { signal } from '@preact/signals';

import type { Scenario } from '../../scenario/scenario.js';
import type { Wanted } from '../../runs/live_run.js';
import { dismiss, notify } from '../notices.js';
import { ownControllers, type OwnController } from '../own_controllers.js';

/** The user's own controller, with the names of the flows that it controls. */
export interface Own extends OwnController {
  flows: readonly string[];
}

export class OwnFlows {
  readonly own = signal<Own | null>(null);

  /**
   * Loads the user's controller from a file. The new controller takes over the flows of the user's earlier
   * controller. If there are no such flows, the new controller gets a flow called `nameForNew`. Returns which of the
   * two cases occurred. If the file is refused, shows a notice and returns null.
   */
  use(file: File, network: Scenario, nameForNew: string): 'earlier flows' | 'new flow' | null {
    const fix = ownControllers.keep(file);
    if (fix !== null) {
      notify('error', 'own-file', `${file.name} was not accepted.`, fix);
      return null;
    }
    dismiss('own-file');
    const { name } = file;
    const present = this.#in(network);
    const flows = present.length > 0 ? present : [nameForNew];
    this.own.value = { name, url: ownControllers.urlOf(name), flows };
    return present.length > 0 ? 'earlier flows' : 'new flow';
  }

  /** Removes a flow from the flows that the user's controller controls. */
  release(flow: string): void {
    const { value: own } = this.own;
    if (own !== null) this.own.value = { ...own, flows: own.flows.filter((name) => name !== flow) };
  }

  forget(): void {
    this.own.value = null;
  }

  /**
   * The option that passes the user's controller to a run of this network. Empty if the controller controls no flow
   * of the network.
   */
  controllerFor(network: Scenario | null): Pick<Wanted, 'controller'> {
    const { value: own } = this.own;
    const flows = this.#in(network);
    return own === null || flows.length === 0 ? {} : { controller: { name: own.name, url: own.url, flows } };
  }

  #in(network: Scenario | null): readonly string[] {
    const names = new Set(network?.flows.map(({ name }) => name));
    return this.own.value?.flows.filter((flow) => names.has(flow)) ?? [];
  }
}
