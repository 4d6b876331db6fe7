// Prints the results of the benchmarks: most figures with their budget, their target or a comparable figure from the
// same run.

export const heading = (text) => console.log(`\n${text}`);

/** Prints a figure and, if there is a limit, the ratio of the figure to the limit. */
export function row(name, value, unit, beside, limit) {
  const digits = value < 100 ? 2 : 0;
  const ratio = limit === undefined ? '' : `${((100 * value) / limit).toFixed(0)} % of ${beside}`;
  console.log(
    `${name.padEnd(54)} ${value.toFixed(digits).padStart(8)} ${unit.padEnd(12)} ${ratio}`.trimEnd(),
  );
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
