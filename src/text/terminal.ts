/** Text in columns, and lines of small bars, for terminals. */

/** Rows of cells, each column as wide as its widest cell; the first `left` columns are aligned left. */
export function aligned(rows: readonly (readonly string[])[], left = 1): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => width(row[i] ?? ''))));
  const pad = (text: string, i: number): string => {
    const space = ' '.repeat(Math.max(0, (widths[i] ?? 0) - width(text)));
    return i < left ? text + space : space + text;
  };
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

/** Width on a terminal: combining characters, as in T̄, take no column. */
const width = (text: string): number => Array.from(text.replace(/\p{M}/gu, '')).length;

const BARS = '▁▂▃▄▅▆▇█';

/**
 * A line of bars, one character for each value. The height of a bar is the value on a scale from 0 to `top`; a
 * missing value becomes a space.
 */
export function sparkline(values: readonly number[], top: number): string {
  return values
    .map((value) => {
      if (!Number.isFinite(value)) return ' ';
      const level = Math.round((value / (top || 1)) * (BARS.length - 1));
      return BARS[Math.min(BARS.length - 1, Math.max(0, level))];
    })
    .join('');
}
