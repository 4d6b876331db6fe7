/** Which fixtures a test function names in its parameters. */

/** What stands in the braces of the first parameter; Playwright demands them. */
const FIRST_PARAMETER = /^[^(]*\(\s*\{([^}]*)\}/;

/** Whether a test function names one of some fixtures. */
export function asksFor(fn: { toString(): string }, names: readonly string[]): boolean {
  const parameters = FIRST_PARAMETER.exec(fn.toString())?.[1]?.split(',') ?? [];
  return parameters.some((parameter) => names.includes(parameter.split(/[:=]/)[0]?.trim() ?? ''));
}
