import type { Figure, PublishedMark } from '../../scenario/figure.js';

function ofMark(mark: PublishedMark | undefined): number[] {
  if (!mark) return [];
  return [mark.value, mark.low, mark.high].filter((value) => value != null);
}

/** All that must be seen on the figure's y axis. */
function values(figure: Figure): number[] {
  if (figure.kind === 'bars')
    return figure.series.flatMap(({ bars }) =>
      bars.flatMap((bar) => (bar ? [bar.mean - bar.sd, bar.mean + bar.sd, ...ofMark(bar.published)] : [])),
    );
  if (figure.kind === 'boxes')
    return figure.series.flatMap(({ boxes }) =>
      boxes.flatMap((box) =>
        box ? [box.p5, box.p95, ...(box.published ?? []).flatMap(({ mark }) => ofMark(mark))] : [],
      ),
    );
  const points = figure.series.flatMap((series) =>
    series.points.flatMap(([, y], index) => {
      const sd = series.sd?.[index] ?? 0;
      return y === null ? [] : [y - sd, y + sd];
    }),
  );
  return [...points, ...(figure.published ?? []).flatMap(ofMark)];
}

/** What Chart.js must not crop: data, deviations and published marks. */
export function limits(figure: Figure): { suggestedMin: number; suggestedMax: number } {
  let [low, high] = [figure.y.min ?? Infinity, figure.y.max ?? -Infinity];
  for (const value of values(figure)) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return { suggestedMin: 0, suggestedMax: 1 };
  if (low === high) high = low === 0 ? 1 : low + Math.abs(low) / 10;
  // Deviations may reach below zero where nothing measured does.
  return { suggestedMin: (figure.y.min ?? low) >= 0 ? Math.max(0, low) : low, suggestedMax: high };
}
