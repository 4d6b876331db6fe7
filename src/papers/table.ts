/** The report as text for a terminal. */
import { styleText } from 'node:util';

import { VERDICTS, type Verdict } from '../scenario/index.js';
import type { ClaimReport, Counts, ExperimentReport, MetricReport, Report, Summary } from './report.js';
import { comparisonLines } from './comparison_text.js';
import { surfaceLines } from './surface.js';
import { metricName } from './metric_name.js';
import {
  ACROSS,
  BAND_KEY,
  bandText,
  CLAIM_KEY,
  CLAIM_OUTCOMES,
  claimNumber,
  claimNumbers,
  claimText,
  failText,
  failureText,
  measuredText,
  missText,
  publishedText,
  VERDICT_MEANINGS,
  WIDER,
} from './text.js';
import { counted } from '../text/counted.js';

const COLOURS = { within: 'green', ordering: 'yellow', off: 'red' } as const;
const HEAD = ['cell', 'metric', 'published', 'measured mean ± ci95 (n)', 'band', 'verdict'];
/** The columns that contain names. The other columns contain numbers and are aligned right. */
const LEFT = new Set([0, 1, 5]);
/** With the option `short`, longer wordings of the papers are cut to this length. */
const WIDEST = 34;

type Paint = (verdict: Verdict, text: string) => string;

const painter =
  (colours: boolean): Paint =>
  (verdict, text) =>
    colours ? styleText(COLOURS[verdict], text, { validateStream: false }) : text;

const unpainted: Paint = (_, text) => text;

/** Options for the text of the report. */
export interface TextForm {
  colours: boolean;
  /** Whether to cut long wordings of the papers, so that the table fits a terminal. */
  short: boolean;
  /** Whether to explain the bands, the misses, and how each claim is tested. Default false. */
  why?: boolean;
}

const cut = (text: string): string => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text);

function countsText({ within, ordering, off }: Counts, paint = unpainted): string {
  return [
    paint('within', `${within} within`),
    paint('ordering', `${ordering} ordering`),
    paint('off', `${off} off`),
  ].join(', ');
}

/** How many of the papers' statements, and how many of their numbers, have each verdict. */
function summaryText({ statements, numbers, across_edge: across }: Summary, paint?: Paint): string {
  const unsure = across === 0 ? '' : ` (${across} ${ACROSS})`;
  return `statements: ${countsText(statements, paint)}; numbers: ${countsText(numbers, paint)}${unsure}`;
}

