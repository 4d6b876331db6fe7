/** Parses external JSON, and refuses values that are nested so deeply that walking through them would fail. */
import { isNestedTooDeeply, nestingExpectation } from './nesting.js';
import { ConfigError, cut } from './quantities.js';

/** Throws ConfigError for a value that is nested too deeply. */
export function checkNesting(value: unknown, field: string): void {
  if (!isNestedTooDeeply(value)) return;
  throw new ConfigError(field, nestingExpectation, 'more', 'remove the brackets that are too many');
}

/** Parses a JSON text. Throws ConfigError. */
export function parseJson(text: string, field: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const got = cut(error instanceof Error ? error.message : String(error), 200);
    throw new ConfigError(field, 'JSON', got, 'mend it there; a JSON editor shows the place');
  }
  checkNesting(value, field);
  return value;
}
