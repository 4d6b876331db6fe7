/** The controllers that the page's settings can name: the core's, the browser's and the user's. */
import { CONTROLLER_NAMES, controllerOfPreset, type ControllerName } from '../core/schema.js';
import {
  controllerText,
  controllerTitle,
  isOwn,
  ownName,
  parseController,
} from '../scenario/controller_text.js';
import { ConfigError } from '../text/quantities.js';

export { isOwn, OWN_EXAMPLE, ownName, ownText } from '../scenario/controller_text.js';

export const MOST_SHADOWS = 8;

/**
 * The built-in controller of flow 0, which is the main flow of a trace. This is the controller in charge or, if the
 * browser's own controller is in charge, the controller of `preset`, which only watches. Returns undefined if a
 * user-written controller is in charge.
 */
export function watcherOf({
  controller,
  preset,
}: {
  controller: string;
  preset: string;
}): ControllerName | undefined {
  return (
    CONTROLLER_NAMES.find((name) => name === controller) ??
    (isOwn(controller) ? undefined : controllerOfPreset(preset))
  );
}

/**
 * Parses a comma-separated list of shadows (controllers that only watch), and removes duplicates. Returns the
 * shortest text of each shadow: a preset that is the default for live calls is not named. Throws ConfigError.
 */
export function shadowTexts(text: string): string[] {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  const each = parts.map((part) =>
    isOwn(part) ? part : controllerText(parseController(part, { field: 'shadow' })),
  );
  const shadows = [...new Set(each)];
  if (shadows.length <= MOST_SHADOWS) return shadows;
  const fix = 'leave some out';
  throw new ConfigError('shadow', `at most ${MOST_SHADOWS} controllers`, String(shadows.length), fix);
}

/**
 * The title of a controller, from its text in the settings: `NADA`, a preset's title, the name of the user's
 * file, or words for the browser's own controller. Throws ConfigError.
 */
export function titleOf(text: string): string {
  if (text === 'native') return 'the browser’s own controller';
  return isOwn(text) ? ownName(text) : controllerTitle(parseController(text));
}
