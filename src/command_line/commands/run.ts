import { Help, Option, type Command } from 'commander';

import { CONTROLLER_NAMES, CoreError, TABLE_SPECS, type TraceBatch } from '../../core/index.js';
import {
  cellKey,
  cellLabel,
  cellsOf,
  compile,
  ConfigError,
  instantiate,
  judge,
  judgeSurface,
  seedOf,
  traceHeader,
  type CellParams,
  type CellValues,
  type ExperimentResult,
  type Scenario,
} from '../../scenario/index.js';
import { experimentReport } from '../../papers/report.js';
import { surfaceLines } from '../../papers/surface.js';
import { ControllerEnded } from '../controllers/runner.js';
import {
  controllerFiles,
  faultLine,
  requestedControllers,
  type FaultReport,
} from '../controllers/controllers.js';
import { codeText } from '../../text/code_text.js';
import { FailedRun, UsageError } from '../../text/errors.js';
import { interruptible } from '../interrupt.js';
import { checkOutputs, columnsOf, inTurn, writeJson, writeText, type InputFile, type Io } from '../io.js';
import { progress, type Progress } from '../progress.js';
import { provenance, type Provenance } from '../provenance.js';
import {
  cellRunner,
  endReport,
  replacedIn,
  type CellRunner,
  type UsedController,
} from '../run/cell_runner.js';
import { csvOfRuns } from '../run/csv.js';
import {
  cellArgument,
  chosenCells,
  withinCells,
  prepared,
  settingArgument,
  type CellChoice,
  type Settings,
} from '../run/prepared.js';
import { chart, claimTable, publishedTable, resultTable } from '../run/text.js';
import { writeTrace } from '../run/trace_file.js';
import { readScenario, registryIds } from '../scenarios.js';
import { numberArgument } from './link_options.js';
import { counted } from '../../text/counted.js';

interface RunFlags {
  list?: boolean;
  seed?: number;
  runs?: number;
  cell: CellChoice;
  set: Settings;
  trace?: string;
  json?: string;
  csv?: string;
  controller: string[];
  controllerTimeout: number;
}

const HELP = `
SCENARIO is an id (--list shows them) or a file. Each of its cells runs once, with the scenario's own
seed, unless --runs or --seed say otherwise; further runs use the following seeds. Published values are
shown next to the measured ones; \`ccscope reproduce\` does the same with the paper's number of runs.
A seed always gives the same numbers.

--controller replaces the controllers of all calls (media flows), or with FLOW= that of one, by another
one, in its default preset and with the same bounds: one of ccscope's, or the path of your own (.ts, .js,
.mjs, .wasm; see public/controllers/README.md). It may be repeated: --controller a=gcc --controller b=my.ts.
Your own runs in a worker. If it throws or returns an invalid rate, its flow keeps the last good one, the
run continues, and the exit status is 1; if it does not return, or allocates more than a gigabyte, it is
ended.
--set changes a setting in all cells, by its path in the scenario: --set forward.queue=codel,
--set flows.tcp.count=2. What a paper published is not shown beside a changed experiment.`;

/** Adds `ccscope run`. */
export function register(program: Command, io: Io): void {
  program
    .command('run')
    .description('simulate scenarios and print what was measured')
    .argument('[scenario...]', 'ids or files')
    .option('--list', 'list the scenarios that come with ccscope')
    .option('--seed <seed>', 'seed of the first run', numberArgument(0, 2 ** 52, { integer: true }))
    .option('--runs <number>', 'runs of each cell', numberArgument(1, 10_000, { integer: true }))
    .addOption(
      new Option('--cell <axis=value>', 'only cells with this value (may be repeated)')
        .default({}, 'all')
        .argParser(cellArgument),
    )
    .addOption(
      new Option('--set <path=value>', 'change a setting of the scenario (may be repeated)')
        .default({}, 'none')
        .argParser(settingArgument),
    )
    .addOption(
      new Option(
        '--controller <[flow=]name|path>',
        `controller of every call, or of one: ${CONTROLLER_NAMES.join(', ')}, or a file (may be repeated)`,
      )
        .default([], "the scenario's own")
        .argParser((text: string, before: string[]) => [...before, text]),
    )
    .option(
      '--controller-timeout <s>',
      'end a controller of your own after this many seconds without progress',
      numberArgument(0.1, 3600),
      10,
    )
    .option('--trace <file>', 'write the trace of the first run (of one cell) to a file')
    .option('--json <file>', 'write the results as JSON to a file, or to standard output with -')
    .option(
      '--csv <file>',
      'write the results as CSV to a file: one row for each metric of each cell; - is standard output',
    )
    .addHelpText('after', HELP)
    .action((scenarios: string[], flags: RunFlags, command: Command) => run(scenarios, flags, command, io));
}

