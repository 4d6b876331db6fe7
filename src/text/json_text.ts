/** Parses external JSON, and refuses values that are nested so deeply that walking through them would fail. */
import { isNestedTooDeeply, nestingExpectation } from './nesting.js';
import { ConfigError } from './quantities.js';

/** Throws ConfigError for a value that is nested too deeply. */
export function checkNesting(value: unknown, field: string): void {
  if (!isNestedTooDeeply(value)) return;
  throw new ConfigError(field, nestingExpectation, 'more', 'use fewer levels of brackets');
}

const FIX = 'correct it; a JSON editor shows the place';

/**
 * Where a text stops being JSON: each browser reports the offset, or the line and the column, in its own words.
 */
function placeOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line !== undefined && column !== undefined) return ` at line ${line}, column ${column}`;
  const [, offset] = /position (\d+)/.exec(message) ?? [];
  const before = text.slice(0, offset === undefined ? text.length : Number(offset)).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Parses a JSON text. Throws ConfigError. */
export function parseJson(text: string, field: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(field, 'JSON', `something else${placeOf(error, text)}`, FIX);
  }
  checkNesting(value, field);
  return value;
}
