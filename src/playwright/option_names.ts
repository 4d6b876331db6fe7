/** Refuses misspelt options, since tests in JavaScript and casts in TypeScript pass on whatever they contain. */
import { ConfigError, cut, shown } from '../text/quantities.js';
import { suggestedFix } from '../text/suggest.js';

/**
 * Checks the names of options; `at` is the path of the options, if they are part of others.
 * @throws ConfigError for an option whose name is not in `names`
 */
export function checkNames<T extends object>(
  options: T,
  names: readonly (keyof T & string)[],
  at?: string,
): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null)
    throw new ConfigError(
      at ?? 'options',
      `an object with ${names.join(', ')}`,
      shown(given),
      `write { ${names[0]}: … }`,
    );
  const known: readonly string[] = names;
  const strange = Object.keys(given).find((name) => !known.includes(name));
  if (strange === undefined) return;
  throw new ConfigError(
    at === undefined ? strange : `${at}.${strange}`,
    `one of ${names.join(', ')}`,
    shown(strange),
    suggestedFix(strange, names, `remove ${cut(strange)}`),
  );
}
