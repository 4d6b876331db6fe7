/**
 * Parses external JSON. Refuses deeply nested values: recursive functions could overflow the stack on them.
 */
import { isNestedTooDeeply, nestingExpectation } from './nesting.js';
import { ConfigError } from './quantities.js';

/** Throws ConfigError for a value that is nested too deeply. */
export function checkNesting(value: unknown, field: string): void {
  if (!isNestedTooDeeply(value)) return;
  throw new ConfigError(field, nestingExpectation, 'deeper nesting', 'use fewer levels of brackets');
}

const FIX = 'correct it, for example in a JSON editor';

/**
 * Where `text` stops being valid JSON. Browsers report the offset, or the line and the column, each in its own
 * wording. For some errors, Chromium only quotes the text around the fault. In this case, returns the quoted text.
 * Returns an empty string if the error contains neither a position nor a quotation.
 */
function placeOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line !== undefined && column !== undefined) return ` at line ${line}, column ${column}`;
  const [, offset] = /position (\d+)/.exec(message) ?? [];
  if (offset !== undefined) {
    const before = text.slice(0, Number(offset)).split('\n');
    return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }
  const [, quoted] = /"([^]*)"(?:\.\.\.)? is not valid JSON/.exec(message) ?? [];
  return quoted === undefined ? '' : ` near \`${quoted.replaceAll(/\s+/g, ' ').trim()}\``;
}

/** Parses JSON text, which may begin with a byte order mark. Throws ConfigError. */
export function parseJson(file: string, field: string): unknown {
  const text = file.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(field, 'JSON', `something else${placeOf(error, text)}`, FIX);
  }
  checkNesting(value, field);
  return value;
}
