/** The error for invalid JSON says where the fault is. */
import { expect, it } from 'vitest';

import { parseJson } from '../../src/text/json_text.js';

it.each([
  ['a comma before the end', '{\n  "a": 1,\n}', 'at line 3, column 1'],
  ['no comma between values', '[\n  1 2\n]', 'at line 2, column 5'],
  ['a comment', '{\n  // none\n}', 'at line 2, column 3'],
  ['a second value', '{}\n{}', 'at line 2, column 1'],
])('%s', (_, text, where) => {
  expect(() => parseJson(text, 'file')).toThrow(`file: expected JSON, got something else ${where}; `);
});

// For an unknown word, V8 names no position. It quotes the text around the fault, shortened if it is long.
it.each([
  ['{\n  "a": x\n}', /^file: expected JSON, got something else near `{ "a": x }`; /],
  [`{"a":${'1'.repeat(100)},"b":x,"c":${'2'.repeat(100)}}`, / got something else near `1+,"b":x,"c":2+`; /],
])('an unknown word: %j', (text, quoted) => {
  expect(() => parseJson(text, 'file')).toThrow(quoted);
});

it('a byte order mark, as some editors write it, is no part of the JSON', () => {
  expect(parseJson('\uFEFF{"a": "\uFEFF"}', 'file')).toEqual({ a: '\uFEFF' });
  expect(() => parseJson('\uFEFF[\n  1 2\n]', 'file')).toThrow('at line 2, column 5');
  expect(() => parseJson('\uFEFF[1 2]', 'file')).toThrow('at line 1, column 4');
  expect(() => parseJson('\uFEFF\uFEFF{}', 'file')).toThrow('expected JSON');
});
