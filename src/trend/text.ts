/** A trend as readable text. The page in html.ts uses the same wording. */
import { PROPERTIES, propertyText, type PropertyName } from '../evidence/properties.js';
import { aligned, sparkline } from '../text/terminal.js';
import type { TrendGroup, TrendLine, TrendReport } from './trend.js';
import { counted } from '../text/counted.js';

/** The title of a group. It names the test's file if another file has a test with the same title. */
export function groupTitle({ file, test, project }: TrendGroup, groups: readonly TrendGroup[]): string {
  const isUnique = groups.every(
    (other) => other.file === file || other.test !== test || other.project !== project,
  );
  const title = isUnique || file === '' ? test : `${file} › ${test}`;
  return project === '' ? title : `${title} (${project})`;
}

/** A known value; `never` for null, which stands for a time that was never reached. */
export const knownText = (metric: PropertyName, value: number | null): string =>
  value === null ? 'never' : propertyText(metric, value);

/** The range of the earlier values, for example `3 s to 5 s` or `3 s to never`. */
export function rangeText(metric: PropertyName, { min, max }: NonNullable<TrendLine['earlier']>): string {
  return min === null ? 'never reached' : `${knownText(metric, min)} to ${knownText(metric, max)}`;
}

/** The value of a run, by its index; a dash if it is unknown. */
export function runText({ metric, values, never_runs: never = [] }: TrendLine, run: number): string {
  const value = values[run] ?? null;
  return value === null && !never.includes(run) ? '–' : knownText(metric, value);
}

/** The change of the latest value, for example `+12 %` or `-3.1 %`. */
export function changeText({ change_ratio: change }: TrendLine): string {
  if (change === null) return '–';
  const percent = Number((change * 100).toPrecision(2));
  return `${percent > 0 ? '+' : ''}${percent} %`;
}

export const medianText = ({ metric, earlier }: TrendLine): string =>
  earlier === null ? '–' : knownText(metric, earlier.median);

/**
 * Describes a latest value that lies outside the range of the earlier values. Returns an empty string if the value
 * lies inside, or if too few earlier values are known.
 */
export function markText(line: TrendLine): string {
  const { outside, earlier, metric } = line;
  if (outside === null || earlier === null) return '';
  return `${outside}: ${rangeText(metric, earlier)} before`;
}

/** Says in how many of the last runs the value is missing. Returns an empty string if the last run has a value. */
export function ageText({ values, latest_run: run }: TrendLine): string {
  const ago = values.length - 1 - run;
  if (ago === 0) return '';
  return ago === 1 ? 'not in the last run' : `not in the last ${ago} runs`;
}

const HEAD = ['', '', 'median before', 'latest', 'change'];

const marksOf = (line: TrendLine): string =>
  [markText(line), ageText(line)].filter((text) => text !== '').join(', ');

/** Stands in place of a bar for a run that never reached what the metric is the time of. */
const NEVER_MARK = '∞';

function bars({ values, never_runs: never = [] }: TrendLine): string {
  const top = Math.max(0, ...values.map((value) => value ?? 0));
  const shown = sparkline(
    values.map((value) => value ?? NaN),
    top,
  );
  return Array.from(shown, (bar, run) => (never.includes(run) ? NEVER_MARK : bar)).join('');
}

function row(line: TrendLine): string[] {
  const { metric, latest } = line;
  return [
    `  ${PROPERTIES[metric].title}`,
    bars(line),
    medianText(line),
    knownText(metric, latest),
    changeText(line),
  ];
}

/**
 * The texts of markText and ageText are appended to the lines, outside the table's columns, since they are long
 * and rare.
 */
function tableOf(lines: readonly TrendLine[]): string[] {
  const [head = '', ...rows] = aligned([HEAD, ...lines.map(row)], 2);
  return [
    head,
    ...rows.map((text, i) => {
      const line = lines[i];
      return line === undefined ? text : `${text}  ${marksOf(line)}`.trimEnd();
    }),
  ];
}

export function trendText({ runs, groups }: TrendReport): string {
  const dates = [runs[0], runs.at(-1)].map((run) => run?.created.slice(0, 10) ?? '');
  const count = counted(runs.length, 'run');
  const hasNever = groups.some(({ lines }) => lines.some((line) => line.never_runs !== undefined));
  const marks = hasNever ? `; ${NEVER_MARK} is never` : '';
  const head = `${count}, ${[...new Set(dates)].join(' to ')}; bars from 0, oldest first${marks}`;
  const tables = groups.flatMap((group) => [
    '',
    `${groupTitle(group, groups)} · ${group.network}`,
    ...tableOf(group.lines),
  ]);
  return `${[head, ...tables].join('\n')}\n`;
}
