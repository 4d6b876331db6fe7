/** Formats the numbers of a report for the text and HTML reports. */
import { metricText, SIGNIFICANCE_LEVEL, type Verdict } from '../scenario/index.js';
import type { Measured } from './measured.js';
import type { ClaimReport, ExperimentReport, FailureReport, Measurement, MetricReport } from './report.js';

const valueText = (name: string, value: number | null): string => metricText(name, value ?? NaN);

/**
 * The paper's wording or, if there is none, its number. If the paper gives no number, the number that represents the
 * wording follows, such as `fairly shared (words; 1 stands for them)`.
 */
export function publishedText({ name, published, published_is: is, says }: MetricReport): string {
  const number = plain(valueText(name, published));
  return is === 'words' && says !== undefined
    ? `${says} (words; ${number} stands for them)`
    : (says ?? number);
}

/** A text such as `91.2 ± 0.8 % (10)`: the mean, half the width of its 95 % interval, and the number of runs. */
export const measuredText = ({ name, measured }: Measurement): string =>
  `${intervalText(name, measured)} (${measured.n})`;

/** A text such as `91.2 ± 0.8 %`: the mean and half the width of its 95 % interval. */
export function intervalText(name: string, { mean, ci95: [low, high] }: Measured): string {
  const text = valueText(name, mean);
  if (mean === null || low === null || high === null) return text;
  const { digits, unit, scale } = formOf(text);
  const half = (((high - low) / 2) * scale).toFixed(digits);
  return `${text.slice(0, text.length - unit.length).trimEnd()} ± ${half}${unit === '' ? '' : ` ${unit}`}`;
}

/**
 * The mean and half the width of its 95 % interval. If some runs yielded no value, also the number of runs
 * with a value.
 */
export const comparedText = (name: string, measured: Measured, runs: number): string =>
  `${intervalText(name, measured)}${measured.n < runs ? ` (${measured.n} of ${runs})` : ''}`;

const SCALES: Readonly<Record<string, number>> = { '%': 100, Mbps: 1e-6, kbps: 1e-3 };

/** The format of a value: its number of decimals, its unit, and the unit's factor. */
function formOf(text: string): { digits: number; unit: string; scale: number } {
  const [, decimals = '', unit = ''] = /^-?\d+(?:\.(\d+))? ?(.*)$/.exec(text) ?? [];
  return { digits: decimals.length, unit, scale: SCALES[unit] ?? 1 };
}

/**
 * Omits the decimals if all of them are zero. Used for published numbers and the limits of bands. Measured
 * numbers keep all decimals.
 */
const plain = (text: string): string => text.replace(/\.0+(?=\D|$)/, '');

/** A band such as `81 … 91 %`. If the units of the limits differ, both are written. */
export function bandText({ name, band }: MetricReport): string {
  const [low, high] = band.map((limit) => plain(valueText(name, limit))) as [string, string];
  const { unit } = formOf(high);
  const both = formOf(low).unit === unit && unit !== '';
  return `${both ? low.slice(0, -unit.length).trimEnd() : low} … ${high}`;
}

/** Marks a band that is wider than the rule for its metric allows, or to which the rule does not apply. */
export const WIDER = '°';

/** Marks a number whose 95 % interval reaches across an edge of its band. */
export const ACROSS = '~';
/** The meaning of the mark ACROSS. */
export const ACROSS_MEANING =
  'the 95 % interval of the mean reaches across an edge of its band: other seeds could give another verdict';