async function run(names: readonly string[], flags: RunFlags, command: Command, io: Io): Promise<void> {
  if (flags.list === true) {
    io.stdout.write(listText(columnsOf(io)));
    return;
  }
  if (names.length === 0) {
    throw new UsageError('scenario: expected an id or a file; `ccscope run --list` shows the ids');
  }
  if (flags.json === '-' && flags.csv === '-')
    throw new UsageError(
      '--csv: cannot write to standard output, since --json does; give a file for one of them',
    );
  if (flags.trace === '-') throw new UsageError('--trace: expected a file, got -');
  const requested = await requestedControllers(flags.controller);
  const read: InputFile[] = controllerFiles(requested.map(({ controller }) => controller));
  const scenarios = names.map((name) => readScenario(name, { onRead: (file) => read.push(file) }));
  checkOutputs({ '--json': flags.json, '--csv': flags.csv, '--trace': flags.trace }, read);
  const plans = scenarios.map((scenario) => planOf(prepared(scenario, flags.set, requested), flags));
  const cells = plans.reduce((sum, plan) => sum + plan.cells.length, 0);
  if (flags.trace !== undefined && cells > 1) {
    throw new UsageError(
      `--trace: expected one cell, got ${cells}; choose one scenario, and one cell with --cell axis=value`,
    );
  }
  const about = await provenance(command);
  const shown = new RunProgress(plans, io);
  const results: RunResult[] = [];
  let runs: CellRunner | undefined;
  let ended: ControllerEnded | undefined;
  let isInterrupted = false;
  try {
    const own = await cellRunner(requested, flags.controllerTimeout);
    runs = own;
    isInterrupted = await interruptible(async (signal) => {
      for (const plan of plans) {
        const result = await runPlan(own, plan, { flags, about, shown, io, signal });
        if (result !== null) results.push(result);
        if (signal.aborted) return true;
      }
      return false;
    });
  } catch (error) {
    if (error instanceof ConfigError || error instanceof CoreError) throw new UsageError(error.message);
    if (!(error instanceof ControllerEnded)) throw error;
    ended = error;
  } finally {
    shown.clear();
    await runs?.close();
  }
  const faults = [...(runs?.faults ?? []), ...(ended === undefined ? [] : [endReport(ended)])];
  const controllers = runs?.controllers ?? [];
  if (isInterrupted && results.length === 0) throw new FailedRun('interrupted');
  const writeResults = async (json: string): Promise<void> => {
    const experiments = results.map(({ result }, i) => ({
      ...result,
      runs: plans[i]?.runs,
      seed: plans[i]?.seed,
      notes: plans[i]?.scenario.notes ?? [],
    }));
    const controller =
      ended?.controller ?? ([...new Set(controllers.map(({ name }) => name))].join(', ') || undefined);
    const replaced = controller === undefined ? {} : { controller, controllers, controller_faults: faults };
    await writeJson(
      json,
      { ...about, complete: !isInterrupted && ended === undefined, experiments, ...replaced },
      io,
    );
  };
  const writeRows = async (csv: string): Promise<void> => {
    const rows = results.map(({ result, measured }, i) => ({
      ...{ result: { ...result, cells: measured }, seed: plans[i]?.seed ?? NaN },
      controllers: controllersText(controllers),
    }));
    await writeText(csv, csvOfRuns(rows, about), io);
  };
  const writeTraces = (path: string): void => results.forEach(({ writeTraceTo }) => writeTraceTo(path));
  const { json, csv, trace } = flags;
  if (json !== '-' && csv !== '-') io.stdout.write(`${codeText(about)}\n`);
  await inTurn([
    ...(trace === undefined ? [] : [() => writeTraces(trace)]),
    ...(json === undefined ? [] : [() => writeResults(json)]),
    ...(csv === undefined ? [] : [() => writeRows(csv)]),
  ]);
  if (isInterrupted) throw new FailedRun('interrupted');
  if (faults.length > 0) throw new FailedRun(faults.map(faultLine).join('\n'));
}

