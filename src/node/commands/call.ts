import { extname } from 'node:path';

import { SingleBar } from 'cli-progress';
import { Option, type Command } from 'commander';

import { parseRate } from '../../scenario/link_config.js';
import { runCall, type RunResult } from '../call/run.js';
import { ratios, summarise } from '../call/summary.js';
import { reportText } from '../call/table.js';
import type { CallPlan, CallReport, ControllerReport, RunReport } from '../call/types.js';
import { faultLine, loadControllerFile } from '../controllers.js';
import { FailedRun, UsageError } from '../errors.js';
import { checkFolder, fileOutput, writeJson, type Io } from '../io.js';
import { startServer, type ServedController, type ServerOptions } from '../server.js';
import type { Shaper } from '../shaper/shaper.js';
import {
  controllerArgument,
  controllersArgument,
  plansOf,
  presetArgument,
  setArgument,
  shadowArgument,
  type CallFlags,
} from './call_options.js';
import { addLinkOptions, argument, millisecondsArgument, numberArgument } from './link_options.js';

const HELP = `
Each run is a call in a Chromium of its own, through the shaper. With several controllers the runs
alternate, so that all meet the same minutes. Utilisation and queuing delay are those of the last
two thirds of a run, losses and the time to 90 % of the capacity those of all of it.
With several runs, FILE of --trace gets the controller and the number of the run before its ending.`;

/** Adds `ccscope call`. */
export function register(program: Command, io: Io): void {
  const command = program
    .command('call')
    .description('make real calls in a headless Chromium over a shaped link, and measure them')
    .option(
      '--controller <names>',
      'gcc, nada, lcc, native (the browser’s own) or a file of your own; several joined by commas',
      controllersArgument,
      [{ name: 'gcc', text: 'gcc' }],
    )
    .option(
      '--compare <name>',
      'another controller, whose runs alternate with the first’s',
      controllerArgument,
    )
    .option(
      '--shadow <name>',
      'a controller, preset or file that only watches: what would it have asked for? (may be repeated)',
      shadowArgument,
      [],
    )
    .option('--preset <preset>', 'preset of the controller (default: its own for calls)', presetArgument)
    .option('--set <name=value>', 'set a parameter of the controller (may be repeated)', setArgument, {})
    .addOption(
      new Option('--mode <mode>', 'who decides the bitrate (default: control; native: observe)').choices([
        'control',
        'cap',
        'observe',
      ]),
    );
  addLinkOptions(command)
    .option(
      '--duration <time>',
      'length of a run from its first packet on (default: 60s)',
      millisecondsArgument(3000),
    )
    .option('--runs <number>', 'runs of each controller', numberArgument(1, 1000, { integer: true }), 1)
    .option(
      '--key-frame-interval <time>',
      'force a key frame each so often (default: none)',
      millisecondsArgument(100),
    )
    .option(
      '--source-max <rate>',
      'most that the source sends',
      argument((text) => parseRate(text)),
      2_500_000,
    )
    .option('--trace <file>', 'write the recorded trace (NDJSON)')
    .option('--json <file>', 'write the report as JSON to a file, or to standard output with -')
    .addHelpText('after', HELP)
    .action((flags: CallFlags) => call(flags, io));
}

