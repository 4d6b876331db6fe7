/** The capacity of a test's link as a function of time. */
import { readFileSync } from 'node:fs';

import type { CapacityStep } from '../core/link.js';
import { ConfigError, shown } from '../text/quantities.js';
import { parseSchedule } from '../link/capacity_text.js';
import { mahimahiRound, type MahimahiRound } from '../link/mahimahi.js';
import type { Capacity } from '../link/settings.js';
import { systemCode } from '../text/errors.js';
import type { CapacitySteps } from './thread/protocol.js';

/**
 * A trace is repeated without end. Its first ten minutes are given at once. If it falls behind later, for example
 * because the machine was suspended, rounds that ended more than ten minutes ago are left out.
 */
const TRACE_US = 600e6;
/** A capacity function is called once per interval of this length. */
const SAMPLE_US = 10e3;
/**
 * If the sampling of a capacity function falls behind, for example because the machine was suspended, only the last
 * MAX_BEHIND_US are sampled.
 */
const MAX_BEHIND_US = 10e6;

/** Produces the steps of a capacity piece by piece, in time order. */
export interface CapacitySource {
  /** Whether `next` may return more steps after its first call. If false, the first call returns all steps. */
  readonly isEndless: boolean;
  /**
   * Returns the next steps, at least up to `untilUs`. The first call begins with the step at time 0. Throws
   * ConfigError.
   */
  next(untilUs: number): CapacitySteps;
}

/** Creates the source for a capacity setting. Throws ConfigError. */
export function capacitySource(capacity: Capacity, field: string): CapacitySource {
  if (typeof capacity === 'function') return new SampledCapacity(capacity, field);
  if (typeof capacity !== 'object')
    return new KnownCapacity(parseSchedule(capacity, { field, outage: true }));
  const text = traceText(capacity.mahimahi, field);
  const round = mahimahiRound(text, TRACE_US, { field: `${field}.mahimahi` });
  return round.steps.length > 1 ? new RepeatedTrace(round) : new KnownCapacity(round.steps);
}

/**
 * Returns the text of a trace. `textOrFile` is the text itself if its first line (after comments) is a number.
 * Otherwise `textOrFile` is the path of the trace's file.
 */
function traceText(textOrFile: string, field: string): string {
  if (/^\s*(#.*\n\s*)*\d+\s*(\n|$)/.test(textOrFile)) return textOrFile;
  try {
    return readFileSync(textOrFile, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${field}.mahimahi`,
      `a readable file (reading failed: ${systemCode(error) ?? 'unknown error'})`,
      shown(textOrFile),
      'give the path of a trace, or its text',
    );
  }
}

class KnownCapacity implements CapacitySource {
  readonly isEndless = false;
  #steps: readonly CapacityStep[];

  constructor(steps: readonly CapacityStep[]) {
    this.#steps = steps;
  }

  next(): CapacitySteps {
    const pairs = new Float64Array(this.#steps.flatMap(({ atUs, capacityBps }) => [atUs, capacityBps]));
    this.#steps = [];
    return pairs;
  }
}

class RepeatedTrace implements CapacitySource {
  readonly isEndless = true;
  /** The number of the next round to be given. */
  #round = 0;
  #lastBps = Number.NaN;

  constructor(private readonly trace: MahimahiRound) {}

  next(untilUs: number): CapacitySteps {
    const { steps, periodUs } = this.trace;
    const endUs = this.#round === 0 ? Math.max(untilUs, TRACE_US) : untilUs;
    if (this.#round > 0) this.#round = Math.max(this.#round, Math.floor((endUs - TRACE_US) / periodUs));
    const pairs: number[] = [];
    for (; this.#round * periodUs <= endUs; this.#round++) {
      for (const { atUs, capacityBps } of steps) {
        if (capacityBps !== this.#lastBps) pairs.push(this.#round * periodUs + atUs, capacityBps);
        this.#lastBps = capacityBps;
      }
    }
    return new Float64Array(pairs);
  }
}

class SampledCapacity implements CapacitySource {
  readonly isEndless = true;
  #atUs = 0;
  #lastBps = Number.NaN;
  #failure: Error | null = null;

  constructor(
    private readonly ask: (seconds: number) => number,
    private readonly field: string,
  ) {}

  next(untilUs: number): CapacitySteps {
    const pairs: number[] = [];
    if (untilUs - this.#atUs > MAX_BEHIND_US)
      this.#atUs = Math.ceil((untilUs - MAX_BEHIND_US) / SAMPLE_US) * SAMPLE_US;
    for (; this.#atUs <= untilUs && this.#failure === null; this.#atUs += SAMPLE_US) {
      this.#sample(pairs);
    }
    // Steps before a failure are returned first; the next call then throws the failure.
    if (this.#failure !== null && pairs.length === 0) throw this.#failure;
    return new Float64Array(pairs);
  }

  #sample(pairs: number[]): void {
    try {
      const capacityBps = this.#at(this.#atUs / 1e6);
      if (capacityBps !== this.#lastBps) pairs.push(this.#atUs, capacityBps);
      this.#lastBps = capacityBps;
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  #at(seconds: number): number {
    const wrong = (got: string) =>
      new ConfigError(
        this.field,
        'a function that returns a rate in bit/s, or 0 for an outage',
        `${got} at ${seconds} s`,
        'make it return a number from 1 to 1e11, or 0',
      );
    let given: unknown;
    try {
      given = this.ask(seconds);
    } catch (error) {
      throw wrong(`an error (${error instanceof Error ? error.message : String(error)})`);
    }
    if (typeof given !== 'number' || !(given === 0 || (given >= 1 && given <= 1e11)))
      throw wrong(shown(given));
    return given;
  }
}
