import { accessSync, constants } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';

import { SingleBar } from 'cli-progress';
import { InvalidArgumentError, Option, type Command } from 'commander';

import { ParameterProblem, parameterNames, parameterValue, presetNames } from '../../trace/index.js';
import { ConfigError, parseRate } from '../../scenario/link_config.js';
import { runCall, type RunResult } from '../call/run.js';
import { ratios, summarise } from '../call/summary.js';
import { reportText } from '../call/table.js';
import type {
  CallMode,
  CallPlan,
  CallReport,
  Controller,
  ControllerReport,
  RunReport,
} from '../call/types.js';
import { FailedRun, systemCode, UsageError } from '../errors.js';
import { fileOutput, writeJson, type Io } from '../io.js';
import { startServer, type ServerOptions } from '../server.js';
import type { Shaper } from '../shaper.js';
import { didYouMean } from '../suggest.js';
import {
  addLinkOptions,
  argument,
  linkConfigOf,
  millisecondsArgument,
  numberArgument,
  type LinkFlags,
} from './link_options.js';

interface CallFlags extends LinkFlags {
  controller: Controller[];
  compare?: Controller;
  preset: string;
  set: Record<string, number>;
  mode?: CallMode;
  duration?: number;
  runs: number;
  keyFrameInterval?: number;
  sourceMax: number;
  trace?: string;
  json?: string;
}

const CONTROLLERS: readonly Controller[] = ['gcc', 'native'];
const DEFAULT_DURATION_MS = 60_000;

const HELP = `
Each run is a call in a Chromium of its own, through the shaper. With two controllers the runs
alternate, so that both meet the same minutes. Utilisation and queuing delay are those of the last
two thirds of a run, losses and the time to 90 % of the capacity those of all of it.
With several runs, FILE of --trace gets the controller and the number of the run before its ending.`;

/** Adds `ccscope call`. */
export function register(program: Command, io: Io): void {
  const command = program
    .command('call')
    .description('make real calls in a headless Chromium over a shaped link, and measure them')
    .option(
      '--controller <names>',
      'gcc, native (the browser’s own) or both, joined by a comma',
      controllersArgument,
      ['gcc'],
    )
    .addOption(
      new Option('--compare <name>', 'another controller, whose runs alternate with the first’s').choices(
        CONTROLLERS,
      ),
    )
    .option('--preset <preset>', 'preset of the controller', presetArgument, 'gcc-live')
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

function controllersArgument(text: string): Controller[] {
  const names = text.split(',');
  const known = names.filter((name): name is Controller =>
    CONTROLLERS.some((controller) => controller === name),
  );
  if (known.length === names.length && new Set(known).size === known.length) return known;
  throw new InvalidArgumentError('Expected gcc, native, or both joined by a comma.');
}

function presetArgument(name: string): string {
  if (presetNames.includes(name)) return name;
  throw new InvalidArgumentError(
    `Expected one of ${presetNames.join(', ')}.${didYouMean(name, presetNames)}`,
  );
}

function setArgument(text: string, before: Record<string, number>): Record<string, number> {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (!parameterNames.includes(name)) {
    throw new InvalidArgumentError(
      `Expected name=value with a parameter’s name.${didYouMean(name, parameterNames)}`,
    );
  }
  try {
    return { ...before, [name]: parameterValue(name, value) };
  } catch (error) {
    if (error instanceof ParameterProblem) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** One plan for each controller, the first one's report being the main one. Throws UsageError. */
function plansOf(flags: CallFlags): CallPlan[] {
  const controllers = [...flags.controller];
  if (flags.compare !== undefined && !controllers.includes(flags.compare)) controllers.push(flags.compare);
  if (
    flags.mode !== undefined &&
    flags.mode !== 'observe' &&
    controllers.every((name) => name === 'native')
  ) {
    throw new UsageError('--mode: expected observe with --controller native; remove --mode');
  }
  return controllers.map((controller) => ({
    controller,
    mode: controller === 'native' ? 'observe' : (flags.mode ?? 'control'),
    preset: flags.preset,
    set: flags.set,
    link: linkOf(flags),
    durationMs: flags.duration ?? DEFAULT_DURATION_MS,
    keyFrameIntervalS: (flags.keyFrameInterval ?? 0) / 1e3,
    sourceMaxBps: flags.sourceMax,
    seed: flags.seed,
  }));
}

function linkOf(flags: CallFlags): CallPlan['link'] {
  try {
    return linkConfigOf(flags);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

async function call(flags: CallFlags, io: Io): Promise<void> {
  const plans = plansOf(flags);
  for (const file of [flags.json, flags.trace]) if (file !== undefined && file !== '-') checkFolder(file);
  const stop = new AbortController();
  const abort = (): void => stop.abort(new FailedRun('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, abort);
  try {
    const report = await makeCalls(plans, flags, stop.signal, io);
    if (flags.json !== undefined) await writeJson(flags.json, report, io);
    if (flags.json !== '-') io.stdout.write(reportText(report));
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, abort);
  }
}

async function makeCalls(
  plans: readonly CallPlan[],
  flags: CallFlags,
  signal: AbortSignal,
  io: Io,
): Promise<CallReport> {
  let onLink: ServerOptions['onLink'];
  const server = await startServer({ record: true, onLink: (shaper) => onLink?.(shaper) });
  const bar = progress(io, plans.length * flags.runs);
  const reports = plans.map((plan) => ({ plan, browser: '', runs: [] as RunReport[] }));
  let done = 0;
  try {
    for (let run = 1; run <= flags.runs; run++) {
      for (const report of reports) {
        const { plan } = report;
        const result = await runCall(plan, {
          url: server.url,
          nextShaper: () => new Promise<Shaper>((resolve) => (onLink = resolve)),
          signal,
          onProgress: (share) => bar.update(done + Math.min(1, share), `${plan.controller}, run ${run}`),
          wantTrace: flags.trace !== undefined,
        });
        report.runs.push(result.report);
        report.browser = result.browser;
        await keepTrace(flags, plans.length * flags.runs, plan, run, result);
        bar.update(++done, `${plan.controller}, run ${run}`);
      }
    }
  } finally {
    bar.stop();
    await server.close();
  }
  return reportOf(reports.map(controllerReport));
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

function controllerReport({
  plan,
  browser,
  runs,
}: {
  plan: CallPlan;
  browser: string;
  runs: RunReport[];
}): ControllerReport {
  const { mode, controller, preset, set, link, durationMs } = plan;
  const summary = summarise(runs);
  return {
    mode,
    controller,
    preset,
    parameters: set,
    link,
    duration_s: durationMs / 1e3,
    browser,
    runs,
    summary,
  };
}

function reportOf([first, second]: ControllerReport[]): CallReport {
  if (first === undefined) throw new Error('no controller was run');
  if (second === undefined) return first;
  return { ...first, comparison: { [second.controller]: second, ratios: ratios(first.runs, second.runs) } };
}

/** Minutes of calls must not end in a file that cannot be made. Throws UsageError. */
function checkFolder(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `${file}: its folder cannot be written to (${systemCode(error) ?? 'unknown error'})`,
    );
  }
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