const probability = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p ${p.toFixed(3)}`);

/**
 * A text such as `3 of 4 cases, p 0.210; not: C 1 Mbps (p 0.210)`: the number of cases in which a claim holds, the
 * largest p-value, and the cases in which it fails. For a claim with a single case, only the p-value is written.
 */
export function claimText({ p, cases, failing }: ClaimReport): string {
  const count = cases.of === 1 ? [] : [`${cases.hold} of ${cases.of} cases`];
  const fails = failing.map(({ cell, p: own }) => {
    const all = cell === '' ? 'all' : cell;
    if (own === null) return all;
    // The p-value of a trend compares only its two ends. If p is significant and the trend fails
    // nevertheless, a step between the ends goes the other way.
    return own < SIGNIFICANCE_LEVEL ? `${all} (a step goes the other way)` : `${all} (${probability(own)})`;
  });
  const where = cases.of === 1 || fails.length === 0 ? '' : `; not: ${fails.join('; ')}`;
  return `${[...count, p === null ? 'fewer than two runs to compare, not tested' : probability(p)].join(', ')}${where}`;
}

/** A claim's position in the list of an experiment's claims, written as `[2]`. */
export const claimNumber = (index: number): string => `[${index + 1}]`;

/**
 * The claims that decide the verdict on a number outside its band, written like `[1] [3]`. Empty if it is
 * inside.
 */
export function claimNumbers({ claims }: Pick<ExperimentReport, 'claims'>, metric: MetricReport): string {
  if (metric.verdict === 'within') return '';
  const supported = claims.flatMap(({ id }, index) =>
    metric.claims?.includes(id) === true ? [claimNumber(index)] : [],
  );
  return supported.join(' ');
}

/** The guide that lists the mechanisms that were tried to explain misses. */
export const TRIED = '“Mechanisms that were tried” (src/papers/mechanisms.md)';
/** The text for a miss without a note. It names the guide, which may discuss the miss. */
const NOT_EXPLAINED = `Not explained. What was tried is in the guide, ${TRIED}.`;

const whyText = (note: string | undefined): string => `Why it differs: ${note ?? NOT_EXPLAINED}`;

/** Why a number is outside of its band, as far as that is known. Empty if it is in its band. */
export const missText = ({ verdict, note }: MetricReport): string =>
  verdict === 'within' ? '' : whyText(note);

/** Why a claim fails, as far as that is known. Empty if it does not fail. */
export const failText = ({ holds, note }: ClaimReport): string => (holds === false ? whyText(note) : '');

/** Identifies a failed run so that it can be repeated, and says why it failed. */
export const failureText = ({ experiment, cell, run, seed, error }: FailureReport): string =>
  `${experiment}${cell === '' ? '' : `, ${cell}`}, run ${run} (seed ${seed}): ${error}`;

export const VERDICT_MEANINGS: Readonly<Record<Verdict, string>> = {
  within: 'in the band',
  ordering:
    'outside the band, but what the paper says of this number, [1] and so on, was tested over the runs and holds',
  off: 'outside the band, and what the paper says of this number fails, was not tested, or is the number alone',
};

/** The text for a claim's outcome, by the value of `holds`. */
export const CLAIM_OUTCOMES = { true: '✓ holds', false: '✗ fails', null: '– not run' } as const;

/** The rule for bands, and what the marks beside numbers mean. */
export const BAND_KEY = `Bands follow a rule that was fixed before there were any results: ±5 points of utilisation, ±25 ms at the 95th percentile, ±0.3 points of loss, ±0.07 of Jain's index (±27 % of a fair share of two flows), or the paper's own words where they are stricter. ${WIDER} marks a band that is wider than this rule, or to which it does not apply, and whose reason is given. ${ACROSS}: ${ACROSS_MEANING}.`;

/** Explains claims. */
export const CLAIM_KEY = `A claim holds where the runs show it beyond their scatter: paired by their seeds, one-sided t-test, ${100 * SIGNIFICANCE_LEVEL} % ("about": two such tests, one for each side); p is that of its weakest case.`;

/** Explains the numbers and the figures to the reader of the report. */
export const REPORT_KEY = `± is half of the 95 % interval of the mean over the runs (Student's t). ${CLAIM_KEY} ${BAND_KEY} In the pictures a diamond is a published value, a shaded strip the band in which a measured mean counts as reproduced (without an edge where it goes on beyond the plot); whiskers on bars are one standard deviation over the runs, as in the papers, and not the interval of the tables. Boxes go from the 25th to the 75th percentile, their whiskers from the 5th to the 95th.`;

/** Written below each figure whose bars have whiskers, since the tables give another measure of the scatter. */
export const WHISKERS_KEY = 'Whiskers: one standard deviation over the runs.';

export const CURVES_KEY =
  'Curves over time and distributions are of the first run. The verdicts are on the means of all runs that have ended.';
