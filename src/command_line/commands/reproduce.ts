import { Option, type Command } from 'commander';

import type { Scenario } from '../../scenario/index.js';
import { didYouMean } from '../../text/suggest.js';
import { codeText } from '../../text/code_text.js';
import { FailedRun, UsageError } from '../../text/errors.js';
import { interruptible } from '../interrupt.js';
import { checkOutputs, inTurn, writeJson, writeText, type InputFile, type Io } from '../io.js';
import { progress } from '../progress.js';
import { provenance } from '../provenance.js';
import { cellArgument, chosenCells, withAuthors, withinCells, type CellChoice } from '../run/prepared.js';
import { reportHtml } from '../../papers/html.js';
import { reproduce as run, type Reproduction } from '../../papers/reproduce.js';
import { reportText } from '../../papers/table.js';
import { readScenario, registryIds } from '../scenarios.js';
import { version } from '../../html/version.js';
import { numberArgument } from './link_options.js';
import { counted } from '../../text/counted.js';

interface ReproduceFlags {
  cell: CellChoice;
  paper?: string;
  runs?: number;
  jobs?: number;
  seed?: number;
  json?: string;
  html?: string;
  strict?: true;
  full?: true;
  why?: true;
}

const HELP = `
ID is the id of an experiment or the file of a scenario; without one, all experiments of all papers run.
Run i of a cell uses the seed of the scenario (or --seed) plus i: the results do not depend on --jobs.
Verdicts: within (the mean lies in the band), ordering (it does not, but what the paper says of this very
number was tested over the runs and holds), off (neither). A verdict is a result: the exit status is 0
unless runs fail, or --strict is given. "±" is half of the 95 % interval of the mean.`;

/** Adds `ccscope reproduce`. */
export function register(program: Command, io: Io): void {
  program
    .command('reproduce')
    .description("run the papers' experiments and compare the results with the published ones")
    .argument('[id...]', 'experiments, such as ton-fig11')
    .option('--paper <paper>', 'the experiments of one paper, such as gcc-ton-2017')
    .option(
      '--runs <n>',
      'runs of each cell instead of those of the paper',
      numberArgument(1, 10_000, { integer: true }),
    )
    .option(
      '--jobs <n>',
      'runs at a time (default: one per core)',
      numberArgument(1, 1024, { integer: true }),
    )
    .option('--seed <n>', 'seed of the first run of each cell', numberArgument(0, 2 ** 52, { integer: true }))
    .addOption(
      new Option('--cell <axis=value>', 'only cells with this value (may be repeated)')
        .default({}, 'all')
        .argParser(cellArgument),
    )
    .option('--json <file>', 'write the report as JSON to a file, or to standard output with -')
    .option('--html <file>', 'write the report as one page with pictures')
    .option('--full', 'maps with all their points: 120,000 runs for ton-fig5, 40 minutes on two cores')
    .option('--why', 'give the reasons of bands and of misses, and say how each claim is tested')
    .option('--strict', 'exit with 1 when a number is off')
    .addHelpText('after', HELP)
    .action((ids: string[], flags: ReproduceFlags, command: Command) => reproduce(ids, flags, command, io));
}

async function reproduce(
  ids: readonly string[],
  flags: ReproduceFlags,
  command: Command,
  io: Io,
): Promise<void> {
  const read: InputFile[] = [];
  const scenarios = chosen(ids, flags, read).map((scenario) =>
    withCells(withAuthors(scenario, []), flags.cell),
  );
  const twice = scenarios.find(({ id }, i) => scenarios.findIndex((each) => each.id === id) !== i);
  if (twice !== undefined)
    throw new UsageError(
      `expected scenarios with different ids, got two with ${twice.id}; change the \`id\` in one of the files`,
    );
  const about = await provenance(command);
  if (flags.html === '-') throw new UsageError('--html: expected a file, got -');
  checkOutputs({ '--json': flags.json, '--html': flags.html }, read);
  const done = await interruptible((signal) => runAll(scenarios, flags, signal, io));
  await writeReport({ ...done, report: { ...done.report, ...about } }, flags, io);
}

/** The scenario with only some of its cells. Throws UsageError. */
function withCells(scenario: Scenario, choice: CellChoice): Scenario {
  if (Object.keys(choice).length === 0) return scenario;
  const cells = chosenCells(scenario, choice).map((cell) => ({ ...cell }));
  if (scenario.surface === undefined) return { ...withinCells(scenario, cells), cells };
  throw new UsageError(
    `--cell: ${scenario.id} draws a map of all of its cells, so it needs all of them; remove --cell`,
  );
}

async function runAll(
  scenarios: readonly Scenario[],
  { runs, jobs, seed, html }: ReproduceFlags,
  signal: AbortSignal,
  io: Io,
): Promise<Reproduction> {
  const bar = progress(io, 1, { withEta: true });
  try {
    return await run(scenarios, {
      ...(runs !== undefined && { runs }),
      ...(seed !== undefined && { seed }),
      ...(jobs !== undefined && { threads: jobs }),
      pictures: html !== undefined,
      version: version(),
      signal,
      onProgress: (done, { scenario }) => bar.update(done, scenario.id),
    });
  } finally {
    bar.clear();
  }
}

async function writeReport({ report, pictures }: Reproduction, flags: ReproduceFlags, io: Io): Promise<void> {
  const { json, html, strict, why = false } = flags;
  if (json !== '-')
    io.stdout.write(
      `${reportText(report, { colours: usesColours(io), short: io.stdout.isTTY === true, why })}${codeText(report)}\n`,
    );
  await inTurn([
    ...(html === undefined ? [] : [() => writeText(html, reportHtml(report, pictures), io)]),
    ...(json === undefined ? [] : [() => writeJson(json, report, io)]),
  ]);
  const {
    complete,
    failures,
    summary: { numbers },
  } = report;
  if (complete === false) throw new FailedRun('interrupted');
  if (failures.length > 0) throw new FailedRun(`${counted(failures.length, 'run')} failed`);
  if (strict === true && numbers.off > 0)
    throw new FailedRun(
      `${numbers.off} ${numbers.off === 1 ? 'number is' : 'numbers are'} rated "off"; the report shows which`,
    );
}

const usesColours = ({ stdout }: Io): boolean =>
  stdout.isTTY === true && process.env['NO_COLOR'] === undefined;

/** The requested experiments. Adds the files that are read to `read`. Throws UsageError. */
function chosen(ids: readonly string[], { paper, full }: ReproduceFlags, read: InputFile[]): Scenario[] {
  const names = ids.length > 0 ? [...new Set(ids)] : registryIds();
  const all = names.map((name) =>
    readScenario(name, { full: full === true, onRead: (file) => read.push(file) }),
  );
  if (paper === undefined) return all;
  const found = all.filter((scenario) => scenario.paper === paper);
  if (found.length > 0) return found;
  const papers = [...new Set(all.flatMap((scenario) => scenario.paper ?? []))];
  const hint = didYouMean(paper, papers);
  throw new UsageError(`--paper: expected one of ${papers.join(', ')}, got ${paper}.${hint}`);
}
