/** Parses external JSON, and refuses values that are nested so deeply that walking through them would fail. */
import { parse } from '@humanwhocodes/momoa';

import { isNestedTooDeeply, nestingExpectation } from './nesting.js';
import { ConfigError } from './quantities.js';

/** Throws ConfigError for a value that is nested too deeply. */
export function checkNesting(value: unknown, field: string): void {
  if (!isNestedTooDeeply(value)) return;
  throw new ConfigError(field, nestingExpectation, 'deeper nesting', 'use fewer levels of brackets');
}

const FIX = 'correct the text there, for example in a JSON editor';

/**
 * The place at which a text stops being valid JSON; empty if there is none. JSON.parse does not always report a
 * place, and each browser words it differently.
 */
function placeOf(text: string): string {
  try {
    parse(text, { mode: 'json' });
    return '';
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    return line === undefined || column === undefined ? '' : ` at line ${line}, column ${column}`;
  }
}

/** Parses JSON text. Throws ConfigError. */
export function parseJson(text: string, field: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(field, 'JSON', `something else${placeOf(text)}`, FIX);
  }
  checkNesting(value, field);
  return value;
}
