/** Finds the fixtures that a test function names in its parameters. */

/** The text between the braces of the first parameter. Playwright requires these braces. */
const FIRST_PARAMETER = /^[^(]*\(\s*\{([^}]*)\}/;

/** Whether a test function names at least one of the given fixtures. */
export function asksFor(fn: { toString(): string }, names: readonly string[]): boolean {
  const parameters = FIRST_PARAMETER.exec(fn.toString())?.[1]?.split(',') ?? [];
  return parameters.some((parameter) => names.includes(parameter.split(/[:=]/)[0]?.trim() ?? ''));
}
