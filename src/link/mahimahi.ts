/**
 * Traces of mahimahi's link emulator. Each line is a time in milliseconds at which one packet of 1504 bytes may
 * pass. A time may occur several times. After the last time, the trace starts again.
 */
import type { CapacityStep } from '../core/link.js';
import { ConfigError, shown } from '../text/quantities.js';

/** The size of the packet that one line of a trace lets pass. mm-link uses the Ethernet MTU with a VLAN tag. */
export const MAHIMAHI_PACKET_BYTES = 1504;
const MAX_STEPS = 1_000_000;

/**
 * Converts a trace to a schedule of capacities. The capacity between two times of the trace is the number of
 * bits in the packets at the later time, divided by the interval. At this capacity, the transmission of these
 * packets ends exactly at the later time. Adjacent intervals with equal capacity form one step. The trace is
 * repeated until `durationUs`. Throws ConfigError; for an invalid line, the error names the line.
 */
export function mahimahiSchedule(
  text: string,
  durationUs: number,
  { field = 'capacity.mahimahi' } = {},
): CapacityStep[] {
  const intervals = intervalsOf(text, field);
  checkSteps(intervals, durationUs, field);
  const steps: CapacityStep[] = [];
  if (intervals.length === 1) return intervals.map(({ capacityBps }) => ({ atUs: 0, capacityBps }));
  for (let beginUs = 0; beginUs < durationUs;) {
    for (const { lengthUs, capacityBps } of intervals) {
      if (beginUs >= durationUs) break;
      if (steps.at(-1)?.capacityBps !== capacityBps) steps.push({ atUs: beginUs, capacityBps });
      beginUs += lengthUs;
    }
  }
  return steps;
}

/** The capacities of a trace until it starts again: after `periodUs`, the first step follows the last one. */
export interface MahimahiRound {
  steps: CapacityStep[];
  periodUs: number;
}

/** Converts a trace to its first round. Throws the same ConfigError as mahimahiSchedule for `durationUs`. */
export function mahimahiRound(
  text: string,
  durationUs: number,
  { field = 'capacity.mahimahi' } = {},
): MahimahiRound {
  const intervals = intervalsOf(text, field);
  checkSteps(intervals, durationUs, field);
  let periodUs = 0;
  const steps = intervals.map(({ lengthUs, capacityBps }) => {
    const atUs = periodUs;
    periodUs += lengthUs;
    return { atUs, capacityBps };
  });
  return { steps, periodUs };
}

/** Throws the same ConfigError as mahimahiSchedule, but does not create the schedule. */
export function checkMahimahi(text: string, durationUs: number, { field = 'capacity.mahimahi' } = {}): void {
  checkSteps(intervalsOf(text, field), durationUs, field);
}

/**
 * Checks the number of steps before they are created: in a long run, even a trace of two lines may give millions of
 * steps.
 */
function checkSteps(intervals: readonly Interval[], durationUs: number, field: string): void {
  const periodUs = intervals.reduce((sum, { lengthUs }) => sum + lengthUs, 0);
  const rounds = Math.max(1, durationUs / periodUs);
  if (intervals.length === 1 || intervals.length * rounds <= MAX_STEPS) return;
  const fix = 'shorten the trace or the run';
  throw new ConfigError(field, `at most ${MAX_STEPS} capacity changes`, 'more', fix);
}

interface Interval {
  lengthUs: number;
  capacityBps: number;
}

function intervalsOf(text: string, field: string): Interval[] {
  const intervals: Interval[] = [];
  const add = (beginMs: number, endMs: number, count: number): void => {
    const next = interval(beginMs, endMs, count);
    const before = intervals.at(-1);
    if (before?.capacityBps === next.capacityBps) before.lengthUs += next.lengthUs;
    else intervals.push(next);
  };
  let last = 0;
  let packets = 0;
  let lastTime = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const word = line.trim();
    if (word === '' || word.startsWith('#')) continue;
    const time = /^\d{1,12}$/.test(word) ? Number(word) : NaN;
    if (!(time >= lastTime)) {
      const expected = `line ${index + 1} to be a whole number of milliseconds, at least ${lastTime}`;
      throw new ConfigError(field, expected, shown(word), 'write one timestamp per line, in order');
    }
    // All packets of one time belong to the interval that ends at this time; packets of time 0 belong to the first
    // interval.
    if (time > lastTime && lastTime > last) {
      add(last, lastTime, packets);
      last = lastTime;
      packets = 0;
    }
    packets++;
    lastTime = time;
  }
  if (lastTime > last) add(last, lastTime, packets);
  if (intervals.length === 0) {
    throw new ConfigError(
      field,
      'at least one timestamp above 0 ms',
      shown(text),
      'write one timestamp per line, in ms',
    );
  }
  return intervals;
}

function interval(beginMs: number, endMs: number, packets: number): Interval {
  const lengthUs = (endMs - beginMs) * 1000;
  return { lengthUs, capacityBps: (packets * MAHIMAHI_PACKET_BYTES * 8 * 1e6) / lengthUs };
}
