/** Runs the command line as a process, and finds the processes that the command starts. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { withoutProgress } from '../support/progress_lines.js';

const cli = fileURLToPath(new URL('../../dist/lib/command_line/cli.js', import.meta.url));

export interface Outcome {
  /** The exit code; null if a signal ended the process. */
  status: number | null;
  stdout: string;
  /** Standard error without the lines of progress. */
  stderr: string;
}

export interface Command {
  child: ChildProcess;
  outcome: Promise<Outcome>;
  /** Resolves with the first match in the standard output; rejects if the process ends without one. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts the built command. */
export function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Command {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const outcome = once(child, 'close').then(([status]) => ({
    status: status as number | null,
    stdout,
    stderr: withoutProgress(stderr),
  }));
  const said = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(stdout);
        if (match !== null) resolve(match);
      };
      child.stdout.on('data', look);
      look();
      void outcome.then(({ status, stderr: why }) =>
        reject(new Error(`ended with ${status} before it said ${String(pattern)}: ${stdout}${why}`)),
      );
    });
  return { child, outcome, said };
}

/** A process as listed in /proc (Linux). */
export interface Process {
  pid: number;
  parent: number;
  /** The process's command line. */
  text: string;
}

/** Reads a process from /proc; null if it has ended, which may happen at any moment. */
function read(pid: number): Process | null {
  try {
    // The name is in parentheses and may itself contain parentheses. The state and the parent's id follow the
    // last parenthesis.
    const [state = '', parent = ''] = (
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    ).split(' ');
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return state === 'Z' ? null : { pid, parent: Number(parent), text };
  } catch {
    return null;
  }
}

/** All descendants of this process. */
export function descendants(root: number | undefined): Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (read(Number(name)) ?? []) : []));
  const below = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  return root === undefined ? [] : below(root);
}

export const isRunning = ({ pid }: Process): boolean => read(pid) !== null;

/** Sends a signal to every process that is still running. */
export function signal(processes: readonly Process[], name: NodeJS.Signals): void {
  for (const { pid } of processes.filter(isRunning)) process.kill(pid, name);
}

/** Chromium's main process, on which its other processes depend. */
export const isBrowser = ({ text }: Process): boolean =>
  text.includes('--remote-debugging-pipe') && !text.includes('--type=');

/** A process of Chromium that runs a page. */
export const isRenderer = ({ text }: Process): boolean => text.includes('--type=renderer');