/**
 * One entry for each scenario: its id and title, and on the next line the paper and the number of cells. Long lines
 * are wrapped between words.
 */
function listText(columns: number): string {
  const scenarios = registryIds().map((id) => readScenario(id));
  const idWidth = Math.max(...scenarios.map(({ id }) => id.length));
  const help = new Help();
  help.helpWidth = columns;
  const items = scenarios.map((scenario) => {
    const { id, title, paper, source } = scenario;
    const cells = cellsOf(scenario).length;
    const about = [paper, source, cells === 1 ? undefined : `${cells} cells`];
    const text = `${title}\n${about.filter((part) => part !== undefined).join(', ')}`;
    return help.formatItem(id, idWidth, text, help);
  });
  return items.map((item) => `${item}\n`).join('');
}

interface Plan {
  scenario: Scenario;
  cells: readonly CellParams[];
  runs: number;
  seed: number;
}

function planOf(scenario: Scenario, flags: RunFlags): Plan {
  const cells = chosenCells(scenario, flags.cell);
  return {
    scenario: withinCells(scenario, cells),
    cells,
    runs: flags.runs ?? 1,
    seed: flags.seed ?? seedOf(scenario, 0),
  };
}

/** Number of points in the chart over time. */
const CHART_POINTS = 60;

interface RunResult {
  result: ExperimentResult;
  /** What was measured in each cell. The result of a map contains no cells. */
  measured: ExperimentResult['cells'];
  /** Writes the trace of the first run of the only cell. */
  writeTraceTo: (path: string) => void;
}

interface PlanContext {
  flags: RunFlags;
  about: Provenance;
  shown: RunProgress;
  io: Io;
  signal: AbortSignal;
}

