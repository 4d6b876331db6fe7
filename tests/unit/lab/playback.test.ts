import { beforeAll, describe, expect, it } from 'vitest';

import { valuesOf } from '../../../src/app/lab/playback/parameter_values.js';
import {
  gccEquations,
  lccEquations,
  nadaEquations,
  type Equation,
} from '../../../src/app/lab/playback/equations.js';
import { momentOf } from '../../../src/app/lab/playback/moment.js';
import { mayPacersHaveMore, packetsAt } from '../../../src/app/lab/playback/packet_picture.js';
import { loadCore } from '../../../src/core/index.js';
import { CONTROLLER_SPECS, type ControllerName } from '../../../src/core/schema.js';
import { compile, parseScenario, runCell } from '../../../src/scenario/index.js';
import { TraceData } from '../../../src/trace/index.js';

const DURATION_S = 40;
const WAY_MS = 25;
const END = { endUs: DURATION_S * 1e6, readUntilUs: DURATION_S * 1e6 };
const WAYS = { ...END, wayUs: WAY_MS * 1e3, backUs: WAY_MS * 1e3, calls: new Set([0]) };
const scenario = parseScenario({
  ccscope_scenario: 1,
  id: 'inside',
  title: 'Inside',
  description: 'Two calls and TCP.',
  duration_s: DURATION_S,
  forward: { capacity: '2mbps', queue: 'droptail:200ms', one_way_delay_ms: WAY_MS },
  flows: [
    { kind: 'media', name: 'call', preset: 'gcc' },
    { kind: 'tcp', name: 'tcp', start_s: 10 },
  ],
});
const trace = new TraceData();
const store = { view: (query: Parameters<TraceData['view']>[0]) => Promise.resolve(trace.view(query)) };

beforeAll(async () => {
  const tables = ['group', 'rate', 'queue', 'packet', 'arrival', 'feedback'] as const;
  const { batches } = runCell(await loadCore(), scenario, {}, 1, {
    trace: { tables: [...tables], intervalUs: 20e3 },
  });
  for (const batch of batches) trace.append(batch);
});

