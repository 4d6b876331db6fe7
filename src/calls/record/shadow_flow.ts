/** The controllers that run beside a call. */
import type { ControllerName, PresetName } from '../../core/schema.js';

/** A controller of the core by its name and preset. */
export interface ShadowController {
  controller: ControllerName;
  preset: PresetName;
}

/** A controller that watches a stream, and the flow of its rows. */
export interface ShadowFlow extends ShadowController {
  flow: number;
}

/** Chrome's controller of live calls, which tests examine. */
export const SHADOW = { controller: 'gcc', preset: 'gcc-live' } as const satisfies ShadowController;
