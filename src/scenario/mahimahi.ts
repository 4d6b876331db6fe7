/**
 * Traces of mahimahi's link emulator: each line is a time in milliseconds at which one packet of
 * 1504 bytes may pass; a time may be there several times; the file begins again at its last time.
 */
import type { CapacityStep } from '../core/link.js';
import { ConfigError, shown } from './link_config.js';

/** What passes at one line of the trace (mm-link: an MTU of Ethernet with its VLAN tag). */
export const MAHIMAHI_PACKET_BYTES = 1504;
const MAX_STEPS = 1_000_000;

/**
 * The capacity that lets a packet of 1504 bytes end at each time of the trace: between two
 * times it is what passes at the later one over the time between them. Equal neighbours are one
 * step. Repeats until `durationUs`. Throws ConfigError that names the line.
 */
export function mahimahiSchedule(
  text: string,
  durationUs: number,
  { field = 'capacity.mahimahi' } = {},
): CapacityStep[] {
  const intervals = intervalsOf(text, field);
  const steps: CapacityStep[] = [];
  for (let beginUs = 0; beginUs < durationUs;) {
    for (const { lengthUs, capacityBps } of intervals) {
      if (beginUs >= durationUs) break;
      if (steps.at(-1)?.capacityBps !== capacityBps) steps.push({ atUs: beginUs, capacityBps });
      beginUs += lengthUs;
      if (steps.length > MAX_STEPS) {
        const fix = 'use a shorter trace or duration';
        throw new ConfigError(field, `at most ${MAX_STEPS} changes of the capacity`, 'more', fix);
      }
    }
  }
  return steps;
}

interface Interval {
  lengthUs: number;
  capacityBps: number;
}

function intervalsOf(text: string, field: string): Interval[] {
  const intervals: Interval[] = [];
  let last = 0;
  let packets = 0;
  let lastTime = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const word = line.trim();
    if (word === '' || word.startsWith('#')) continue;
    const time = /^\d{1,12}$/.test(word) ? Number(word) : NaN;
    if (!(time >= lastTime)) {
      const expected = `line ${index + 1} to be a whole number of milliseconds, not before ${lastTime}`;
      throw new ConfigError(field, expected, shown(word), 'write one time a line, in order');
    }
    // All packets of one time belong to the interval that ends there; those of time 0 to the next.
    if (time > lastTime && lastTime > last) {
      intervals.push(interval(last, lastTime, packets));
      last = lastTime;
      packets = 0;
    }
    packets++;
    lastTime = time;
  }
  if (lastTime > last) intervals.push(interval(last, lastTime, packets));
  if (intervals.length === 0) {
    throw new ConfigError(field, 'a time after 0 ms', shown(text), 'write one time in ms a line');
  }
  return intervals;
}

function interval(beginMs: number, endMs: number, packets: number): Interval {
  const lengthUs = (endMs - beginMs) * 1000;
  return { lengthUs, capacityBps: (packets * MAHIMAHI_PACKET_BYTES * 8 * 1e6) / lengthUs };
}
