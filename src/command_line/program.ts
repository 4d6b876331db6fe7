import { Command, CommanderError } from 'commander';

import { TraceError } from '../trace/index.js';
import { register as attach } from './commands/attach.js';
import { register as call } from './commands/call.js';
import { register as incidents } from './commands/incidents.js';
import { register as replay } from './commands/replay.js';
import { register as reproduce } from './commands/reproduce.js';
import { register as runScenarios } from './commands/run.js';
import { register as serve } from './commands/serve.js';
import { register as shape } from './commands/shape.js';
import { register as trend } from './commands/trend.js';
import { FailedRun, systemCode, UsageError } from '../text/errors.js';
import { plain } from '../text/plain.js';
import type { Io } from './io.js';
import { version } from '../html/version.js';

/** The program with all its commands. */
export function createProgram(io: Io = process): Command {
  const program = new Command('ccscope')
    .description('An oscilloscope and workbench for WebRTC congestion control.')
    .version(version())
    .showHelpAfterError('(--help shows the usage)')
    .showSuggestionAfterError()
    .allowExcessArguments()
    .exitOverride();
  program.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
  });
  // Commands must be added after the settings above: a command inherits the settings at the time of its creation.
  for (const register of [call, attach, runScenarios, reproduce, replay, incidents, shape, serve, trend])
    register(program, io);
  program.hook('preAction', (_program, command) => {
    const { registeredArguments: taken } = command;
    const [extra] = taken.at(-1)?.variadic === true ? [] : command.args.slice(taken.length);
    if (extra !== undefined) throw new UsageError(tooMany(command.name(), extra));
  });
  return program;
}

const UNIT = /^([kmg]?bps|m?s|%)$/i;

/** The message for an argument that a command does not accept, such as the unit in `--capacity 600 kbps`. */
function tooMany(command: string, extra: string): string {
  const hint = UNIT.test(extra) ? `. Write a number and its unit together, such as 600${extra}` : '';
  return `too many arguments for '${command}': it does not take ${JSON.stringify(plain(extra))}${hint} (--help shows the usage)`;
}

/** Runs a command line and returns its exit status. Messages go to standard error. */
export async function run(args: readonly string[], io: Io = process): Promise<number> {
  const written = watchOutput(io);
  const status = await runCommand(args, io);
  const failure = await written();
  if (failure === null) return status;
  io.stderr.write(`standard output cannot be written (${systemCode(failure) ?? failure.message})\n`);
  return 1;
}

async function runCommand(args: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError || error instanceof TraceError) {
      io.stderr.write(`${message}\n`);
      return 2;
    }
    const text = error instanceof FailedRun || !(error instanceof Error) ? message : (error.stack ?? message);
    io.stderr.write(`${text}\n`);
    return 1;
  }
}

/**
 * Listens to the write errors of the streams, since an unhandled error event would end the process. Returns a
 * function that waits until everything has been written. That function returns the first failure of standard
 * output, or null. It is not a failure if the reader closes the pipe, as `head` does.
 */
function watchOutput({ stdout, stderr }: Io): () => Promise<Error | null> {
  let failure: Error | null = null;
  stdout.on('error', (error) => {
    if (systemCode(error) !== 'EPIPE') failure ??= error;
  });
  stderr.on('error', () => undefined);
  return async () => {
    for (const stream of [stdout, stderr]) await new Promise<void>((done) => stream.write('', () => done()));
    return failure;
  };
}
