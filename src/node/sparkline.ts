const BARS = '▁▂▃▄▅▆▇█';

/** A line of characters, one per value, from 0 to `top`; a space where there is none. */
export function sparkline(values: readonly number[], top: number): string {
  return values
    .map((value) => {
      if (!Number.isFinite(value)) return ' ';
      const level = Math.round((value / (top || 1)) * (BARS.length - 1));
      return BARS[Math.min(BARS.length - 1, Math.max(0, level))];
    })
    .join('');
}
