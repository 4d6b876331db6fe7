/** The report as text for people. */
import { unusualText } from '../../link/settings_text.js';
import { consequence, loadText } from '../../machine/index.js';
import { groupLines, groupsOf, largestGroups } from '../../judge/incidents/index.js';
import { incidentOfRow } from '../../judge/incidents/incident_row.js';
import { plain } from '../../text/plain.js';
import type { Percentiles } from '../../calls/metrics.js';
import type { TargetReport } from '../../calls/targets.js';
import {
  comparedWith,
  type CallReport,
  type ControllerReport,
  type RunReport,
  type Spread,
} from './types.js';

const text = (value: number | null, digits: number): string => (value === null ? '-' : value.toFixed(digits));
const kbps = (bps: number | null): string => text(bps === null ? null : bps / 1e3, 0);
const three = ({ p50, p95, p99 }: Percentiles, digits: number): string =>
  [p50, p95, p99].map((value) => text(value, digits)).join(' / ');

/**
 * The source, codec and audio of the calls. Empty for pages that are not part of ccscope: their source, codec and
 * audio are unknown.
 */
function sentText({ source, codec, audio }: ControllerReport): string[] {
  if (source === undefined) return [];
  const { name, width, height, fps } = source;
  const voice = audio === true ? ' beside audio' : '';
  return [`${name} ${width}x${height} at ${fps} fps in ${(codec ?? '').toUpperCase()}${voice}`];
}

const COLUMNS: readonly [
  title: string,
  cell: (run: RunReport) => string,
  only?: (run: RunReport) => boolean,
][] = [
  ['utilisation', (run) => text(run.utilisation, 3)],
  ['of TCP', (run) => text(run.cross_utilisation, 3), (run) => (run.cross_utilisation ?? 0) > 0],
  ['queue p50 / p95 / p99 ms', (run) => three(run.queue_delay_ms, 0)],
  ['loss %', (run) => text(run.loss_ratio * 100, 2)],
  ['drops', (run) => String(run.drops)],
  ['90 % after s', (run) => text(run.time_to_90pct_s, 1)],
  [
    'each kbps (Jain)',
    ({ shares }) =>
      shares === undefined ? '-' : `${shares.received_bps.map(kbps).join(' / ')} (${text(shares.jain, 3)})`,
    ({ shares }) => shares !== undefined,
  ],
  ['overuses', (run) => text(run.overuse_count, 0)],
  ['fps', (run) => text(run.fps, 1)],
  ['freezes (longest s)', (run) => `${text(run.freeze_count, 0)} (${text(run.longest_freeze_s, 1)})`],
  [
    'shaper late p50 / p95 / p99 ms',
    (run) => three(run.shaper_lateness_ms, 2),
    (run) => run.shaper_lateness_ms.p50 !== null,
  ],
];

/** Explains which part of a run each number covers. */
const WINDOWS =
  'loss, drops, 90 % after, overuses, freezes and lateness cover the whole run, the other numbers its last two thirds';
/** Added to WINDOWS if the browser decides the bitrate and a detector watched. */
const WATCHED = '; overuses are those of a GCC that only watches';

/** Formats rows of cells as text. Each column is as wide as its widest cell. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('  ')).join('\n');
}

function stepLines(run: RunReport, number: number): string[] {
  if (run.steps.length < 2) return [];
  return run.steps.map((step) =>
    [
      `  run ${number}, from ${text(step.at_s, 1)} s at ${kbps(step.capacity_bps)} kbps:`,
      `utilisation ${text(step.utilisation, 3)},`,
      `90 % after ${text(step.time_to_90pct_s, 1)} s, ${step.drops} drops,`,
      `queue under 50 ms after ${text(step.queue_below_50ms_after_s, 1)} s`,
    ].join(' '),
  );
}

/**
 * At most this many groups of incidents are shown for each run. The files of --html and --trace contain all.
 */
const MOST_TOLD = 3;
const LONGEST_LINE = 1000;

/** Why a call got worse: the largest groups of incidents. */
function incidentLines({ incidents, began_at_s }: RunReport, number: number): string[] {
  if (incidents === undefined) return [];
  const told = incidents.flatMap((row, id) => incidentOfRow(row, id) ?? []);
  const groups = groupsOf(told);
  const shown = largestGroups(groups, MOST_TOLD);
  const more = groups.length - shown.length;
  if (groups.length === 0) return [`run ${number}: nothing got worse`];
  const notes = [
    ...(began_at_s === undefined
      ? []
      : [`in the time of the recording, in which the run began at ${text(began_at_s, 1)} s`]),
    ...(more === 0
      ? []
      : [
          `the ${shown.length} largest of ${groups.length}; --html and \`ccscope incidents\` on the --trace file show all`,
        ]),
  ];
  const title = `why run ${number} got worse${notes.length === 0 ? '' : ` (${notes.join('; ')})`}:`;
  return [title, ...shown.flatMap(groupLines).map((line) => `  ${plain(line, LONGEST_LINE)}`)];
}

const range = ({ median, min, max }: Spread, digits: number): string =>
  `${text(median, digits)} (${text(min, digits)} to ${text(max, digits)})`;

const SHADOW_COLUMNS: readonly [title: string, cell: (target: TargetReport) => string][] = [
  ['target kbps', (target) => kbps(target.target_mean_bps)],
  [
    'of capacity p5 / p50 / p95',
    ({ target_of_capacity: of }) => [of.p5, of.p50, of.p95].map((share) => text(share, 2)).join(' / '),
  ],
  ['at the end kbps', (target) => kbps(target.target_final_bps)],
];

