/**
 * A paper's figure as data: the measured and the published values. The data are plain JSON without pixels or colours;
 * src/charts/figures draws them.
 */
import type { Verdict } from '../scenario/verdict.js';

/** An axis of numbers. */
export interface FigureAxis {
  label: string;
  /** The unit, which is written after the label; empty for a number without a unit, such as a count. */
  unit: string;
  /**
   * An x axis ends at `min` and `max`, if they are given. A y axis includes them, and extends further if the
   * data need it.
   */
  min?: number;
  max?: number;
  logarithmic?: boolean;
}

/** A paper's statement on one number: its value, the band for measured values, or both. */
export interface PublishedMark {
  /** The value, drawn as a diamond. Absent if the paper's wording gives only a band, such as `above 90 %`. */
  value?: number;
  /** The paper's number, even if only a limit, as in `above 90 %`. Absent if the paper gives no number. */
  number?: number;
  /**
   * The band in which a measured value counts as reproduced. If an end is null or missing, there is no limit on that
   * side.
   */
  low?: number | null;
  high?: number | null;
}

interface FigureCommon {
  title: string;
  y: FigureAxis;
}

export interface Bar {
  mean: number;
  sd: number;
  /** `n`: the number of runs. `ci95`: half the 95 % confidence interval of their mean; absent for a single run. */
  n?: number;
  ci95?: number;
  verdict?: Verdict;
  published?: PublishedMark;
}

/** Groups of bars. Each group has one bar for each series. */
export interface BarFigure extends FigureCommon {
  kind: 'bars';
  /** The meaning of the groups, such as `capacity`. */
  x: string;
  groups: string[];
  /** The name of the metric that the bars show. */
  metric?: string;
  series: { label: string; bars: (Bar | null)[] }[];
}

/** A box from the 25th to the 75th percentile with the median; whiskers to the 5th and 95th. */
export interface Box {
  p5: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
  published?: { at: 'p5' | 'p50' | 'p95'; mark: PublishedMark }[];
}

export interface BoxFigure extends FigureCommon {
  kind: 'boxes';
  x: string;
  groups: string[];
  series: { label: string; boxes: (Box | null)[] }[];
}

export type CurveLook = 'line' | 'step' | 'dashed' | 'markers';

/** Lines over a numeric axis: a time, a parameter, or the values of a distribution. */
export interface CurveFigure extends FigureCommon {
  kind: 'curves';
  x: FigureAxis;
  series: {
    label: string;
    /** Default `line`. A `step` is a reference, such as the capacity. */
    look?: CurveLook;
    /**
     * Series with the same number have the same colour, in all panels. Default: the index of the series in the list.
     */
    colour?: number;
    /** The points in ascending x. If y is null, the line has a gap. */
    points: [x: number, y: number | null][];
    /** Standard deviation at each point. */
    sd?: number[];
  }[];
  /**
   * A density that is drawn behind the curves, scaled to a peak of 1: `values[i * y.length + j]` is at x[i], y[j].
   */
  density?: { x: readonly number[]; y: readonly number[]; values: readonly number[] };
  /** The paper's statements. Each refers to one series (by its index in the list) at one x. */
  published?: ({ x: number; series: number } & PublishedMark)[];
}

export type Figure = BarFigure | BoxFigure | CurveFigure;

const range = (values: readonly number[]): string => {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return 'without a number';
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const text = (value: number): string => String(Number(value.toPrecision(3)));
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
};

/** A sentence that says where the density is highest; empty without a density. */
function densest({ x, y, density }: CurveFigure): string {
  if (density === undefined) return '';
  const peak = density.values.indexOf(Math.max(...density.values));
  const at = (axis: FigureAxis, value: number | undefined): string =>
    `${axis.label} ${Number((value ?? NaN).toPrecision(3))} ${axis.unit}`;
  const [i, j] = [Math.floor(peak / density.y.length), peak % density.y.length];
  return ` Densest at ${at(x, density.x[i])}, ${at(y, density.y[j])}.`;
}

/**
 * Describes a figure in words, for people who cannot see it: the series, the ranges of their values, and the point of
 * the highest density.
 */
export function describeFigure(figure: Figure): string {
  const unit = figure.y.unit === '' ? '' : ` ${figure.y.unit}`;
  const parts = figure.series.map((series) => {
    const values =
      'bars' in series
        ? series.bars.flatMap((bar) => (bar ? [bar.mean] : []))
        : 'boxes' in series
          ? series.boxes.flatMap((box) => (box ? [box.p5, box.p95] : []))
          : series.points.map(([, y]) => y ?? NaN);
    return `${series.label}: ${range(values)}${unit}`;
  });
  const x = figure.kind === 'curves' ? figure.x.label : `${figure.x} (${figure.groups.join(', ')})`;
  const kind = { bars: 'Bars', boxes: 'Box plot', curves: 'Lines' }[figure.kind];
  const shown = parts.length > 12 ? [...parts.slice(0, 11), `${parts.length - 11} more`] : parts;
  return `${kind} of ${figure.y.label} over ${x}. ${shown.join('; ')}.${figure.kind === 'curves' ? densest(figure) : ''}`;
}
