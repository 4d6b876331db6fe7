/** Scenarios, and the traces in mahimahi's format that they may contain. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  cellsOf,
  compile,
  ConfigError,
  instantiate,
  parseScenario,
  type Scenario,
} from '../../../src/scenario/index.js';
import { parseJson } from '../../../src/text/json_text.js';
import { checkMahimahi, MAHIMAHI_PACKET_BYTES, mahimahiSchedule } from '../../../src/link/mahimahi.js';
import { check, refused, same, textOf } from '../oracles.js';
import type { FuzzTarget } from '../target.js';

const FOLDER = join('public', 'scenarios');
const MOST_SEED_BYTES = 2500;
const registry = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.stringify(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))))
  .filter(({ length }) => length <= MOST_SEED_BYTES);

const SMALL = JSON.stringify({
  ccscope_scenario: 1,
  id: 'small',
  title: 'A small one',
  description: 'Everything once.',
  duration_s: 10,
  runs: 2,
  forward: {
    capacity: { mahimahi: '0\n1\n3\n' },
    queue: 'codel:target=13ms',
    outage: { mean_on_ms: 9, mean_off_ms: 8 },
  },
  backward: { capacity_per_flow: '1mbps', loss_ratio: 0.1 },
  flows: [
    {
      kind: 'media',
      name: 'gcc',
      count: 2,
      preset: 'gcc',
      parameters: { k_u: 0.02 },
      pauses: [{ from_s: 1, to_s: 2 }],
    },
    {
      kind: 'tcp',
      name: 'tcp',
      congestion_control: 'cubic',
      start_s: 1,
      short: { min_bytes: 1, max_bytes: 9, idle_mean_s: 1 },
    },
  ],
  windows: [{ name: 'late', begin_s: 5, end_s: 9 }],
  axes: [
    {
      name: 'n',
      values: [
        { name: '1', set: { 'flows.gcc.count': 1 } },
        { name: '2', set: { 'flows.gcc.parameters.k_u': 0.1 } },
      ],
    },
    {
      name: 'q',
      values: [
        { name: 'a', set: { 'forward.queue': 'pie' } },
        { name: 'b', set: {} },
      ],
    },
  ],
  cells: [{ n: '*', q: ['a', 'b'] }, { n: '1' }, {}],
  overrides: [{ cells: { n: '2' }, set: { 'backward.loss_ratio': 0.2 } }],
  metrics: [{ metric: 'queue_delay_p95_ms', window: 'late' }],
});

function checkRead(scenario: Scenario): void {
  check(
    same(parseScenario(JSON.parse(JSON.stringify(scenario))), scenario),
    () => 'read again, it is another',
  );
  const cells = cellsOf(scenario);
  for (const cell of cells.slice(0, 3)) {
    const instance = instantiate(scenario, cell);
    const { forward, backward } = instance;
    // Skips capacities from a mahimahi trace: another target covers these traces.
    if (typeof forward.capacity === 'object' || typeof backward?.capacity === 'object') continue;
    const options = compile(instance, 1);
    check(options.flows.length > 0 && options.durationUs > 0, () => 'nothing to simulate');
  }
}

const scenarios: FuzzTarget = {
  name: 'scenarios',
  seeds: [SMALL, ...registry],
  words: [
    ...[
      '"axes":[',
      '"cells":',
      '"set":{',
      '"flows.gcc.count":',
      '"forward.capacity":',
      '"mahimahi":"1\\n2\\n"',
    ],
    ...[
      '"name":',
      '"*"',
      '"duration_s":1e6',
      '"count":2000',
      '[[[[',
      '{"a":',
      '"__proto__":{}',
      ',"values":[',
    ],
  ],
  run(input) {
    const scenario = refused(() => parseScenario(parseJson(textOf(input), 'scenario')), ConfigError);
    if (scenario !== undefined) checkRead(scenario);
  },
};

/** The bits that the schedule lets pass in one period of the trace. */
function bitsOf(steps: ReturnType<typeof mahimahiSchedule>, endUs: number): number {
  return steps.reduce(
    (sum, { atUs, capacityBps }, i) => sum + (capacityBps * ((steps[i + 1]?.atUs ?? endUs) - atUs)) / 1e6,
    0,
  );
}

const mahimahi: FuzzTarget = {
  name: 'mahimahi',
  seeds: ['0\n1\n3\n', '1\n', '# a comment\n5\n5\n9\r\n\n20\n', '1\n2\n2\n3\n3\n3\n4\n'],
  words: ['\n', '\r\n', '#', '1\n', '999999999999\n', '  '],
  run(input) {
    const text = textOf(input);
    for (const durationUs of [1e3, 1e6]) {
      const checked = refused(() => {
        checkMahimahi(text, durationUs);
        return true;
      }, ConfigError);
      const steps = refused(() => mahimahiSchedule(text, durationUs), ConfigError);
      check((checked === true) === (steps !== undefined), () => 'check and schedule disagree');
    }
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    const times = lines.filter((line) => line !== '' && !line.startsWith('#')).map(Number);
    const periodUs = Math.max(0, ...times) * 1000;
    const steps = refused(() => mahimahiSchedule(text, periodUs), ConfigError);
    if (steps === undefined) return;
    check(
      steps.every(({ atUs }, i) => i === 0 || atUs > (steps[i - 1]?.atUs ?? 0)),
      () => 'steps out of order',
    );
    const bits = times.length * MAHIMAHI_PACKET_BYTES * 8;
    const passed = bitsOf(steps, periodUs);
    check(Math.abs(passed - bits) <= 1e-6 * bits, () => `${passed} bits pass, the lines are ${bits}`);
  },
};

export default [scenarios, mahimahi];
