/** Shadow controllers, which watch a call without controlling it. */
import type { ControllerName, PresetName } from '../../core/schema.js';

/** A controller of the core by its name and preset. */
export interface ShadowController {
  controller: ControllerName;
  preset: PresetName;
}

/** A controller that watches a stream, and the flow number in its rows. */
export interface ShadowFlow extends ShadowController {
  flow: number;
}

/** Chrome's controller with its settings for live calls. It is the default shadow of every stream. */
export const SHADOW = { controller: 'gcc', preset: 'gcc-live' } as const satisfies ShadowController;
