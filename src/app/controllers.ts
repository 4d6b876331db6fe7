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
 * The core's controller that is flow 0: the one in charge, or the first that watches the browser's; undefined
 * if it is a user's.
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

/** The shadows of a comma-separated list, each once and in its shortest form. Throws ConfigError. */
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

/** What people call a controller of the settings: `NADA`, a preset, the name of a file. */
export function titleOf(text: string): string {
  if (text === 'native') return 'the browser’s own controller';
  return isOwn(text) ? ownName(text) : controllerTitle(parseController(text));
}
