/** The controllers that only watch, as flows of one recording. */
import type { LiveController, ShadowController } from '../../rtc/index.js';
import { parseController } from '../../scenario/controller_text.js';
import { isOwn, ownName, titleOf } from '../controllers.js';
import { ownControllers } from '../own_controllers.js';

/** A shadow as the header of a trace names it. */
export interface ShadowFlow {
  flow: number;
  name: string;
  kind: 'shadow';
  controller?: string;
  preset?: string;
  parameters: Readonly<Record<string, number>>;
}

/** A controller of the settings as a call takes it. Throws when it is a user's that is not at hand. */
export function liveController(text: string): LiveController & { name: string } {
  const name = titleOf(text);
  if (!isOwn(text)) return { ...parseController(text), name };
  return { url: ownControllers.urlOf(ownName(text)), name };
}

/** Numbers of shadows: each has its own for as long as the recording lasts, also when it comes and goes. */
export class ShadowFlows {
  readonly #flows = new Map<string, number>();
  #next = 1;
  readonly #known: ShadowFlow[] = [];

  /** The shadows of a list as a call takes them. Throws for a user's that is not at hand. */
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

  /** A shadow that failed begins as another flow when it is asked for again. */
  forget(flow: number): void {
    for (const [text, number] of this.#flows) if (number === flow) this.#flows.delete(text);
  }

  /** All that ever watched in this recording, for its header. */
  get known(): readonly ShadowFlow[] {
    return [...this.#known];
  }
}
