/** The deepest nesting that is accepted. Correct data has less than half of this depth. */
export const MAX_NESTING = 64;

/**
 * Whether lists and objects are nested more deeply than MAX_NESTING. JSON.stringify and other recursive
 * functions fail on very deep nesting. Also true for objects that contain themselves.
 */
export function isNestedTooDeeply(value: unknown): boolean {
  const open: [value: unknown, depth: number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [each, depth] = next;
    if (typeof each !== 'object' || each === null) continue;
    if (depth > MAX_NESTING) return true;
    for (const inner of Object.values(each)) if (typeof inner === 'object') open.push([inner, depth + 1]);
  }
  return false;
}

/** The allowed nesting, as error messages state it. */
export const nestingExpectation = `lists and objects nested at most ${MAX_NESTING} levels deep`;
