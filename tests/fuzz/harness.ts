/** Runs the inputs of a target. An input causes a fault if it violates an oracle or takes too long. */
import { Mutator } from './mutator.js';
import type { FuzzTarget } from './target.js';

/** The longest time, in ms, that a parser may take for an input. */
export const MAX_MS = 50;
/**
 * On a busy machine, any input may exceed MAX_MS. So up to this many attempts are made, and the shortest processor
 * time counts.
 */
const ATTEMPTS = 3;

/**
 * Faults with equal keys count as one fault. A key contains what was thrown, and where. If an input took too
 * long, the key is `time`.
 */
export interface Fault {
  key: string;
  message: string;
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { key: String(error).slice(0, 80), message: String(error) };
  const place = error.stack?.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
  const kind = `${error.name}: ${error.message.replaceAll(/\d+|"[^"]*"/g, '…').slice(0, 60)}`;
  return { key: `${kind}${place}`, message: error.stack ?? error.message };
}

/**
 * Most refused inputs throw an error, and a stack for each error would take most of the time. So `withoutStacks`
 * turns stacks off. When a fault is reproduced, its stack has up to STACK_LINES lines.
 */
const STACK_LINES = 20;
export function withoutStacks(): void {
  Error.stackTraceLimit = 0;
}

/** Runs the input again, to get the fault with its stack. */
async function withStack(target: FuzzTarget, input: Uint8Array, fault: Fault): Promise<Fault> {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK_LINES;
  try {
    await target.run(input);
    return fault;
  } catch (error) {
    return faultOf(error);
  } finally {
    Error.stackTraceLimit = before;
  }
}

/**
 * Runs an input once. Returns its fault, if it causes one, and the milliseconds that the target took (0 for
 * an asynchronous target, or if there is a fault).
 */
async function attempt(target: FuzzTarget, input: Uint8Array): Promise<{ fault?: Fault; ms: number }> {
  const beganMs = performance.now();
  try {
    const pending = target.run(input);
    // A synchronous target returns undefined. Awaiting this value would take longer than some parsers take.
    if (pending === undefined) return { ms: performance.now() - beganMs };
    await pending;
    return { ms: 0 };
  } catch (error) {
    return { fault: faultOf(error), ms: 0 };
  }
}

function bestMs(target: FuzzTarget, input: Uint8Array): number {
  let best = Infinity;
  for (let i = 0; i < ATTEMPTS && best > MAX_MS; i++) {
    const before = process.cpuUsage();
    void target.run(input);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/** Runs one input. Asynchronous targets are exempt from the time limit. */
export async function faultIn(target: FuzzTarget, input: Uint8Array): Promise<Fault | undefined> {
  const { fault, ms } = await attempt(target, input);
  if (fault !== undefined) return withStack(target, input, fault);
  if (ms <= MAX_MS) return undefined;
  const best = bestMs(target, input);
  if (best <= MAX_MS) return undefined;
  return { key: 'time', message: `took ${best.toFixed(0)} ms; expected at most ${MAX_MS} ms` };
}

/**
 * Returns a function from numbers to inputs. An input depends only on its number and `seed`, not on earlier
 * inputs.
 */
export function inputsOf({ seeds, words = [] }: FuzzTarget, seed: number): (index: number) => Uint8Array {
  const mutator = new Mutator(seeds, words, seed);
  return (index) => mutator.at(index);
}

const isTarget = (value: unknown): value is FuzzTarget =>
  typeof value === 'object' && value !== null && 'name' in value && 'seeds' in value && 'run' in value;

/** The targets that a module exports, singly or in lists. */
export const targetsIn = (module: object): FuzzTarget[] => [
  ...new Set(
    Object.values(module)
      .flatMap((value: unknown) => [value].flat())
      .filter(isTarget),
  ),
];

/** Turns a target's name into the name of a folder. */
export const folderOf = (name: string): string => name.replaceAll(/[^\w-]+/g, '_');
