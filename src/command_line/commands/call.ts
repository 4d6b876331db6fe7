import { fileURLToPath } from 'node:url';

import { Option, type Command } from 'commander';

import { parseRate } from '../../link/capacity_text.js';
import { VIDEO_CODECS, VIDEO_SIZE_NAMES } from '../../scenario/video_format.js';
import { runPageCall, type PagePlan } from '../call/page_call.js';
import { inputsOf, openServer, realCalls, twinCalls } from '../call/plan_series.js';
import { filesOfRuns, makeCalls, reportOf, type Series } from '../call/series.js';
import { reportText } from '../call/table.js';
import { TWIN_MACHINES, type CallReport } from '../call/types.js';
import { faultLine } from '../controllers/controllers.js';
import { FailedRun, UsageError } from '../../text/errors.js';
import { interruptible } from '../interrupt.js';
import { checkOutputs, writeJson, type InputFile, type Io } from '../io.js';
import { SHADOW } from '../../calls/record/shadow_flow.js';
import { callMatrix } from './call_matrix.js';
import {
  checkTwin,
  controllerArgument,
  controllersArgument,
  frameRateArgument,
  pagePlanOf,
  plansOf,
  presetArgument,
  setArgument,
  shadowArgument,
  sourceArgument,
  urlArgument,
  type CallFlags,
} from './call_options.js';
import { addLinkOptions, argument, choice, millisecondsArgument, numberArgument } from './link_options.js';

const HELP = `
Each run is a call in a new Chromium, through the shaper. With several controllers the runs alternate,
so that all meet the same conditions. Utilisation and queuing delay cover the last two thirds of a run;
losses and the time to 90 % of the capacity cover the whole run.
With --url your own pages make the calls, unmodified: all their connections pass one link, which treats
both directions alike, and the numbers are those of the direction that carries more. The options of the
link and --duration, --runs, --until-quiet, --pages, --click, --trace, --html and --json go with --url;
all others are about ccscope's own page.
With --twin the calls are simulated, with the same report; --matrix runs every combination of a file's
links, controllers and sources, real or simulated (src/command_line/call/README.md describes the file).
A run on a machine that was too busy is marked: its numbers reflect the machine.
With several runs, the FILE names of --trace and --html get the controller and the number of the run
before their extension.`;