/** Runs a plan. After an interruption, the result covers the runs that were made; null if there are none. */
async function runPlan(
  runs: CellRunner,
  plan: Plan,
  { flags, about, shown, io, signal }: PlanContext,
): Promise<RunResult | null> {
  const { cells, seed } = plan;
  const results: CellValues[] = [];
  let batches: readonly TraceBatch[] = [];
  let tracedFaults: readonly FaultReport[] = [];
  const runsOf = async (cell: CellParams, values: Map<string, number[]>): Promise<void> => {
    for (let i = 0; i < plan.runs; i++) {
      const trace = i === 0 && cells.length === 1 ? traceOf(plan.scenario, cell, flags) : undefined;
      const task = { scenario: plan.scenario, cell, seed: seed + i, trace: trace ?? null, signal };
      const result = await runs.run(task, (share) => shown.at(plan.scenario, cell, share));
      if (trace !== undefined) ({ batches, faults: tracedFaults } = result);
      for (const [key, value] of result.values) values.set(key, [...(values.get(key) ?? []), value]);
      shown.done();
    }
  };
  for (const cell of cells) {
    const values = new Map<string, number[]>();
    try {
      await runsOf(cell, values);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (values.size > 0) results.push({ cell, values });
    if (signal.aborted) break;
  }
  if (results.length === 0 && signal.aborted) return null;
  const made = results.map(({ cell }) => cell);
  const scenario = withinCells(plan.scenario, made);
  const { surface } = scenario;
  // A scenario with a `surface` is shown as a map of all its cells. This needs all cells; a selection is shown as
  // a table.
  const isMap = surface !== undefined && made.length === cellsOf(scenario).length;
  const result = isMap ? judgeSurface(scenario, surface, results) : judge(scenario, results);
  const measured = isMap ? judge({ ...scenario, expectations: [], claims: [] }, results).cells : result.cells;
  if (flags.json !== '-' && flags.csv !== '-') {
    shown.clear();
    io.stdout.write(`${resultText({ ...plan, scenario, cells: made }, result, batches, runs.controllers)}\n`);
  }
  const writeTraceTo = (path: string): void => {
    const [cell = {}] = cells;
    const { controllers } = runs;
    const header = {
      ...about,
      ...traceHeader(scenario, cell, seed, replacedIn(controllers, scenario, cell)),
      ...(controllers.length > 0 && { controllers }),
    };
    writeTrace(path, header, batches, tracedFaults);
  };
  return { result, measured, writeTraceTo };
}

function traceOf(
  scenario: Scenario,
  cell: CellParams,
  flags: RunFlags,
): { tables: (typeof TABLE_SPECS)[number]['name'][]; intervalUs: number } {
  // `packet` is left out, since its row for each packet of each flow would make the file several times as large.
  const tables = TABLE_SPECS.map(({ name }) => name).filter((name) => name !== 'packet');
  if (flags.trace !== undefined) return { tables, intervalUs: 200e3 };
  const { duration_s } = instantiate(scenario, cell);
  return { tables: ['throughput'], intervalUs: (duration_s * 1e6) / CHART_POINTS };
}

const MAX_CHARTED_FLOWS = 12;

function resultText(
  plan: Plan,
  result: ExperimentResult,
  batches: readonly TraceBatch[],
  controllers: readonly UsedController[],
): string {
  const { scenario, cells, runs, seed } = plan;
  const [cell = {}] = cells;
  const instance = instantiate(scenario, cell);
  const replaced = replacedIn(controllers, scenario, cell);
  const names = compile(instance, seed).flows.map(({ name = '' }, flow) => {
    const controller = replaced.get(flow);
    return controller === undefined ? name : `${name} (${controller})`;
  });
  const about = [scenario.paper, scenario.source].filter((part) => part !== undefined).join(', ');
  const what = cells.length === 1 ? cellLabel(scenario, cell) : `${cells.length} cells`;
  const whose = controllersText(controllers);
  const fewer =
    runs < (scenario.runs ?? 1) ? ` (the scenario asks for ${scenario.runs}: --runs ${scenario.runs})` : '';
  const size = `${counted(runs, 'run')} of ${instance.duration_s} s, seed ${seed}${fewer}`;
  const charted = batches.length > 0 && names.length <= MAX_CHARTED_FLOWS ? chart(batches, names) : [];
  const report = experimentReport(scenario, result, { runs, cpuSeconds: 0 });
  const [published, claims] = [publishedTable(report), claimTable(report)];
  return [
    `${scenario.id}  ${scenario.title}${about === '' ? '' : ` (${about})`}`,
    `  ${[what, whose, size].filter((part) => part !== '').join(', ')}`,
    '',
    ...(report.surface === undefined
      ? resultTable(scenario, result, runs, replacedFlows(scenario, controllers))
      : surfaceLines(report.surface)),
    ...(published.length > 0 ? ['', ...published] : []),
    ...(claims.length > 0 ? ['', ...claims] : []),
    ...(charted.length > 0 ? ['', ...charted] : []),
    ...(scenario.notes === undefined ? [] : ['', ...scenario.notes.map((note) => `  note: ${note}`)]),
    '',
  ].join('\n');
}

/** The controllers as text: `controller nada`, or `controllers felix for a, nada for b`. */
function controllersText(controllers: readonly UsedController[]): string {
  const names = controllers.map(({ name, flow }) => (flow === undefined ? name : `${name} for ${flow}`));
  return names.length === 0 ? '' : `${names.length === 1 ? 'controller' : 'controllers'} ${names.join(', ')}`;
}

/** The names of the controllers that replaced the scenario's own, by the flow's name in the scenario. */
function replacedFlows(
  { flows }: Scenario,
  controllers: readonly UsedController[],
): ReadonlyMap<string, string> {
  const rest = controllers.find(({ flow }) => flow === undefined);
  return new Map(
    flows.flatMap(({ kind, name }): [string, string][] => {
      const used = controllers.find(({ flow }) => flow === name) ?? rest;
      return kind === 'tcp' || used === undefined ? [] : [[name, used.name]];
    }),
  );
}

/** Progress over the runs of all plans. */
class RunProgress {
  readonly #shown: Progress;
  #runs = 0;

  constructor(plans: readonly Plan[], io: Io) {
    const total = plans.reduce((sum, plan) => sum + plan.cells.length * plan.runs, 0);
    this.#shown = progress(io, total, { afterMs: 1000 });
  }

  at(scenario: Scenario, cell: CellParams, share: number): void {
    this.#shown.update(this.#runs + share, `${scenario.id} ${cellKey(cell)}`);
  }

  done(): void {
    this.#runs++;
  }

  clear(): void {
    this.#shown.clear();
  }
}