describe('packets at a moment', () => {
  const queue = () =>
    trace.view({ table: 'queue', columns: ['queue_bytes'], where: { column: 'link', value: 0 } }).columns;
  const rows = () => ({
    queue: queue(),
    packets: trace.view({
      table: 'packet',
      columns: ['flow', 'offered_us', 'size_bytes', 'dropped'],
      where: { column: 'link', value: 0 },
    }).columns,
    arrivals: trace.view({
      table: 'arrival',
      columns: ['flow', 'send_time_us', 'rtp_timestamp', 'size_bytes'],
    }).columns,
    feedback: trace.view({ table: 'feedback', columns: ['flow'] }).columns,
  });

  it('has as many bytes in the queue as the simulator says', () => {
    const columns = queue();
    const all = rows();
    let compared = 0;
    let staying = 0;
    columns['time_us']?.forEach((timeUs, row, { length }) => {
      if (row % 20 !== 0 && row < length - 10) return;
      const waiting = packetsAt({ timeUs, ...WAYS, ...all }).filter(({ where }) =>
        ['queue', 'rest'].includes(where),
      );
      const bytes = waiting.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const told = columns['queue_bytes']?.[row] ?? NaN;
      // The sum includes the packet that is being transmitted. The simulator's number `queue_bytes` does not
      // include this packet.
      expect(bytes).toBeGreaterThanOrEqual(told);
      expect(bytes - told).toBeLessThanOrEqual(1500);
      compared += 1;
      staying += waiting.some(({ where }) => where === 'rest') ? 1 : 0;
    });
    expect(compared).toBeGreaterThan(50);
    expect(staying).toBeGreaterThan(1);
  });

  it('claims nothing of packets whose rows are not there yet', () => {
    const all = rows();
    const moment = (more: object) => ({ timeUs: DURATION_S * 1e6, ...WAYS, ...all, ...more });
    const rest = (more: object) => packetsAt(moment(more)).filter(({ where }) => where === 'rest').length;
    expect([rest({}), rest({ endUs: Infinity }), rest({ timeUs: 30e6 })]).toEqual([1, 0, 0]);
    const more = [{}, { endUs: Infinity }, { timeUs: 30e6 }].map((each) => mayPacersHaveMore(moment(each)));
    expect(more).toEqual([true, false, false]);
  });

  it('puts them in the order in which they leave, each once', () => {
    const packets = packetsAt({ timeUs: 30e6, ...WAYS, ...rows() });
    const queue = packets.filter(({ where }) => where === 'queue');
    expect(queue.length).toBeGreaterThan(5);
    queue.reduce((ahead, { at, sizeBytes }) => {
      expect(at).toBe(ahead);
      return ahead + sizeBytes;
    }, 0);
    for (const { where, at } of packets) if (where !== 'queue') expect(at >= 0 && at <= 1).toBe(true);
  });

  it('puts no two lost packets on one another', () => {
    const all = rows();
    let most = 0;
    for (let s = 10; s < DURATION_S; s += 0.1) {
      const lost = packetsAt({ timeUs: s * 1e6, ...WAYS, ...all }).filter(({ where }) => where === 'lost');
      const places = lost.map(({ place }) => place);
      expect(new Set(places).size).toBe(places.length);
      most = Math.max(most, lost.length);
    }
    expect(most).toBeGreaterThan(2);
  });

  it('has each feedback message on its way back for the delay of that way', () => {
    const { feedback, ...others } = rows();
    const sentUs = feedback['time_us']?.find((us) => us > 30e6) ?? NaN;
    const back = (timeUs: number) =>
      packetsAt({ timeUs, ...WAYS, ...others, feedback }).filter(({ where }) => where === 'back');
    const agoUs = WAYS.backUs / 4;
    expect(back(sentUs + agoUs)).toContainEqual({ flow: 0, sizeBytes: 96, where: 'back', at: 0.25 });
    expect(back(sentUs).some(({ at }) => at === 0)).toBe(true);
    expect(back(sentUs - 1).some(({ at }) => at === 0)).toBe(false);
    expect(back(sentUs + WAYS.backUs).every(({ at }) => at < 1)).toBe(true);
    const calls = new Set([1]);
    const elsewhere = packetsAt({ timeUs: sentUs, ...WAYS, ...others, feedback, calls });
    expect(elsewhere.some(({ where }) => where === 'back')).toBe(false);
  });
});

/** The numbers in a text, in order. */
const numbersIn = (text: string): number[] =>
  [...text.replaceAll('−', '-').matchAll(/(?<![_\w])-?\d+(?:\.\d+)?(?:e-\d+)?/g)].map(([found]) =>
    Number(found),
  );
/** For each title of an equation: computes the result from the numbers before the equals sign. */
const RESULTS: Readonly<Record<string, (...numbers: number[]) => number>> = {
  'One-way delay variation': (arrival = NaN, send = NaN) => arrival - send,
  'Kalman filter': (last = NaN, gain = NaN, variation = NaN, size = NaN, m = NaN) =>
    last + gain * (variation - size - m),
  'Adaptive threshold': (last = NaN, elapsed = NaN, gain = NaN, input = NaN, gamma = NaN) =>
    last + elapsed * gain * (input - gamma),
  'Overuse detector': (gain = NaN, m = NaN) => gain * m,
};

