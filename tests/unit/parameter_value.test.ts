/** Which strings are accepted as parameter values. All parsers must accept the same strings. */
import { describe, expect, it } from 'vitest';

import { parseState } from '../../src/app/state.js';
import {
  componentValues,
  CONTROLLER_NAMES,
  CoreError,
  loadCore,
  parameterNumber,
  SCHEMA,
  type ParameterSpec,
} from '../../src/core/index.js';
import { parseController } from '../../src/scenario/controller_text.js';
import { ConfigError } from '../../src/text/quantities.js';
import { ParameterProblem, parameterValue } from '../../src/trace/index.js';

const MODE = SCHEMA.controllers.gcc.parameters.find(({ name }) => name === 'increase_mode');
const GROUPS = SCHEMA.controllers.gcc.parameters.find(({ name }) => name === 'overuse_min_groups');

/** The number that `act` returns; null if `act` returns undefined or throws one of the documented errors. */
function taken(act: () => number | undefined): number | null {
  try {
    return act() ?? null;
  } catch (error) {
    if (error instanceof CoreError || error instanceof ConfigError || error instanceof ParameterProblem)
      return null;
    throw error;
  }
}

/** Strings for values within, at and beyond the parameter's limits, and strings in unusual notations. */
const textsFor = ({ min, max, values = [] }: ParameterSpec): string[] => [
  ...values,
  ...[min, max, (min + max) / 2, min - 1, max + 1, min + 0.5].map(String),
  ...['', 'none', '0x1', '1e1', '.5', '1.', '+1', 'NaN', 'Infinity', '1 000'],
];

describe('a value of a parameter', () => {
  it.each([
    ['additive', 1],
    ['1', 1],
    ['1.5', undefined],
    ['5', undefined],
    ['Additive', undefined],
  ])('of a list of names: %j', (text, number) => {
    expect(parameterNumber(MODE as ParameterSpec, text)).toBe(number);
  });

  it.each([
    ['2', 2],
    ['2.0', 2],
    ['2.5', undefined],
    ['0', undefined],
  ])('that counts: %j', (text, number) => {
    expect(parameterNumber(GROUPS as ParameterSpec, text)).toBe(number);
    expect(parameterNumber(GROUPS as ParameterSpec, Number(text))).toBe(number);
  });

  it('is cut nowhere', async () => {
    const half = (await loadCore()).createReceiver();
    const refusal = /overuse_min_groups: expected a whole number from 1 to 100 groups, got 2.5/;
    expect(() => half.setParameter('overuse_min_groups', 2.5)).toThrow(refusal);
    expect(() => half.setParameter('increase_mode', 0.5)).toThrow(/increase_mode: expected one of hybrid, /);
    expect(half.parameter('overuse_min_groups')).toBe(2);
    half.destroy();
    expect(() => componentValues('tcp', { parameters: { delayed_ack_segments: 1.5 } })).toThrow(/whole/);
  });

  // The three parsers read the page's address, the option --set, and strings such as `gcc:k_u=0.02`.
  it.each(CONTROLLER_NAMES)('of %s is the same through every door', (controller) => {
    for (const spec of SCHEMA.controllers[controller].parameters) {
      for (const text of textsFor(spec)) {
        const { name } = spec;
        const query = new URLSearchParams({ controller, [`set.${name}`]: text }).toString();
        const numbers = {
          page: taken(() => parseState(query).state.set[name]),
          line: taken(() => parameterValue(controller, name, text)),
          text: taken(() => parseController(`${controller}:${name}=${text}`).parameters[name]),
        };
        const expected = parameterNumber(spec, text) ?? null;
        expect(numbers, `${name}=${text}`).toEqual({ page: expected, line: expected, text: expected });
      }
    }
  });
});
