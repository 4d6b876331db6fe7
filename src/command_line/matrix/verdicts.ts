/** Compares the controllers of a matrix with the baseline: differences of medians, and which targets are met. */
import { median } from '../../calls/percentile.js';
import type { ControllerReport, Summary } from '../call/types.js';
import { COMPARED, type Compared, type LinkSet, type Target } from './form.js';
import type { CellNames } from './plan.js';

/** The report on a cell that has runs, even if all of them were set aside. Other cells have no report. */
export interface CellReport extends CellNames {
  report: ControllerReport;
}

export interface VerdictReport extends Target {
  /**
   * Null if a median is missing, or if the difference is infinite. A time that was never reached counts as
   * infinite.
   */
  difference: number | null;
  /** Null if a median is missing, except that a time that was never reached counts as infinite. */
  holds: boolean | null;
}

/** A controller's median minus the baseline's; null in the same cases as `difference` of VerdictReport. */
export type Differences = Record<Compared, number | null>;

export interface ComparisonReport extends CellNames {
  against: string;
  differences: Differences;
  verdicts: VerdictReport[];
}

/** A controller compared with the baseline over all cells of a set of links. */
export interface OverLinksReport {
  controller: string;
  against: string;
  /** Null: all links. */
  set: LinkSet | null;
  /** The number of compared cells. */
  cells: number;
  /** Medians of the differences over these cells. */
  differences: Differences;
  /** The targets without `over: links`, each with the number of cells that meet it. */
  holding: (Target & { holds_in: number })[];
  verdicts: VerdictReport[];
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/**
 * The difference of two medians; NaN if a median is missing. A time that was never reached counts as
 * infinite. Two infinite times differ by 0.
 */
function difference(metric: Compared, own: Summary, base: Summary): number {
  const missing = metric === 'time_to_90pct_s' ? Infinity : NaN;
  const [a, b] = [own[metric].median ?? missing, base[metric].median ?? missing];
  return a === b ? 0 : a - b;
}

/** A limit that is exceeded by no more than this counts as met, to allow for rounding errors. */
const TOLERANCE = 1e-9;

/** Whether a difference meets a target. */
export function verdict(target: Target, value: number): VerdictReport {
  const { at_least = -Infinity, at_most = Infinity } = target;
  const holds = Number.isNaN(value) ? null : value >= at_least - TOLERANCE && value <= at_most + TOLERANCE;
  return { ...target, difference: finite(value), holds };
}

type Values = Record<Compared, number>;

const eachMetric = <T>(make: (metric: Compared) => T): Record<Compared, T> =>
  Object.fromEntries(COMPARED.map((metric) => [metric, make(metric)])) as Record<Compared, T>;

/** A cell, and its differences from the baseline's cell for the same link and source. */
interface Pair {
  names: CellNames;
  values: Values;
}

function pairsOf(cells: readonly CellReport[], against: string): Pair[] {
  const bases = cells.filter(({ controller }) => controller === against);
  return cells.flatMap(({ report, ...names }) => {
    const base = bases.find(({ link, source }) => link === names.link && source === names.source);
    if (base === undefined || names.controller === against) return [];
    const values = eachMetric((metric) => difference(metric, report.summary, base.report.summary));
    return [{ names, values }];
  });
}

const ofLinks = ({ over }: Target): boolean => over === 'links';

/**
 * Compares every controller with the baseline, cell by cell and over the links. Empty if the baseline has no
 * runs.
 */
export function compareCells(
  cells: readonly CellReport[],
  against: string,
  targets: readonly Target[],
): { comparisons: ComparisonReport[]; over_links: OverLinksReport[] } {
  const pairs = pairsOf(cells, against);
  const single = targets.filter((target) => !ofLinks(target));
  const comparisons = pairs.map(({ names, values }): ComparisonReport => ({
    ...names,
    against,
    differences: eachMetric((metric) => finite(values[metric])),
    verdicts: single.map((target) => verdict(target, values[target.metric])),
  }));
  const controllers = [...new Set(pairs.map(({ names }) => names.controller))];
  const sets = [...new Set(pairs.flatMap(({ names }) => names.set ?? []))];
  const over_links = controllers.flatMap((controller) =>
    [...(sets.length > 1 ? sets : []), null].map((set) => {
      const own = pairs.filter(
        ({ names }) => names.controller === controller && (set === null || names.set === set),
      );
      return overLinks(own, { controller, against, set }, targets);
    }),
  );
  return { comparisons, over_links: over_links.filter(({ cells: count }) => count > 0) };
}

function overLinks(
  pairs: readonly Pair[],
  names: Pick<OverLinksReport, 'controller' | 'against' | 'set'>,
  targets: readonly Target[],
): OverLinksReport {
  const known = (metric: Compared): number[] =>
    pairs.map(({ values }) => values[metric]).filter((value) => !Number.isNaN(value));
  const medians = eachMetric((metric) => median(known(metric)));
  return {
    ...names,
    cells: pairs.length,
    differences: eachMetric((metric) => finite(medians[metric])),
    holding: targets
      .filter((target) => !ofLinks(target))
      .map((target) => ({
        ...target,
        holds_in: pairs.filter(({ values }) => verdict(target, values[target.metric]).holds === true).length,
      })),
    verdicts: targets.filter(ofLinks).map((target) => verdict(target, medians[target.metric])),
  };
}
