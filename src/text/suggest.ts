/** Edit distance (insertions, deletions, substitutions, each 1), ignoring case. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1]?.toLowerCase() === b[j - 1]?.toLowerCase() ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Longer inputs get no suggestions, since they cannot be mistyped names. */
const MAX_TYPED = 100;

/** The names that the user probably meant by `typed`: at most `most`, nearest first. */
export function near(typed: string, names: readonly string[], most = 3): string[] {
  if (typed.length > MAX_TYPED) return [];
  const limit = Math.max(2, Math.floor(typed.length / 3));
  const stem = typed.toLowerCase();
  return [...new Set(names)]
    .filter((name) => name.length <= MAX_TYPED)
    .map((name) => ({
      name,
      far: name.toLowerCase().includes(stem) && stem !== '' ? 1 : distance(typed, name),
    }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Returns `expected`, followed by the nearest name in brackets if a name is near. */
export function orMeant(expected: string, typed: string, names: readonly string[]): string {
  const [nearest] = typed.trim() === '' ? [] : near(typed, names, 1);
  return nearest === undefined ? expected : `${expected} (did you mean ${nearest}?)`;
}

/** Returns `did you mean a?` as the fix of a ConfigError, or `otherwise` if no name is near. */
export function suggestedFix(typed: string, names: readonly string[], otherwise: string): string {
  const [nearest] = near(typed, names, 1);
  return nearest === undefined ? otherwise : `did you mean ${nearest}?`;
}

/** Returns ` Did you mean a or b?`, or an empty string if no name is near. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const found = near(typed, names);
  return found.length > 0 ? ` Did you mean ${found.join(' or ')}?` : '';
}
