import { expect, test } from 'vitest';

import { ATTRIBUTES, readAttributes, themeOf, type Attributes } from '../../../src/embed/attributes.js';
import { ConfigError } from '../../../src/text/quantities.js';

const BASE = 'https://page.example/notes/gcc.html';

const given = (attributes: Partial<Attributes>): Attributes => ({
  ...(Object.fromEntries(ATTRIBUTES.map((name) => [name, null])) as Attributes),
  ...attributes,
});
const read = (attributes: Partial<Attributes>, inline: string | null = null) =>
  readAttributes(given(attributes), inline, BASE);

function refused(attributes: Partial<Attributes>): ConfigError {
  try {
    read(attributes);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('a scenario is an id, an address, or what stands inside', () => {
  expect(read({ scenario: 'ton-fig8' })?.source).toEqual({ kind: 'shipped', id: 'ton-fig8' });
  expect(read({ scenario: 'rmcat-5.1' })?.source).toEqual({ kind: 'shipped', id: 'rmcat-5.1' });
  expect(read({ scenario: 'mine.json' })?.source).toEqual({
    kind: 'scenario',
    url: 'https://page.example/notes/mine.json',
  });
  expect(read({ scenario: '/shared/mine' })?.source).toEqual({
    kind: 'scenario',
    url: 'https://page.example/shared/mine',
  });
  expect(read({}, '{}')?.source).toEqual({ kind: 'inline', text: '{}' });
  expect(read({ scenario: 'ton-fig8' }, '{}')?.source.kind).toBe('shipped');
  expect(read({})).toBeNull();
});

test('without anything else, rate and delay of the first cell are drawn with the scenario’s seed', () => {
  expect(read({ scenario: 'ton-fig8' })).toMatchObject({
    cell: {},
    seed: null,
    charts: ['rate', 'delay'],
    flow: '',
    lab: null,
  });
  expect(read({ src: 'call.ndjson', charts: ' ' })).toMatchObject({
    source: { kind: 'trace', url: 'https://page.example/notes/call.ndjson' },
    charts: ['rate', 'delay'],
  });
});

test('values are read as people write them', () => {
  expect(
    read({
      scenario: 'aqm-fig4',
      cell: ' queue=codel , capacity=1mbps,',
      seed: ' 7 ',
      charts: 'delay, states',
      lab: '../app/',
    }),
  ).toMatchObject({
    cell: { queue: 'codel', capacity: '1mbps' },
    seed: 7,
    charts: ['delay', 'states'],
    lab: 'https://page.example/app/',
  });
});

test.each<[keyof Attributes, Partial<Attributes>, RegExp]>([
  ['src', { scenario: 'ton-fig8', src: 'call.ndjson' }, /a scenario or a recording/],
  ['scenario', { scenario: '' }, /an address/],
  ['scenario', { scenario: 'data:application/json,{}' }, /begins with http/],
  ['src', { src: 'file:///etc/passwd' }, /begins with http/],
  ['lab', { scenario: 'ton-fig8', lab: 'javascript:alert(1)' }, /begins with http/],
  ['cell', { scenario: 'ton-fig8', cell: 'codel' }, /axis=value pairs/],
  ['seed', { scenario: 'ton-fig8', seed: '1.5' }, /whole number/],
  ['seed', { scenario: 'ton-fig8', seed: '9007199254740993' }, /whole number/],
  ['charts', { scenario: 'ton-fig8', charts: 'rate,dely' }, /did you mean delay\?/],
  ['theme', { scenario: 'ton-fig8', theme: 'black' }, /auto, dark, light/],
  ['cell', { scenario: 'ton-fig8', cell: 'a=b,'.repeat(300) }, /at most 1000 characters/],
])('%s is refused by its name in %o', (field, attributes, expected) => {
  const error = refused(attributes);
  expect(error.field).toBe(field);
  expect(error.expected).toMatch(expected);
  expect(error.fix).not.toBe('');
});

test('a hostile cell names axes, and changes nothing else', () => {
  const cell = read({ scenario: 'ton-fig8', cell: '__proto__=x' })?.cell ?? {};
  expect(Object.keys(cell)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  expect(Object.getPrototypeOf(cell)).toBe(Object.prototype);
});

test('a theme that is not said is the page’s', () => {
  expect(themeOf(null)).toBe('auto');
  expect(themeOf('')).toBe('auto');
  expect(themeOf('dark')).toBe('dark');
});