/**
 * For each run: the target rates of the controller in charge, if there is one, and of the shadows. A shadow only
 * watches, so its target rates are not applied.
 */
function shadowLines(runs: readonly RunReport[]): string[] {
  if (runs.every(({ shadows }) => shadows.length === 0)) return [];
  const rows = runs.flatMap((run, i) => {
    const inCharge = run.mode === 'observe' ? [] : [{ name: 'in charge', target: run }];
    const shadows = run.shadows.map((target) => ({ name: target.name, target }));
    return [...inCharge, ...shadows].map(({ name, target }) => [
      String(i + 1),
      name,
      ...SHADOW_COLUMNS.map(([, cell]) => cell(target)),
    ]);
  });
  const title = 'would have asked for (over time, the last two thirds of a run):';
  return [title, aligned([['run', 'shadow', ...SHADOW_COLUMNS.map(([name]) => name)], ...rows])];
}

function faultLines(runs: readonly RunReport[]): string[] {
  return runs.flatMap(({ controller_faults: faults }, i) =>
    faults.map(
      ({ controller, half, time_us, message }) =>
        `run ${i + 1}: the controller ${controller} failed at the ${half} after ${(time_us / 1e6).toFixed(1)} s: ${message}`,
    ),
  );
}

/** Precedes the number of a run that was made on an overloaded machine. */
const MARK = '!';

/**
 * Names the runs that were made on an overloaded machine, says how the load distorts their numbers, and counts
 * them.
 */
function machineLines(runs: readonly RunReport[], aside: readonly RunReport[]): string[] {
  const marked = runs.filter(({ machine }) => machine.overloaded).length;
  if (marked + aside.length === 0) return [];
  const lines = [
    ...runs.map((run, i) => ({ run, which: `run ${i + 1}` })),
    ...aside.map((run) => ({ run, which: 'aside' })),
  ]
    .filter(({ run }) => run.machine.overloaded)
    .map(
      ({ run: { machine }, which }) =>
        `${MARK} ${which}: the machine was ${loadText(machine)}; so ${consequence(machine)}`,
    );
  if (runs.length === 0)
    return [
      ...lines,
      `no run was completed in place of ${aside.length} set aside, made on an overloaded machine`,
    ];
  const made = `${marked} of ${runs.length} runs on an overloaded machine`;
  const again =
    aside.length === 0
      ? '; --until-quiet makes such runs again'
      : `; ${aside.length} more set aside and made again, in no median`;
  return [...lines, made + again];
}

/** `isOfPages` means that the calls were made by pages that are not part of ccscope. */
function controllerText(report: ControllerReport, isOfPages: boolean): string {
  const { controller, mode, preset, runs, set_aside: aside, summary } = report;
  const named = preset === null ? controller : `${controller}, preset ${preset}`;
  const own = isOfPages ? 'the pages’ own controller' : 'the browser’s own controller';
  const name = controller === 'native' ? own : `${named}, ${mode} mode`;
  const columns = COLUMNS.filter(([, , only]) => only === undefined || [...runs, ...aside].some(only));
  const isWatched =
    mode === 'observe' && [...runs, ...aside].some(({ overuse_count: count }) => count !== null);
  const row = (run: RunReport, which: string): string[] => [
    `${run.machine.overloaded ? MARK : ''}${which}`,
    ...columns.map(([, cell]) => cell(run)),
  ];
  const rows = [
    ['run', ...columns.map(([title]) => title)],
    ...runs.map((run, i) => row(run, String(i + 1))),
    ...aside.map((run) => row(run, 'aside')),
  ];
  const lines = [
    name,
    aligned(rows),
    ...machineLines(runs, aside),
    ...runs.flatMap((run, i) => stepLines(run, i + 1)),
    ...runs.flatMap((run, i) => incidentLines(run, i + 1)),
    isWatched ? WINDOWS + WATCHED : WINDOWS,
  ];
  if (runs.length > 1) {
    lines.push(
      `median (range): utilisation ${range(summary.utilisation, 3)}, queue p50 ${range(summary.queue_delay_p50_ms, 0)} ms, ` +
        `p95 ${range(summary.queue_delay_p95_ms, 0)} ms, 90 % after ${range(summary.time_to_90pct_s, 1)} s`,
    );
  }
  lines.push(...shadowLines(runs));
  const notices = new Set(runs.flatMap((run) => run.notices.filter((notice) => !notice.startsWith('info'))));
  return [...lines, ...faultLines(runs), ...notices].join('\n');
}

/** The tables of all controllers, followed by the ratios. */
export function reportText(report: CallReport): string {
  const { capacity, queue, rtt_ms } = report.link;
  const rest = [
    ...unusualText(report.link),
    ...sentText(report),
    `${report.duration_s} s (${report.browser})`,
  ];
  const pages = report.urls === undefined ? [] : [[...new Set(report.urls)].join(', ')];
  const parts = [
    ...pages,
    [`${capacity}, ${queue}, RTT ${rtt_ms} ms`, ...rest].join(', '),
    controllerText(report, report.urls !== undefined),
  ];
  const { comparison } = report;
  parts.push(...comparedWith(report).map((each) => controllerText(each, false)));
  if (comparison) {
    const { utilisation, queue_delay_p50_ms: p50, queue_delay_p95_ms: p95 } = comparison.ratios;
    const of = (ratio: typeof p50): string => text(ratio?.of_medians ?? null, 2);
    parts.push(
      `first over second, of medians: utilisation ${of(utilisation)}, queue p50 ${of(p50)}, p95 ${of(p95)}`,
    );
  }
  return `${parts.join('\n\n')}\n`;
}
