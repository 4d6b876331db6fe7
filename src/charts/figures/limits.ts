import type { Figure, PublishedMark } from '../../figures/figure.js';

/**
 * If the upper end of a band is above this multiple of the highest value, the plot does not extend to the end of the
 * band, since that would squeeze the data. The edge of the plot then cuts the band off.
 */
const FARTHEST_BAND = 1.6;

/**
 * The values that the figure's y axis should show. `values` must be visible: measured and published values, and the
 * lower ends of bands.
 */
interface Extents {
  values: number[];
  /** Upper ends of bands. They may be outside the plot. */
  bands: number[];
}

function ofMarks(marks: readonly (PublishedMark | undefined)[]): Extents {
  const given = marks.flatMap((mark) => mark ?? []);
  return {
    values: given.flatMap(({ value, low }) => [value, low].filter((each) => each != null)),
    bands: given.flatMap(({ high }) => high ?? []),
  };
}

function extents(figure: Figure): Extents {
  if (figure.kind === 'bars') {
    const bars = figure.series.flatMap((series) => series.bars.filter((bar) => bar !== null));
    const { values, bands } = ofMarks(bars.map(({ published }) => published));
    return { values: [...bars.flatMap(({ mean, sd }) => [mean - sd, mean + sd]), ...values], bands };
  }
  if (figure.kind === 'boxes') {
    const boxes = figure.series.flatMap((series) => series.boxes.filter((box) => box !== null));
    const { values, bands } = ofMarks(
      boxes.flatMap(({ published = [] }) => published.map(({ mark }) => mark)),
    );
    return { values: [...boxes.flatMap(({ p5, p95 }) => [p5, p95]), ...values], bands };
  }
  const points = figure.series.flatMap((series) =>
    series.points.flatMap(([, y], index) => {
      const sd = series.sd?.[index] ?? 0;
      return y === null ? [] : [y - sd, y + sd];
    }),
  );
  const { values, bands } = ofMarks(figure.published ?? []);
  return { values: [...points, ...values], bands };
}

/** A share is at most 100 %, but with its standard deviation added it may reach up to this value. */
const HIGHEST_SHARE = 120;

/**
 * The range of the y axis in which data, deviations and published marks are visible. The axis may extend to the next
 * round number. An axis that ends just above 100 % is not extended, since larger shares are impossible.
 */
export function limits(
  figure: Figure,
): { suggestedMin: number } & ({ suggestedMax: number } | { max: number }) {
  let [low, high] = [figure.y.min ?? Infinity, figure.y.max ?? -Infinity];
  const { values, bands } = extents(figure);
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const farthest = high > 0 ? high * FARTHEST_BAND : Infinity;
  for (const value of bands) if (value > high && value <= farthest) high = value;
  if (low > high) return { suggestedMin: 0, suggestedMax: 1 };
  if (low === high) high = low === 0 ? 1 : low + Math.abs(low) / 10;
  // On an axis for positive values, a deviation may still reach below zero. The axis then begins at zero.
  const suggestedMin = (figure.y.min ?? low) >= 0 ? Math.max(0, low) : low;
  const isShare = figure.y.unit === '%' && high > 100 && high < HIGHEST_SHARE;
  return isShare ? { suggestedMin, max: high } : { suggestedMin, suggestedMax: high };
}
