/** The controllers that only watch, as flows of one recording. */
import type { LiveController, ShadowController } from '../../rtc/index.js';
import { parseController } from '../../scenario/controller_text.js';
import { isOwn, ownName, titleOf } from '../controllers.js';
import { ownControllers } from '../own_controllers.js';

/** The entry for a shadow in the header of a trace. */
export interface ShadowFlow {
  flow: number;
  name: string;
  kind: 'shadow';
  controller?: string;
  preset?: string;
  parameters: Readonly<Record<string, number>>;
}

/**
 * Converts a controller's text in the settings into the options of a call. Throws if the controller is user-written
 * and this page does not have its file.
 */
export function liveController(text: string): LiveController & { name: string } {
  const name = titleOf(text);
  if (!isOwn(text)) return { ...parseController(text), name };
  return { url: ownControllers.urlOf(ownName(text)), name };
}

/**
 * The flow numbers of shadows: each shadow keeps its number for the whole recording, even if it is removed and added
 * again.
 */
export class ShadowFlows {
  readonly #flows = new Map<string, number>();
  #next = 1;
  readonly #known: ShadowFlow[] = [];

  /**
   * Converts a list of shadows into the options of a call. Throws if a shadow is user-written and this page does not
   * have its file.
   */
  take(texts: readonly string[]): ShadowController[] {
    return texts.map((text) => {
      const live = liveController(text);
      return { ...live, flow: this.#flows.get(text) ?? this.#number(text, live) };
    });
  }

  #number(
    text: string,
    { name, controller, preset, parameters = {} }: LiveController & { name: string },
  ): number {
    const flow = this.#next++;
    this.#flows.set(text, flow);
    this.#known.push({
      ...{ flow, name, kind: 'shadow', parameters },
      controller: controller ?? name,
      ...(preset === undefined ? {} : { preset }),
    });
    return flow;
  }

  /** Forgets the number of a shadow that failed. If the shadow is chosen again, it gets another number. */
  forget(flow: number): void {
    for (const [text, number] of this.#flows) if (number === flow) this.#flows.delete(text);
  }

  /** Every controller that has watched in this recording, for the recording's header. */
  get known(): readonly ShadowFlow[] {
    return [...this.#known];
  }
}
