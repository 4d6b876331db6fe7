/** The settings that change when another controller is put in charge. */
import { controllerText } from '../scenario/controller_text.js';
import { isOwn, MOST_SHADOWS, watcherOf } from './controllers.js';
import { presetFor, type AppState } from './state.js';

/**
 * Flow 0 as text, in the notation of the setting `shadow`. Flow 0 is the controller in charge. If the browser's own
 * controller is in charge, flow 0 is the controller of `preset`, which only watches.
 */
export function flowZeroText(state: Pick<AppState, 'controller' | 'preset' | 'set'>): string {
  const { controller, preset, set } = state;
  const watcher = watcherOf(state);
  return watcher === undefined
    ? controller
    : controllerText({ controller: watcher, preset, parameters: set });
}

/**
 * The settings after `controller` has been put in charge. `controller` starts with its default preset for
 * calls, and is removed from the shadows (controllers that only watch). During a call, the former flow 0
 * becomes a shadow, unless there are already MOST_SHADOWS shadows.
 */
export function takeCharge(before: AppState, controller: string, running: boolean): Partial<AppState> {
  const former = flowZeroText(before);
  // When the browser's controller takes charge during a call, a built-in controller stays flow 0 but only
  // watches from then on.
  if (controller === 'native' && running && !isOwn(before.controller)) return { controller };
  const next = { controller, preset: presetFor(controller), set: {} };
  const others = before.shadow.filter((text) => text !== flowZeroText(next));
  const goesOn = running && former !== flowZeroText(next) && !others.includes(former);
  const shadow = goesOn && others.length < MOST_SHADOWS ? [...others, former] : others;
  return { ...next, shadow };
}