/** The lines of a table. Each column is as wide as its widest cell. The last column contains the coloured verdict. */
function tableLines(rows: readonly string[][], paint: Paint): string[] {
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [HEAD, ...rows].map((row, line) =>
    row
      .map((text, i) => {
        if (i === HEAD.length - 1) return line === 0 ? text : painted(text, paint);
        return LEFT.has(i) ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Colours the verdict at the beginning of a text. */
function painted(text: string, paint: Paint): string {
  const verdict = VERDICTS.find((each) => text.startsWith(each));
  return verdict === undefined ? text : `${paint(verdict, verdict)}${text.slice(verdict.length)}`;
}

const OUTCOME_WIDTH = Math.max(...Object.values(CLAIM_OUTCOMES).map(({ length }) => length));

/** A claim and its outcome; with `why`, also how it is tested and why it fails. */
export function claimLines(claim: ClaimReport, index: number, why = false, paint = unpainted): string[] {
  const { holds, says, test } = claim;
  const outcome = CLAIM_OUTCOMES[`${holds}`].padEnd(OUTCOME_WIDTH);
  const shown = holds === null ? outcome : paint(holds ? 'within' : 'off', outcome);
  const tested = holds === null ? '' : ` (${claimText(claim)})`;
  const reasons = why ? [`Tested: ${test}`, failText(claim)].filter((text) => text !== '') : [];
  const details = reasons.map((text) => `${' '.repeat(OUTCOME_WIDTH + 2)}${text}`);
  return [`${shown}  ${claimNumber(index)} ${says}${tested}`, ...details];
}

/** The reason for a number's band and, if the number is outside, the reason for the miss. */
const reasonsOf = (metric: MetricReport): string =>
  [
    `Band: ${metric.why}`,
    ...(metric.wider_than_rule === undefined ? [] : [`${WIDER} ${metric.wider_than_rule}`]),
    ...(metric.verdict === 'within' ? [] : [missText(metric)]),
  ].join(' | ');

/** The reasons for all bands and misses. Numbers with the same reasons share a line. */
function whyLines({ cells }: ExperimentReport): string[] {
  const groups = new Map<string, string[]>();
  for (const { label, metrics } of cells)
    for (const metric of metrics) {
      const key = `${metricName(metric)}\t${reasonsOf(metric)}`;
      groups.set(key, [...(groups.get(key) ?? []), label]);
    }
  return [...groups].map(([key, labels]) => {
    const [name = '', reasons = ''] = key.split('\t');
    const where = labels.filter((label) => label !== '').join('; ');
    return `why    ${name}${where === '' ? '' : ` (${where})`}: ${reasons}`;
  });
}

/** Explains the verdicts and the marks. */
const legend = (paint: Paint): string[] => [
  ...VERDICTS.map((verdict) => `${paint(verdict, verdict)}: ${VERDICT_MEANINGS[verdict]}`),
  BAND_KEY,
  CLAIM_KEY,
  '',
];

/** `isCompared`: whether the numbers of the experiment are in the table that compares controllers. */
function experimentLines(
  experiment: ExperimentReport,
  { short, why, isCompared }: { short: boolean; why: boolean; isCompared: boolean },
  paint: Paint,
): string[] {
  const { id, title, source, cells, claims, decided_after_results: decided, notes, summary } = experiment;
  const { surface, runs, cpu_seconds: seconds } = experiment;
  // If the paper published no numbers, the table contains only the measured numbers.
  const measured =
    isCompared || cells.some(({ metrics }) => metrics.length > 0)
      ? []
      : cells.flatMap(({ label, others }) =>
          others.map((metric, index) => [
            ...[index === 0 ? label : '', metricName(metric), '', measuredText(metric), '', ''],
          ]),
        );
  const rows = cells.flatMap(({ label, metrics }) =>
    metrics.map((metric, index) => [
      index === 0 ? label : '',
      metricName(metric),
      short ? cut(publishedText(metric)) : publishedText(metric),
      measuredText(metric),
      `${bandText(metric)}${metric.wider_than_rule === undefined ? '' : ` ${WIDER}`}`,
      [metric.verdict, ...(metric.across_edge ? [ACROSS] : []), claimNumbers(experiment, metric)]
        .join(' ')
        .trimEnd(),
    ]),
  );
  return [
    `${id}: ${title}${source === '' ? '' : ` (${source})`}`,
    ...(rows.length + measured.length === 0 ? [] : tableLines([...rows, ...measured], paint)),
    ...(surface === undefined ? [] : surfaceLines(surface)),
    ...(why ? whyLines(experiment) : []),
    ...claims.flatMap((claim, index) => claimLines(claim, index, why, paint)),
    ...decided.map((text) => `after results: ${text}`),
    ...notes.map((note) => `note   ${note}`),
    `${summaryText(summary, paint)} · ${counted(runs, 'run')}, ${seconds.toFixed(1)} s of CPU`,
    '',
  ];
}

/** A table for each experiment and a summary. */
export function reportText(report: Report, { colours, short, why = false }: TextForm): string {
  const paint = painter(colours);
  const {
    experiments,
    comparison,
    summary,
    failures,
    complete,
    cpu_seconds: cpu,
    wall_seconds: wall,
  } = report;
  const lines = [
    ...experiments.flatMap((experiment) => {
      const isCompared = comparison.some((each) => each.experiment === experiment.id);
      return experimentLines(experiment, { short, why, isCompared }, paint);
    }),
    ...comparisonLines(comparison),
    ...(experiments.some(({ statements, claims }) => statements.length + claims.length > 0)
      ? legend(paint)
      : []),
  ];
  const failed = failures.map((failure) => paint('off', `failed: ${failureText(failure)}`));
  const total = `${counted(experiments.length, 'experiment')}, ${wall.toFixed(1)} s (${cpu.toFixed(1)} s of CPU)`;
  const missing = complete === false ? ['interrupted: these are the runs that were made'] : [];
  return [...lines, ...failed, ...missing, `${summaryText(summary, paint)} · ${total}`, ''].join('\n');
}
