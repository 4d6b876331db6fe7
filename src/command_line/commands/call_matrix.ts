/** `ccscope call --matrix`: every combination of the links, controllers and sources in a file, in one report. */
import { inputsOf, openServer, realCalls, twinCalls } from '../call/plan_series.js';
import { FailedRun, UsageError } from '../../text/errors.js';
import { ConfigError, shown } from '../../text/quantities.js';
import { interruptible } from '../interrupt.js';
import { checkOutputs, inTurn, writeJson, writeText, type InputFile, type Io } from '../io.js';
import { DEFAULT_BASELINE, DEFAULT_DURATION_S, DEFAULT_RUNS, DEFAULT_SOURCES } from '../matrix/form.js';
import { matrixHtml } from '../matrix/html.js';
import { cellsOf, NATIVE, type Cell } from '../matrix/plan.js';
import { readMatrix, type MatrixFile } from '../matrix/read.js';
import { matrixReport, type MatrixHead, type MatrixReport } from '../matrix/report.js';
import { makeReal, makeTwins, type Made } from '../matrix/run.js';
import { faultsInCharge, matrixText } from '../matrix/text.js';
import { faultLine } from '../controllers/controllers.js';
import { SIMULATED, unsimulated } from '../twin/options.js';
import { version } from '../../html/version.js';
import type { CallFlags } from './call_options.js';
import { counted } from '../../text/counted.js';

/** The options that are allowed with `--matrix`. All other settings come from the matrix's file. */
const WITH_MATRIX: readonly string[] = [
  ...['matrix', 'twin', 'machine', 'runs', 'duration', 'untilQuiet', 'json', 'html'],
];

const LEFT_OUT =
  'native was left out: the browser’s own controller cannot be simulated. Without --twin it takes part.';
/** Added to LEFT_OUT if the baseline was left out. */
const NOT_COMPARED =
  ' It is the baseline, so nothing is compared and no target is judged. To compare simulated calls, name another controller as `baseline`.';

/**
 * Makes all runs and writes the report. After an interruption, the report covers the runs so far. Throws
 * UsageError, FailedRun.
 */
export async function callMatrix(
  name: string,
  flags: CallFlags,
  given: readonly string[],
  io: Io,
): Promise<void> {
  const strange = given.find((flag) => !WITH_MATRIX.includes(flag));
  if (strange !== undefined) {
    const written = strange.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(
      `--${written}: cannot be used with --matrix, whose file describes the calls; remove --${written}`,
    );
  }
  if (flags.twin === true && flags.untilQuiet !== undefined)
    throw new UsageError('--until-quiet: cannot be used with --twin; remove one of them');
  if (flags.machine !== undefined && flags.twin !== true)
    throw new UsageError('--machine: needs --twin; add it, or remove --machine');
  if (flags.html === '-') throw new UsageError('--html: expected a file, got -');
  const read: InputFile[] = [];
  const file = readMatrix(name, { onRead: (each) => read.push(each) });
  const all = cellsOf(file, flags.duration === undefined ? undefined : flags.duration / 1e3);
  checkOutputs({ '--json': flags.json, '--html': flags.html }, [
    ...read,
    ...inputsOf(all.map(({ plan }) => plan)),
  ]);
  const head = headOf(file, flags, given);
  if (flags.twin === true) await simulate({ file, head, cells: all }, flags, io);
  else await callAll({ file, head, cells: all }, flags, io);
}

interface Planned {
  file: MatrixFile;
  head: MatrixHead;
  cells: readonly Cell[];
}

function headOf({ matrix, at }: MatrixFile, flags: CallFlags, given: readonly string[]): MatrixHead {
  const { twin, machine = matrix.machine ?? 'idle', duration } = flags;
  return {
    title: matrix.title,
    description: matrix.description ?? null,
    matrix: at,
    ccscope: version(),
    created: new Date().toISOString(),
    ...(twin === true && { twin, machine }),
    runs: given.includes('runs') ? flags.runs : (matrix.runs ?? DEFAULT_RUNS),
    duration_s: duration === undefined ? (matrix.duration_s ?? DEFAULT_DURATION_S) : duration / 1e3,
    notes: [],
  };
}

