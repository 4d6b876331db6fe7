/** Runs a target's inputs: each either satisfies its oracles within its time, or is a fault. */
import { Mutator } from './mutator.js';
import type { FuzzTarget } from './target.js';

/** A parser's input may take at most this long. */
export const MAX_MS = 50;
/** A busy machine may slow down one attempt; the best of this many counts, in processor time. */
const ATTEMPTS = 3;

/** Faults of inputs are the same fault if this is equal: what was thrown, and where. */
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
 * Refused inputs throw errors by the thousand. Their stacks are never read, but would cost more than everything
 * else.
 */
const STACK_LINES = 20;
export function withoutStacks(): void {
  Error.stackTraceLimit = 0;
}

/** Reproduces the fault, this time with its stack. */
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

/** The fault of an input, or undefined; also the milliseconds that it took. */
async function attempt(target: FuzzTarget, input: Uint8Array): Promise<{ fault?: Fault; ms: number }> {
  const beganMs = performance.now();
  try {
    const pending = target.run(input);
    // Awaiting a value that is not a promise costs more than some parsers do.
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

/** Runs one input. A target that awaits is exempt from the time limit of parsers. */
export async function faultIn(target: FuzzTarget, input: Uint8Array): Promise<Fault | undefined> {
  const { fault, ms } = await attempt(target, input);
  if (fault !== undefined) return withStack(target, input, fault);
  if (ms <= MAX_MS) return undefined;
  const best = bestMs(target, input);
  if (best <= MAX_MS) return undefined;
  return { key: 'time', message: `took ${best.toFixed(0)} ms; expected at most ${MAX_MS} ms` };
}

/** The input with this number: the same for the same seed, whatever was run before. */
export function inputsOf({ seeds, words = [] }: FuzzTarget, seed: number): (index: number) => Uint8Array {
  const mutator = new Mutator(seeds, words, seed);
  return (index) => mutator.at(index);
}

const isTarget = (value: unknown): value is FuzzTarget =>
  typeof value === 'object' && value !== null && 'name' in value && 'seeds' in value && 'run' in value;

/** The targets among the exports of a module: single ones, and lists. */
export const targetsIn = (module: object): FuzzTarget[] => [
  ...new Set(
    Object.values(module)
      .flatMap((value: unknown) => [value].flat())
      .filter(isTarget),
  ),
];

/** A name in the form of a folder name. */
export const folderOf = (name: string): string => name.replaceAll(/[^\w-]+/g, '_');
