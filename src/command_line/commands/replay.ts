import { Option, type Command } from 'commander';

import { CONTROLLER_NAMES, loadCore, type TraceBatch } from '../../core/index.js';
import {
  ParameterProblem,
  parameterNames,
  type GivenParameters,
  presetNames,
  readTrace,
  Replayer,
  type ReplayOptions,
} from '../../trace/index.js';
import { ControllerEnded, ControllerRunner } from '../controllers/runner.js';
import {
  controllerFiles,
  faultLine,
  faultReport,
  loadController,
  type ControllerFile,
  type FaultReport,
} from '../controllers/controllers.js';
import { FailedRun, UsageError } from '../../text/errors.js';
import { checkOutputs, fileOutput, streamOutput, writeJson, type Io, type Output } from '../io.js';
import { progress, type Progress } from '../progress.js';
import { REPLAY_TABLES, ReplaySummary, RowText, type ReplayTable, type RowFormat } from './replay_rows.js';
import { endReport } from '../run/cell_runner.js';
import { choice, numberArgument } from './link_options.js';
import { replayTwin } from './replay_twin.js';
import { openTrace, traceFile, type Source } from './trace_source.js';
import { didYouMean } from '../../text/suggest.js';

interface ReplayFlags {
  controller?: string;
  controllerTimeout: number;
  preset?: string;
  flow?: string;
  set: Record<string, number>;
  format: RowFormat;
  rows?: ReplayTable | 'all';
  out?: string;
  json?: string;
  twin?: true;
}

const HELP = `
TRACE is a file in trace format v1 (NDJSON) with arrival rows, or - for standard input. Rows of the
types group and rate, of NADA and LCC also nada and lcc, go to standard output, messages to standard
error. With --json - the summary goes to standard output instead of the rows, which --out FILE keeps.
Without --preset the recorded preset, its parameters and their changes are used; --set overrides them.
With --preset only the recorded bitrate bounds are still used, since the application of the call set them.
--controller replays with another controller, in its default preset and with the recorded bounds: one of
ccscope's, or the path of your own (.ts, .js, .mjs, .wasm; see public/controllers/README.md).
In a trace of several flows, such as a simulation's, each flow gets its own controller, and the field
flow of a row names it; --flow replays only one of them.
With --twin the recording of a call of ccscope's own page is set beside its simulation, which gets every
recorded change of the link and the controller: averages, differences, and where the two part most.`;

/** Adds `ccscope replay`. */
export function register(program: Command, io: Io): void {
  program
    .command('replay')
    .description('run a recorded trace through a controller again')
    .argument('<trace>', 'the trace, or - for standard input')
    .option(
      '--preset <preset>',
      `preset to use instead of the recorded one: ${presetNames.join(', ')}`,
      presetArgument,
    )
    .option(
      '--controller <name|path>',
      `controller to use instead of the recorded one: ${CONTROLLER_NAMES.join(', ')}, or a file of your own`,
    )
    .option(
      '--controller-timeout <s>',
      'end a controller of your own after this many seconds without progress',
      numberArgument(0.1, 3600),
      10,
    )
    .option('--flow <flow>', 'replay one flow alone: its name, or its number in the trace')
    .addOption(
      new Option('--set <name=value>', 'set a parameter (may be repeated)')
        .default({}, 'none')
        .argParser(setArgument),
    )
    .addOption(choice('--format <format>', 'how rows are written', ['ndjson', 'csv']).default('ndjson'))
    .addOption(
      choice('--rows <type>', 'which rows to write (default: all; with csv, which holds one type: group)', [
        ...REPLAY_TABLES,
        'all',
      ]),
    )
    .option('--twin', 'instead simulate the same schedule, and tell how far the call is from that')
    .option('--out <file>', 'write the rows to a file')
    .option('--json <file>', 'write a summary as JSON to a file, or to standard output with -')
    .addHelpText('after', HELP)
    .action((trace: string, flags: ReplayFlags) => replay(trace, flags, io));
}

