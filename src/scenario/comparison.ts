/** Compares the values of an axis: determines for each quantity which value is the best, and how certain this is. */
import { axisOf, cellKey, cellLabel, type CellParams } from './cells.js';
import type { CellValues } from './claims.js';
import { METRICS, quantityKey, type MetricUnit } from './metrics.js';
import type { Quantity, Scenario } from './scenario.js';
import { summarise } from './statistics.js';
import type { Summary } from './summary.js';

/**
 * `best`: no other value has a better mean. `close`: another value is the best, but the 95 % confidence
 * intervals of the two overlap. `none`: all other cases. If the quantity has no `best` direction, every value
 * is `none`.
 */
export type Standing = 'best' | 'close' | 'none';

export interface ComparedColumn {
  title: string;
  metric: string;
  unit: MetricUnit;
  flow?: string;
  window?: string;
  path?: 'forward' | 'backward';
  best?: 'most' | 'least';
}

export interface ComparedValue {
  measured: Summary;
  standing: Standing;
}

/** The comparison for one combination of values on the other axes. */
export interface ComparedCase {
  /** The values of all axes except the compared one. */
  params: CellParams;
  /** Empty if there is no other axis. */
  label: string;
  columns: readonly ComparedColumn[];
  /** One row for each value of the compared axis, with one value for each column. */
  rows: readonly { name: string; label: string; values: readonly ComparedValue[] }[];
}

/**
 * The results of the scenario's comparison, computed from the runs of its cells. Empty if the scenario has no
 * comparison.
 */
export function compareCells(scenario: Scenario, results: readonly CellValues[]): ComparedCase[] {
  const { comparison } = scenario;
  if (comparison === undefined) return [];
  const { along, quantities } = comparison;
  const axis = axisOf(scenario, along, 'comparison.along');
  return casesOf(results, along).map(({ params, members }) => {
    const columns = quantities.map(({ column, metric, flow, window, path, best }): ComparedColumn => ({
      title: column,
      metric,
      unit: METRICS.get(metric)?.unit ?? '1',
      ...(flow !== undefined && { flow }),
      ...(window !== undefined && { window }),
      ...(path !== undefined && { path }),
      ...(best !== undefined && { best }),
    }));
    const there = axis.values.flatMap(({ name, label = name }) => {
      const member = members.find(({ cell }) => cell[along] === name);
      return member === undefined ? [] : [{ name, label, member }];
    });
    const perColumn = quantities.map((quantity) => {
      const summaries = there.map(({ member }) => summaryOf(member, quantity));
      const standings = rank(summaries, quantity.best);
      return summaries.map((measured, i): ComparedValue => ({ measured, standing: standings[i] ?? 'none' }));
    });
    const rows = there.map(({ name, label }, i) => ({
      name,
      label,
      values: perColumn.flatMap((column) => column[i] ?? []),
    }));
    return { params, label: cellLabel(scenario, params), columns, rows };
  });
}

const summaryOf = ({ values }: CellValues, quantity: Quantity): Summary =>
  summarise(values.get(quantityKey(quantity)) ?? []);

/** Groups the cells that have this axis by their values on all other axes. Keeps the order of the cells. */
function casesOf(
  results: readonly CellValues[],
  along: string,
): { params: CellParams; members: CellValues[] }[] {
  const cases = new Map<string, { params: CellParams; members: CellValues[] }>();
  for (const result of results) {
    if (!(along in result.cell)) continue;
    const { [along]: _, ...params } = result.cell;
    const key = cellKey(params);
    const found = cases.get(key) ?? { params, members: [] };
    cases.set(key, found);
    found.members.push(result);
  }
  return [...cases.values()];
}

/**
 * Ranks the summaries. Only those with the largest number of valid runs can be `best` or `close`: a controller
 * that converged in three of ten runs is not faster than one that converged in all ten. If all means and numbers
 * of valid runs are equal, none is `best`.
 */
export function rank(summaries: readonly Summary[], best: 'most' | 'least' | undefined): Standing[] {
  const most = Math.max(...summaries.map(({ n }) => n));
  const runs = ({ mean, n }: Summary): boolean => n === most && Number.isFinite(mean);
  const means = summaries.filter(runs).map(({ mean }) => mean);
  const [low, high] = [Math.min(...means), Math.max(...means)];
  if (best === undefined || means.length === 0 || (low === high && means.length === summaries.length))
    return summaries.map(() => 'none');
  const top = best === 'most' ? high : low;
  const leaders = summaries.filter((summary) => runs(summary) && summary.mean === top);
  return summaries.map((summary) => {
    if (leaders.includes(summary)) return 'best';
    return runs(summary) && leaders.some((leader) => overlap(leader.ci95, summary.ci95)) ? 'close' : 'none';
  });
}

const overlap = (a: Summary['ci95'], b: Summary['ci95']): boolean => a[0] <= b[1] && b[0] <= a[1];