async function simulate({ file, head, cells: all }: Planned, flags: CallFlags, io: Io): Promise<void> {
  const cells = all.filter(({ plan }) => plan.controller !== NATIVE);
  if (cells.length === 0)
    throw new UsageError('--twin: expected a controller other than native in the matrix; add one');
  checkSimulated(file, cells);
  const { baseline = DEFAULT_BASELINE } = file.matrix;
  const names = (planned: readonly Cell[]): boolean =>
    planned.some(({ controller }) => controller === baseline);
  const compared = names(cells) || !names(all);
  const notes = cells.length < all.length ? [compared ? LEFT_OUT : LEFT_OUT + NOT_COMPARED] : [];
  const { machine = 'idle' } = head;
  const made: Made = {
    cells: cells.map((cell) => ({ ...cell, series: twinCalls(cell.plan, machine) })),
    failures: [],
  };
  const report = () => matrixReport({ ...head, notes }, file.matrix, made.cells, made.failures);
  await writing(report, flags, io, (signal) => makeTwins(made, machine, { runs: head.runs, signal, io }));
}

/** Throws UsageError, with the path in the file, for a source or codec that the twin cannot simulate. */
function checkSimulated({ matrix, at }: MatrixFile, cells: readonly Cell[]): void {
  const { sources = DEFAULT_SOURCES } = matrix;
  for (const [i, { name }] of sources.entries()) {
    const plan = cells.find(({ source }) => source === name)?.plan;
    if (plan === undefined) continue;
    const { source, codec } = plan;
    const field = unsimulated(source, codec);
    if (field === null) continue;
    const [expected, got, fix] =
      field === 'codec'
        ? [`vp8, since the twin can simulate ${source.name} in VP8 only`, codec, 'remove `codec`']
        : [`a source that the twin can simulate (${SIMULATED})`, source.name, 'choose one of these'];
    throw new UsageError(
      new ConfigError(`${at}.sources.${i}.${field}`, expected, shown(got), `${fix}, or remove --twin`)
        .message,
    );
  }
}

async function callAll({ file, head, cells }: Planned, flags: CallFlags, io: Io): Promise<void> {
  const server = await openServer(
    cells.map(({ plan }) => plan),
    io,
  );
  try {
    const made: Made = {
      cells: cells.map((cell) => ({ ...cell, series: realCalls(cell.plan, server) })),
      failures: [],
    };
    const report = () => matrixReport(head, file.matrix, made.cells, made.failures);
    await writing(report, flags, io, (signal) =>
      makeReal(made, { runs: head.runs, signal, io, again: flags.untilQuiet }),
    );
  } finally {
    await server.close();
  }
}

/**
 * Makes the runs, then writes the report, even after an error or an interruption. If some of the runs failed, or if the
 * controller in charge failed in some of them, throws FailedRun after the report.
 */
async function writing(
  report: () => MatrixReport,
  flags: CallFlags,
  io: Io,
  make: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    await interruptible(make);
  } finally {
    const made = report();
    if (made.cells.length > 0 || made.failures.length > 0) await write(made, flags, io);
  }
  const { failures, cells } = report();
  const faults = cells.flatMap(({ report: { runs } }) => runs.flatMap(faultsInCharge)).map(faultLine);
  const said = [
    ...(failures.length > 0 ? [`${counted(failures.length, 'run')} failed`] : []),
    ...new Set(faults),
  ];
  if (said.length > 0) throw new FailedRun(said.join('\n'));
}

async function write(report: MatrixReport, { json, html }: CallFlags, io: Io): Promise<void> {
  if (json !== '-') io.stdout.write(matrixText(report));
  await inTurn([
    ...(json === undefined ? [] : [() => writeJson(json, report, io)]),
    ...(html === undefined ? [] : [() => writeText(html, matrixHtml(report), io)]),
  ]);
}