function presetArgument(name: string): string {
  if (presetNames.includes(name)) return name;
  const presets = presetNames.join(', ');
  throw new UsageError(`--preset: expected one of ${presets}, got ${name}.${didYouMean(name, presetNames)}`);
}

function setArgument(text: string, before: GivenParameters): GivenParameters {
  const [, name, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--set: expected name=value, got ${text}`);
  if (!parameterNames.includes(name)) {
    const hint = didYouMean(name, parameterNames) || ` The parameters are ${parameterNames.join(', ')}.`;
    throw new UsageError(`--set: there is no parameter ${name}.${hint}`);
  }
  const number = Number(value);
  return { ...before, [name]: value.trim() === '' || Number.isNaN(number) ? value : number };
}

async function replay(trace: string, flags: ReplayFlags, io: Io): Promise<void> {
  if (flags.twin === true) {
    checkAlone(flags);
    checkOutputs({ '--json': flags.json }, traceFile(trace));
    return replayTwin(trace, flags.json, io);
  }
  if (flags.controller !== undefined && flags.preset !== undefined)
    throw new UsageError('--preset: the preset already determines the controller; remove --controller');
  const tables = chosenTables(flags);
  const controller = flags.controller === undefined ? undefined : await loadController(flags.controller);
  checkOutputs({ '--out': flags.out, '--json': flags.json }, [
    ...traceFile(trace),
    ...controllerFiles([controller]),
  ]);
  const source = openTrace(trace, io);
  const output = openOutput(flags, io);
  const text = new RowText(flags.format);
  const summary = new ReplaySummary();
  if (tables.length === 1) output.write(text.head(tables[0] as ReplayTable));
  const emit = (batch: TraceBatch): void => {
    const table = REPLAY_TABLES.find((name) => name === batch.table);
    if (table === undefined) return;
    summary.count(table, batch);
    if (tables.includes(table)) output.write(text.rows(table, batch));
  };
  const options = { preset: flags.preset, parameters: flags.set, flow: flags.flow, file: source.name, emit };
  // The summary covers the whole trace, even if the reader of the rows closes the pipe.
  const readsAll = flags.json !== undefined;
  let done: Replayed;
  try {
    done =
      typeof controller === 'object'
        ? await replayInWorker(controller, source, options, { ...flags, output, readsAll, io })
        : await replayHere(source, { ...options, controller }, { output, readsAll, io });
  } catch (error) {
    if (error instanceof ParameterProblem) throw new UsageError(`--set: ${error.message}`);
    throw error;
  } finally {
    await output.end();
  }
  const { about, arrivals, faults } = done;
  const result = { trace: source.name, ...about, set: flags.set, ...summary.result(arrivals) };
  if (flags.json !== undefined) await writeJson(flags.json, result, io);
  if (isFile(flags.out))
    io.stderr.write(`${flags.out}: wrote ${summary.rowsText(tables)} from ${arrivals} arrivals\n`);
  if (faults.length > 0) throw new FailedRun(faults.map(faultLine).join('\n'));
}

/**
 * Throws UsageError for options that `--twin` does not support. The twin uses the settings of the recorded call,
 * and produces no rows.
 */
function checkAlone({ controller, preset, flow, set, format, rows, out }: ReplayFlags): void {
  const written = format === 'ndjson' ? undefined : format;
  const given = Object.entries({ controller, preset, flow, format: written, rows, out }).find(
    ([, value]) => value !== undefined,
  );
  const name = given?.[0] ?? (Object.keys(set).length > 0 ? 'set' : null);
  if (name === null) return;
  const why = ['format', 'rows', 'out'].includes(name)
    ? 'a twin writes no rows'
    : 'the whole call is simulated with its recorded settings';
  throw new UsageError(`--twin: ${why}; remove --${name}`);
}

/** The results of a replay. */
interface Replayed {
  about: Record<string, unknown>;
  arrivals: number;
  faults: readonly FaultReport[];
}

interface RowsOutput {
  output: Output;
  /** Whether to read the whole trace even if nobody reads the rows any more. */
  readsAll: boolean;
  io: Io;
}

async function replayHere(
  source: Source,
  options: ReplayOptions,
  { output, readsAll, io }: RowsOutput,
): Promise<Replayed> {
  const replayer = new Replayer(await loadCore(), options);
  try {
    await feed(source, replayer, { output, readsAll, io });
    const { missingController: missing } = replayer;
    if (missing !== undefined) {
      const fix = '--controller FILE replays it with its own';
      io.stderr.write(`${source.name}: recorded with ${missing}, replayed with gcc; ${fix}\n`);
    }
    return { about: { preset: replayer.preset }, arrivals: replayer.arrivals, faults: [] };
  } finally {
    replayer.destroy();
  }
}

/**
 * Replays a trace with a user's controller in a worker. The worker receives the trace in pieces, and returns
 * rows.
 */
async function replayInWorker(
  file: ControllerFile,
  source: Source,
  { parameters = {}, flow, emit }: ReplayOptions,
  { output, readsAll, io, controllerTimeout }: RowsOutput & { controllerTimeout: number },
): Promise<Replayed> {
  const bar = progressOf(source, io);
  let runner: ControllerRunner | undefined;
  let [arrivals, bytes] = [0, 0];
  let faults: readonly FaultReport[] = [];
  const about = (name: string): Record<string, unknown> => ({ controller: name, controller_faults: faults });
  try {
    runner = await ControllerRunner.open(file, { timeLimitMs: controllerTimeout * 1e3 });
    await runner.do({ kind: 'replay', file: source.name, flow, parameters });
    const piece = async (data: Uint8Array | null): Promise<boolean> => {
      const result = await (runner as ControllerRunner).do({ kind: 'piece', bytes: data });
      ({ arrivals } = result);
      faults = result.faults.map(faultReport);
      for (const batch of result.batches) emit(batch);
      return (await output.ready()) || readsAll;
    };
    for await (const chunk of source.stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      bar?.update(bytes);
      if (!(await piece(chunk))) return { about: about(runner.name), arrivals, faults };
    }
    await piece(null);
    return { about: about(runner.name), arrivals, faults };
  } catch (error) {
    if (!(error instanceof ControllerEnded)) throw error;
    faults = [...faults, endReport(error)];
    return { about: about(error.controller), arrivals, faults };
  } finally {
    bar?.clear();
    source.stream.destroy();
    await runner?.close();
  }
}

/** Reads the whole trace. Stops early if the reader of the rows closes the pipe, unless `readsAll` is set. */
async function feed(source: Source, replayer: Replayer, { output, readsAll, io }: RowsOutput): Promise<void> {
  const bar = progressOf(source, io);
  const gone = new Error('the reader of the rows closed the pipe');
  try {
    await readTrace(source.stream, replayer, {
      file: source.name,
      afterChunk: async (bytes) => {
        replayer.flush();
        bar?.update(bytes);
        if (!(await output.ready()) && !readsAll) throw gone;
      },
    });
    replayer.end();
  } catch (error) {
    if (error === gone) return;
    replayer.flush();
    throw error;
  } finally {
    bar?.clear();
    source.stream.destroy();
  }
}

/**
 * Null if the trace's length is unknown, or if standard output is a terminal, where the rows would garble a
 * progress bar.
 */
function progressOf({ bytes }: Source, io: Io): Progress | null {
  return bytes === null || io.stdout.isTTY === true ? null : progress(io, bytes);
}

function chosenTables(flags: ReplayFlags): readonly ReplayTable[] {
  const rows = flags.rows ?? (flags.format === 'csv' ? 'group' : 'all');
  if (rows !== 'all') return [rows];
  if (flags.format === 'csv')
    throw new UsageError(
      `--rows: CSV can hold only one type of row; choose one of ${REPLAY_TABLES.join(', ')}`,
    );
  return REPLAY_TABLES;
}

const isFile = (path: string | undefined): path is string => path !== undefined && path !== '-';

function openOutput(flags: ReplayFlags, io: Io): Output {
  if (isFile(flags.out)) return fileOutput(flags.out);
  if (flags.json === '-')
    return { write: () => undefined, ready: () => Promise.resolve(true), end: () => Promise.resolve() };
  return streamOutput(io.stdout);
}