describe('equations with their values', () => {
  const call = { flow: 0, name: 'call', kind: 'media', direction: 'forward', controller: 'gcc' } as const;
  const value = valuesOf(scenario, call);
  /** The number of ms after the last equals sign in the text of an equation. */
  const outcome = (text: string): number =>
    Number(/= \(?([−\d.]+) ms\)?$/.exec(text)?.[1]?.replace('−', '-'));

  /** The texts of the equations at a moment, by their titles. */
  const textsAt = async (timeUs: number): Promise<Record<string, string>> =>
    Object.fromEntries(
      gccEquations(await momentOf(store, 'gcc', 0, timeUs), value).map((each) => [each.title, each.values]),
    );
  const group = () =>
    trace.view({
      table: 'group',
      columns: ['state', 'signal', 'a_r_bps', 'm_ms', 'gamma_ms', 'detector_input_ms'],
      where: { column: 'flow', value: 0 },
    }).columns;
  type Rows = ReturnType<typeof group>;
  const cellOf =
    (rows: Rows) =>
    (column: string, row: number): number =>
      rows[column]?.[row] ?? NaN;

  it('have the parameters of the flow’s own entry, also if a group has a similar name', () => {
    const flows = [
      { kind: 'media', name: 'a', count: 3, parameters: { k_u: 0.1 } },
      { kind: 'media', name: 'a-1', count: 2, parameters: { k_u: 0.2 } },
      { kind: 'media', name: 'a-3', parameters: { k_u: 0.3 } },
    ];
    const groups = parseScenario({ ...scenario, flows });
    const found = compile(groups, 1).flows.map(({ name = '' }): [string, number] => [
      name,
      valuesOf(groups, { ...call, name })('k_u'),
    ]);
    expect(Object.fromEntries(found)).toEqual({
      ...{ 'a-2': 0.1, 'a-4': 0.1, 'a-5': 0.1 },
      ...{ 'a-1-1': 0.2, 'a-1-2': 0.2 },
      'a-3': 0.3,
    });
  });

  it('give their result with the numbers as they are written', async () => {
    let compared = 0;
    for (let s = 2; s < DURATION_S; s += 0.37)
      for (const [title, text] of Object.entries(await textsAt(s * 1e6))) {
        const [operands = '', result = ''] = text.split(' = ');
        const expected = RESULTS[title]?.(...numbersIn(operands));
        if (expected === undefined || result === '') continue;
        const [, decimals = ''] = /^\(?−?\d+\.(\d+)/.exec(result) ?? [];
        // The result is rounded by at most half a unit of its last digit. The rounded operands may add another half
        // unit.
        expect(Math.abs((numbersIn(result)[0] ?? NaN) - expected), text).toBeLessThan(10 ** -decimals.length);
        compared += 1;
      }
    expect(compared).toBeGreaterThan(200);
  });

  it('name the moment of the last cut until the next update', async () => {
    const rows = group();
    const cell = cellOf(rows);
    const cutRow = rows['a_r_bps']?.findIndex(
      (bps, row) =>
        bps < cell('a_r_bps', row - 1) && cell('a_r_bps', row + 1) === bps && cell('state', row + 1) === 2,
    );
    const [cutUs, nextUs] = [cell('time_us', cutRow ?? NaN), cell('time_us', (cutRow ?? NaN) + 1)];
    const title = 'Delay-based controller';
    expect((await textsAt(cutUs))[title]).toMatch(/^decrease: α · R_r = [\d.]+ · \d+ kbps = \d+ kbps; R_r/);
    expect((await textsAt(nextUs))[title]).toMatch(
      new RegExp(`^decrease: already cut to \\d+ kbps at ${(cutUs / 1e6).toFixed(3)} s; R_r`),
    );
    // The receiver has cut its A_r, but no feedback about the cut has reached the sender yet.
    expect((await textsAt(cutUs))['Target']).toMatch(
      /^min\(.*\) = \d+ kbps at the sender, recorded at [\d.]+ s; the receiver’s A_r is \d+ kbps now$/,
    );
  });

  it('say why a T above the threshold is not overuse yet', async () => {
    const rows = group();
    const cell = cellOf(rows);
    let compared = 0;
    for (const [row, input] of (rows['detector_input_ms'] ?? new Float64Array()).entries()) {
      if (compared >= 20 || !(input > cell('gamma_ms', row - 1)) || cell('signal', row) !== 0) continue;
      const isFalling = cell('m_ms', row) < cell('m_ms', row - 1);
      const reason = isFalling ? 'but m falls' : 'but not yet for 10 ms and 2 groups';
      const text = (await textsAt(cell('time_us', row)))['Overuse detector'];
      expect(text).toMatch(new RegExp(`beyond ± [\\d.]+ ms, ${reason}: normal$`));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(5);
  });

  it('come out as the text says, at every moment', async () => {
    let compared = 0;
    for (let s = 2; s < DURATION_S; s += 0.37) {
      const moment = await momentOf(store, 'gcc', 0, s * 1e6);
      const text = Object.fromEntries(gccEquations(moment, value).map((each) => [each.title, each.values]));
      const { now, before } = moment.rows.group ?? {};
      if (now === undefined || before === undefined) continue;
      expect(outcome(text['One-way delay variation'] ?? '')).toBeCloseTo(now['delay_variation_ms'] ?? NaN, 0);
      // Eq. 11 and 12 of ToN, computed from the rows themselves.
      const last = before['gamma_ms'] ?? NaN;
      const magnitude = Math.abs(now['detector_input_ms'] ?? NaN);
      const elapsedMs = Math.min(100, ((now['time_us'] ?? NaN) - (before['time_us'] ?? NaN)) / 1e3);
      const gain = magnitude < last ? value('k_d') : value('k_u');
      const next = magnitude > last + 15 ? last : last + elapsedMs * gain * (magnitude - last);
      expect(now['gamma_ms']).toBeCloseTo(Math.min(600, Math.max(6, next)), 6);
      const told = /([\d.]+) ms$/.exec(text['Adaptive threshold'] ?? '')?.[1];
      expect(Math.abs(Number(told) - (now['gamma_ms'] ?? NaN))).toBeLessThanOrEqual(0.05);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(50);
  });
});

/** A run of one call with this preset over 1 Mbps, with what the panel needs to write equations at its moments. */
async function callOf(controller: ControllerName, preset: string) {
  const one = parseScenario({
    ccscope_scenario: 1,
    id: 'one',
    title: 'One call',
    description: 'One call, and a fall of the capacity.',
    duration_s: 20,
    forward: { capacity: '1mbps,0.5mbps@10s', queue: 'droptail:300ms', one_way_delay_ms: 25 },
    flows: [{ kind: 'media', name: 'call', preset }],
  });
  const rows = new TraceData();
  const { batches } = runCell(await loadCore(), one, {}, 1, {
    trace: { tables: ['group', 'rate', 'nada', 'lcc'], intervalUs: 20e3 },
  });
  for (const batch of batches) rows.append(batch);
  const of = { view: (query: Parameters<TraceData['view']>[0]) => Promise.resolve(rows.view(query)) };
  const flow = { flow: 0, name: 'call', kind: 'media', direction: 'forward', controller } as const;
  return { values: valuesOf(one, flow), at: (us: number) => momentOf(of, controller, 0, us) };
}
const titled = (equations: readonly Equation[], title: string): Equation | undefined =>
  equations.find((each) => each.title === title);

describe('the equations of other presets of GCC', () => {
  /** Calls `see` with the texts of the equations of a call's moments, by their titles. */
  async function atEach(
    preset: string,
    see: (text: Record<string, string>, moment: Awaited<ReturnType<typeof momentOf>>) => void,
  ): Promise<void> {
    const { values, at } = await callOf('gcc', preset);
    for (let s = 2; s < 20; s += 0.1) {
      const moment = await at(s * 1e6);
      const equations = gccEquations(moment, values);
      see(Object.fromEntries(equations.map((each) => [each.title, each.values])), moment);
    }
  }

  it('say what the sender leaves out of A_r until the queue of a live call is empty', async () => {
    let [compared, left] = [0, 0];
    await atEach('gcc-live', ({ Target: text = '' }) => {
      const found =
        /^min\((\d+) kbps, (\d+) kbps(?: − (\d+) kbps until the queue is empty)?\) = (\d+) kbps/.exec(text);
      const [a_s, a_r, drain = 0, target] = (found ?? []).slice(1).map((each) => Number(each || 0));
      const expected = Math.min(a_s ?? NaN, (a_r ?? NaN) - drain);
      expect(Math.abs(expected - (target ?? NaN)), text).toBeLessThanOrEqual(2);
      compared += 1;
      left += drain > 0 ? 1 : 0;
    });
    expect(compared).toBeGreaterThan(150);
    expect(left).toBeGreaterThan(5);
  });

  it('say that A_r follows the capacity that the frames of a live call show', async () => {
    let followed = 0;
    await atEach('gcc-live', (text) => {
      const step = text['Delay-based controller'] ?? '';
      const rise = /^increase: (\d+) kbps → (\d+) kbps/.exec(step);
      if (rise && Number(rise[2]) < Number(rise[1])) expect(step).toContain('the frames show a capacity of');
      followed += step.includes('the frames show a capacity of') ? 1 : 0;
    });
    expect(followed).toBeGreaterThan(5);
  });

  it('have the time between groups where the sender filters', async () => {
    let compared = 0;
    await atEach('cmp-2016', (text, { rows: { group } }) => {
      const step = text['Adaptive threshold'] ?? '';
      const [now, last] = [group?.now['gamma_ms'] ?? NaN, group?.before?.['gamma_ms'] ?? NaN];
      if (!(Math.abs(now - last) > 0.01)) return;
      expect(step).not.toContain('+ 0 ms ·');
      expect(Math.abs(Number(/([\d.]+) ms$/.exec(step)?.[1]) - now), step).toBeLessThanOrEqual(0.05);
      compared += 1;
    });
    expect(compared).toBeGreaterThan(20);
  });
});

describe('the equations of NADA', () => {
  it.each([
    ['nada-rfc8698', 'RFC 8698, section 4.3, eq. 5', String.raw`\frac{RMAX}{r_{ref}}`],
    ['nada-2015', 'RFC 8698, section 4.3, eq. 5', String.raw`\frac{RMAX}{r_{ref}}`],
    [
      'nada-chromium-2015',
      'Chromium 2015; RFC 8698, section 4.3, eq. 5',
      String.raw`\frac{RMAX - RMIN}{r_{ref} - RMIN}`,
    ],
  ])(
    'give the offset from the equilibrium as the core computes it with %s',
    async (preset, source, ratio) => {
      const { values, at } = await callOf('nada', preset);
      const origin = preset === 'nada-chromium-2015' ? values('min_bitrate_bps') : 0;
      let compared = 0;
      for (let s = 2; s < 20; s += 0.37) {
        const { rows, timeUs } = await at(s * 1e6);
        const { nada, rate } = rows;
        if (nada === undefined || rate === undefined) continue;
        const offset = titled(nadaEquations({ timeUs, rows }, values), 'Offset from the equilibrium');
        expect(offset).toMatchObject({ source });
        expect(offset?.formula).toContain(ratio);
        const x = nada.now['x_curr_ms'] ?? NaN;
        const above = (rate.now['target_bps'] ?? NaN) - origin;
        const wanted = (values('prio') * values('xref_ms') * (values('max_bitrate_bps') - origin)) / above;
        const told = numbersIn(offset?.values.replaceAll(/\(−([\d.]+ ms)\)/g, '-$1') ?? '').at(-1) ?? NaN;
        expect(Math.abs(told - (x - wanted)), offset?.values).toBeLessThan(0.051);
        compared += 1;
      }
      expect(compared).toBeGreaterThan(40);
    },
  );

  it.each([
    ['nada-rfc8698', String.raw`r_{ref} = \max(r_{ref}, (1 + \gamma) r_{recv})`],
    ['nada-2015', String.raw`r_{ref} = (1 + \gamma) r_{recv}`],
    ['nada-chromium-2015', String.raw`r_{ref} = (1 + \gamma) r_{recv}`],
    ['nada-live', String.raw`r_{ref} = \max(r_{gradual}, (1 + \gamma) r_{recv})`],
  ])('give the ramp-up of %s its own lowest rate, or none', async (preset, formula) => {
    const { values, at } = await callOf('nada', preset);
    const laws = [];
    for (let s = 0.5; s < 20; s += 0.1) {
      const rate = titled(nadaEquations(await at(s * 1e6), values), 'Rate');
      if (rate?.values.startsWith('ramp-up')) laws.push(rate.formula);
    }
    expect(new Set(laws)).toEqual(new Set([formula]));
  });

  it.each([
    ['nada-rfc8698', false],
    ['nada-chromium-2015', true],
  ])('count rates of the gradual update of %s from RMIN: %s', async (preset, isFromRmin) => {
    const { values, at } = await callOf('nada', preset);
    const laws = [];
    for (let s = 0.5; s < 20; s += 0.1) {
      const rate = titled(nadaEquations(await at(s * 1e6), values), 'Rate');
      if (rate?.values.startsWith('gradual')) laws.push(rate.formula.includes('(r_{ref} - RMIN)'));
    }
    expect(new Set(laws)).toEqual(new Set([isFromRmin]));
  });
});

describe('the equation of the loss-based controller', () => {
  const lossText = (preset: string, row: object, given: object): string | undefined => {
    const spec = CONTROLLER_SPECS.gcc;
    const values: Record<string, number> = {
      ...Object.fromEntries(spec.parameters.map((each) => [each.name, each.default])),
      ...spec.presets.find(({ name }) => name === preset)?.values,
      ...given,
    };
    const now = { time_us: 1e6, a_s_bps: 500e3, a_r_bps: 600e3, target_bps: 500e3, fraction_lost: 0, ...row };
    const moment = { timeUs: 1e6, rows: { rate: { now, before: undefined, cut: undefined } } };
    const equations = gccEquations(moment, (name) => values[name] ?? NaN);
    return titled(equations, 'Loss-based controller')?.values;
  };

  it.each([
    ['gcc', {}, {}, 'f_l = 0.0 %: 1.05·A_s; A_s = 500 kbps'],
    ['gcc', { fraction_lost: 0.05 }, {}, 'f_l = 5.0 %: A_s stays; A_s = 500 kbps'],
    ['gcc', { fraction_lost: 0.2 }, {}, 'f_l = 20.0 %: A_s·(1 − 0.5·f_l); A_s = 500 kbps'],
    [
      'gcc',
      { fraction_lost: 0.2 },
      { loss_decrease_factor: 0.25 },
      'f_l = 20.0 %: A_s·(1 − 0.25·f_l); A_s = 500 kbps',
    ],
    ['gcc', { a_r_bps: 500e3 }, {}, 'f_l = 0.0 %: 1.05·A_s; A_s = 500 kbps, bounded by A_r'],
    [
      'libwebrtc-2016-08',
      {},
      {},
      'f_l = 0.0 %: 1.08·the lowest A_s of the last second + 1 kbps; A_s = 500 kbps',
    ],
  ])('has the numbers of %s for %j and %j', (preset, row, given, text) => {
    expect(lossText(preset, row, given)).toBe(text);
  });
});

/** Where each equation is in its paper: the numbers of the equations, and the sections that contain them. */
const SECTIONS = {
  ToN: [
    [3, 13, 'III-A'],
    [14, 14, 'III-B'],
    [15, 28, 'IV'],
  ],
  LCC: [
    [1, 1, 'II'],
    [2, 2, 'II-A'],
    [3, 4, 'II-B'],
    [5, 8, 'II-C'],
  ],
  'RFC 8698': [
    [1, 2, '4.2'],
    [3, 7, '4.3'],
  ],
} as const;

describe('the sources of the equations', () => {
  it.each([
    ['gcc', 'gcc', gccEquations],
    ['nada', 'nada-chromium-2015', nadaEquations],
    ['lcc', 'lcc', lccEquations],
  ] as const)('name the sections of %s that contain them', async (controller, preset, equations) => {
    const { values, at } = await callOf(controller, preset);
    let numbered = 0;
    for (const { title, source } of equations(await at(15e6), values)) {
      const [, paper, section, first, last = first] =
        /(ToN|LCC|RFC 8698), section ([\w.-]+)(?:, eq\. (\d+)(?: and (\d+))?)?/.exec(source) ?? [];
      const sections = Object.entries(SECTIONS).find(([name]) => name === paper)?.[1] ?? [];
      expect(sections.length, `${title}: ${source}`).toBeGreaterThan(0);
      if (first === undefined) continue;
      const of = sections.filter(([from, to]) => from <= Number(first) && Number(last) <= to);
      expect(
        of.map(([, , name]) => name),
        `${title}: ${source}`,
      ).toEqual([section]);
      numbered += 1;
    }
    expect(numbered).toBeGreaterThanOrEqual(3);
  });

  it('are the section on the detector where there is no number', async () => {
    const { values, at } = await callOf('gcc', 'gcc');
    const equations = gccEquations(await at(15e6), values);
    expect(titled(equations, 'Overuse detector')?.source).toBe('ToN, section III-A');
  });
});
