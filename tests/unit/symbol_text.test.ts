import { isValidElement, toChildArray, type ComponentChildren } from 'preact';
import { expect, it } from 'vitest';

import { SymbolText } from '../../src/boards/symbol_text.js';
import { textOf } from './lessons/text_of.js';

const shown = (text: string): string => textOf(SymbolText({ text }));

it('a subscript is a letter, the letter before it in a sequence, or a word', () => {
  const subscripts = (text: string): string[] => {
    const { children } = SymbolText({ text }).props as { children: ComponentChildren };
    return toChildArray(children)
      .filter((child) => isValidElement(child))
      .map(textOf);
  };
  expect(subscripts('d_m(t_i) = (t_i − t_i−1) − (T_i − T_i−1), RTT_min')).toEqual([
    'm',
    'i',
    'i',
    'i−1',
    'i',
    'i−1',
    'min',
  ]);
});

it.each([
  ['in only 4 % of the groups', 'in only 4\u00a0% of the groups'],
  ['between 11 and 19 ms, at 2.5 Mbps', 'between 11 and 19\u00a0ms, at 2.5\u00a0Mbps'],
  ['each starts 30 s after', 'each starts 30\u00a0s after'],
  [
    '(ToN, eq. 11 and 12; RFC 8698, section VI-B)',
    '(ToN, eq.\u00a011 and 12; RFC\u00a08698, section\u00a0VI-B)',
  ],
])('a line does not end between a number and its unit: %s', (text, kept) => {
  expect(shown(text)).toBe(kept);
});

it.each(['the 60 seconds before', 'seeds 1 to 5 in the Lab', 'the section ends'])(
  'other spaces stay as they are: %s',
  (text) => {
    expect(shown(text)).toBe(text);
  },
);
