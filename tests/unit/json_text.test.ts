/** The place that an error for invalid JSON names is the place of the fault. */
import { describe, expect, it } from 'vitest';

import { parseJson } from '../../src/text/json_text.js';

describe('invalid JSON', () => {
  it.each([
    ['an unknown word', '{\n  "a": x\n}', 2, 8],
    ['an unknown word in a long line', `{"a":${'1'.repeat(100)},"b":x,"c":2}`, 1, 111],
    ['a comma before the end', '{\n  "a": 1,\n}', 3, 1],
    ['no comma between values', '[\n  1 2\n]', 2, 5],
    ['a comment', '{\n  // none\n}', 2, 3],
    // There is nothing at the place of the fault, so the last character is named.
    ['an end that is missing', '{\n  "a": [1', 2, 9],
    ['a second value', '{}\n{}', 2, 1],
    ['nothing', '', 1, 1],
  ])('%s', (_, text, line, column) => {
    expect(() => parseJson(text, 'file')).toThrow(
      `file: expected JSON, got something else at line ${line}, column ${column}; `,
    );
  });
});

it('reads what JSON.parse reads', () => {
  const text = '{"a":[1,-2.5e3,"\\u00e9\\n",true,false,null],"a":{}}';
  expect(parseJson(text, 'file')).toEqual(JSON.parse(text));
});