/** Adds `ccscope call`. */
export function register(program: Command, io: Io): void {
  const command = program
    .command('call')
    .description('make real calls in a headless Chromium over a shaped link, and measure them')
    .addOption(
      new Option(
        '--controller <names>',
        'gcc, nada, lcc, native (the browser’s own) or a file of your own; several joined by commas',
      )
        .default([{ name: 'gcc', text: 'gcc' }], 'gcc')
        .argParser(controllersArgument),
    )
    .option(
      '--compare <name>',
      'another controller, whose runs alternate with the first’s',
      controllerArgument,
    )
    .addOption(
      new Option(
        '--shadow <name>',
        'a controller, preset or file that only watches: what would it have asked for? (may be repeated)',
      )
        .default([], 'none')
        .argParser(shadowArgument),
    )
    .option('--preset <preset>', 'preset of the controller (default: its own for calls)', presetArgument)
    .addOption(
      new Option('--set <name=value>', 'set a parameter of the controller (may be repeated)')
        .default({}, 'none')
        .argParser(setArgument),
    )
    .addOption(
      choice('--mode <mode>', 'who decides the bitrate (default: control; native: observe)', [
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
    .addOption(
      new Option(
        '--until-quiet [times]',
        'repeat a run whose machine was overloaded, up to this many times (3 if none is given)',
      )
        .preset('3')
        .argParser(numberArgument(1, 100, { integer: true })),
    )
    .option(
      '--key-frame-interval <time>',
      'how often a key frame is forced (default: none)',
      millisecondsArgument(100),
    )
    .addOption(
      new Option(
        '--source <what>',
        'synthetic, test-picture, fractal, noise, text (ffmpeg makes these four once) or a file (.y4m, .mjpeg)',
      )
        .default('synthetic', 'synthetic')
        .argParser(sourceArgument),
    )
    .addOption(
      choice('--size <size>', 'size of the pictures; a file has its own (default: 360p)', VIDEO_SIZE_NAMES),
    )
    .option(
      '--fps <rate>',
      '15 or 30 frames per second; a file has its own rate (default: 30)',
      frameRateArgument,
    )
    .addOption(choice('--codec <codec>', 'video codec', VIDEO_CODECS).default('vp8'))
    .option('--audio', 'send a voice beside the video, over the same link')
    .addOption(
      new Option('--source-max <rate>', 'most that the source sends')
        .default(2_500_000, '2.5mbps')
        .argParser(argument((text: string) => parseRate(text))),
    )
    .option(
      '--matrix <file>',
      'all combinations of the links, controllers and sources in this file, in one report; or the name of one that comes with ccscope (live)',
    )
    .option('--twin', 'simulate the calls instead of making them: the same link, source and controllers')
    .addOption(
      choice('--machine <load>', 'with --twin: how busy the machine is (default: idle)', TWIN_MACHINES),
    )
    .addOption(
      new Option(
        '--url <address>',
        'drive this page instead of ccscope’s own (may be repeated: one page each)',
      )
        .default([], 'none')
        .argParser(urlArgument),
    )
    .option(
      '--pages <number>',
      'with one --url: how many pages of it make the call (default: 2)',
      numberArgument(1, 8, { integer: true }),
    )
    .addOption(
      new Option(
        '--click <selector>',
        'with --url: click this on each page once it has loaded (may be repeated)',
      )
        .default([], 'none')
        .argParser((selector: string, before: string[]) => [...before, selector]),
    )
    .option('--trace <file>', 'write the recorded trace (NDJSON)')
    .option(
      '--html <file>',
      'with --url: an interactive chart of the call; with --matrix: its report; one file',
    )
    .option('--json <file>', 'write the report as JSON to a file, or to standard output with -')
    .addHelpText('after', HELP)
    .action((flags: CallFlags) => {
      const isGiven: IsGiven = (flag) => command.getOptionValueSource(flag) === 'cli';
      if (flags.matrix === undefined) return call(flags, io, isGiven);
      const given = Object.keys(flags).filter((flag) => command.getOptionValueSource(flag) === 'cli');
      return callMatrix(flags.matrix, flags, given, io);
    });
}

type IsGiven = (flag: keyof CallFlags) => boolean;

async function call(flags: CallFlags, io: Io, isGiven: IsGiven): Promise<void> {
  const { controllers, read, make } = planned(flags, isGiven, io);
  for (const name of ['trace', 'html'] as const)
    if (flags[name] === '-') throw new UsageError(`--${name}: expected a file, got -`);
  const ofRuns = (file: string | undefined): string[] =>
    file === undefined ? [] : filesOfRuns(file, controllers, flags.runs);
  checkOutputs({ '--json': flags.json, '--trace': ofRuns(flags.trace), '--html': ofRuns(flags.html) }, read);
  const { calls, close } = await make();
  try {
    await interruptible((signal) => makeAndReport(calls, flags, signal, io));
  } finally {
    await close();
  }
  // A fault of the controller in charge makes the command fail, since the measurements do not show how this
  // controller works. A fault of a shadow leaves the measurements valid.
  const faults = calls.flatMap(({ runs }) => runs).flatMap((run) => run.controller_faults);
  const inCharge = faults.filter(({ flow }) => flow === 0);
  if (inCharge.length > 0) throw new FailedRun(inCharge.map(faultLine).join('\n'));
}

async function makeAndReport(
  calls: readonly Series[],
  flags: CallFlags,
  signal: AbortSignal,
  io: Io,
): Promise<void> {
  const { runs, trace, html, untilQuiet: again } = flags;
  try {
    await makeCalls(calls, { runs, trace, html, again, signal, io });
  } finally {
    // Even if a run failed, the runs before it are reported.
    const report = reportOf(calls);
    if (report !== null) await writeReport(report, flags, io);
  }
}

interface Planned {
  /** The controllers of the calls, in the order of the calls. */
  controllers: readonly string[];
  /** The files that the calls read. */
  read: readonly InputFile[];
  /** Prepares the calls. */
  make(): Promise<{ calls: Series[]; close(): Promise<void> }>;
}

/** Checks the options. Throws UsageError. */
function planned(flags: CallFlags, isGiven: IsGiven, io: Io): Planned {
  if (flags.url.length > 0) {
    const plan = pagePlanOf(flags, isGiven);
    const calls = [pageCalls(plan)];
    const files = plan.urls
      .map((url) => new URL(url))
      .filter(({ protocol, hostname }) => protocol === 'file:' && hostname === '');
    return {
      controllers: calls.map(({ head }) => head.controller),
      read: files.map((url) => ({ what: 'page', path: fileURLToPath(url) })),
      make: () => Promise.resolve({ calls, close: () => Promise.resolve() }),
    };
  }
  for (const flag of ['pages', 'click', 'html'] as const) {
    const needs = flag === 'html' ? '--url or --matrix; add one' : '--url; add it';
    if (isGiven(flag)) throw new UsageError(`--${flag}: needs ${needs}, or remove --${flag}`);
  }
  const plans = plansOf(flags);
  const controllers = plans.map(({ controller }) => controller);
  const read = inputsOf(plans);
  if (flags.twin === true) {
    checkTwin(plans, isGiven);
    const calls = plans.map((plan) => twinCalls(plan, flags.machine ?? 'idle'));
    return { controllers, read, make: () => Promise.resolve({ calls, close: () => Promise.resolve() }) };
  }
  if (flags.machine !== undefined)
    throw new UsageError('--machine: needs --twin; add it, or remove --machine');
  const make = async () => {
    const server = await openServer(plans, io);
    return { calls: plans.map((plan) => realCalls(plan, server)), close: () => server.close() };
  };
  return { controllers, read, make };
}

async function writeReport(report: CallReport, flags: CallFlags, io: Io): Promise<void> {
  const { json } = flags;
  if (json !== '-') io.stdout.write(reportText(report));
  if (json !== undefined) await writeJson(json, report, io);
}

/** Calls of pages that are not part of ccscope. */
function pageCalls(plan: PagePlan): Series {
  const { urls, link, durationMs } = plan;
  const { preset } = SHADOW;
  return {
    head: {
      mode: 'observe',
      controller: 'native',
      urls,
      preset,
      parameters: {},
      link,
      duration_s: durationMs / 1e3,
    },
    browser: '',
    runs: [],
    setAside: [],
    make: (context) => runPageCall(plan, context),
  };
}