async function call(flags: CallFlags, io: Io): Promise<void> {
  const plans = plansOf(flags);
  if (flags.trace === '-') throw new UsageError('--trace: expected a file, got -');
  for (const file of [flags.json, flags.trace]) if (file !== undefined && file !== '-') checkFolder(file);
  const controllers = await filesOf(plans);
  const stop = new AbortController();
  const abort = (): void => stop.abort(new FailedRun('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, abort);
  const calls = plans.map((plan): Calls => ({ plan, browser: '', runs: [] }));
  try {
    await makeCalls(calls, flags, controllers, stop.signal, io);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, abort);
    // Also when one failed: those before it are worth knowing.
    const report = reportOf(calls.filter(({ runs }) => runs.length > 0).map(controllerReport));
    if (report !== null) await writeReport(report, flags, io);
  }
  // What was measured is then not what the controller does; a shadow's fault changes nothing of that.
  const faults = calls.flatMap(({ runs }) => runs).flatMap((run) => run.controller_faults);
  const inCharge = faults.filter(({ flow }) => flow === 0);
  if (inCharge.length > 0) throw new FailedRun(inCharge.map(faultLine).join('\n'));
}

/** The users' controllers of all plans, bundled, each once. Throws UsageError. */
async function filesOf(plans: readonly CallPlan[]): Promise<ServedController[]> {
  const paths = new Map(plans.flatMap(({ files }) => files).map(({ name, path }) => [name, path]));
  const reading = [...paths].map(async ([name, path]) => ({ ...(await loadControllerFile(path)), name }));
  return Promise.all(reading);
}

async function writeReport(report: CallReport, flags: CallFlags, io: Io): Promise<void> {
  if (flags.json !== undefined) await writeJson(flags.json, report, io);
  if (flags.json !== '-') io.stdout.write(reportText(report));
}

/** The runs of one controller so far. */
interface Calls {
  plan: CallPlan;
  browser: string;
  runs: RunReport[];
}

/** Makes the calls, the controllers by turns, and adds what they measured. Throws FailedRun. */
async function makeCalls(
  calls: readonly Calls[],
  flags: CallFlags,
  controllers: readonly ServedController[],
  signal: AbortSignal,
  io: Io,
): Promise<void> {
  let onLink: ServerOptions['onLink'];
  const server = await startServer({
    record: true,
    controllers,
    onLink: (shaper) => onLink?.(shaper),
  });
  const total = calls.length * flags.runs;
  const bar = progress(io, total);
  try {
    for (let made = 0; made < total; made++) {
      const own = calls[made % calls.length];
      if (own === undefined) break;
      const run = own.runs.length + 1;
      const what = `${own.plan.controller}, run ${run}`;
      bar.update(made, what);
      const result = await runCall(own.plan, {
        url: server.url,
        nextShaper: () => new Promise<Shaper>((resolve) => (onLink = resolve)),
        signal,
        onProgress: (share) => bar.update(made + Math.min(1, share), what),
        wantTrace: flags.trace !== undefined,
      });
      own.runs.push(result.report);
      own.browser = result.browser;
      await keepTrace(flags, total, own.plan, run, result);
    }
  } finally {
    bar.stop();
    await server.close();
  }
}

async function keepTrace(
  flags: CallFlags,
  total: number,
  plan: CallPlan,
  run: number,
  { trace }: RunResult,
): Promise<void> {
  if (flags.trace === undefined || trace === null) return;
  const ending = extname(flags.trace);
  const stem = flags.trace.slice(0, flags.trace.length - ending.length);
  const output = fileOutput(total === 1 ? flags.trace : `${stem}.${plan.controller}-${run}${ending}`);
  output.write(trace);
  await output.end();
}

function controllerReport({ plan, browser, runs }: Calls): ControllerReport {
  const { mode, controller, preset, set, link, durationMs } = plan;
  const summary = summarise(runs);
  return {
    mode,
    controller,
    preset: preset ?? null,
    parameters: set,
    link,
    duration_s: durationMs / 1e3,
    browser,
    runs,
    summary,
  };
}

function reportOf([first, ...others]: ControllerReport[]): CallReport | null {
  const [second] = others;
  if (first === undefined) return null;
  if (second === undefined) return first;
  const compared = Object.fromEntries(others.map((other) => [other.controller, other]));
  return { ...first, comparison: { ...compared, ratios: ratios(first.runs, second.runs) } };
}

interface Progress {
  update(runsDone: number, what: string): void;
  stop(): void;
}

/** A bar on a terminal, nothing elsewhere. */
function progress(io: Io, runs: number): Progress {
  if (io.stderr.isTTY !== true) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    stream: io.stderr,
    format: '{bar} {percentage} %  {what}',
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(runs, 0, { what: 'starting' });
  return { update: (runsDone, what) => bar.update(runsDone, { what }), stop: () => bar.stop() };
}
