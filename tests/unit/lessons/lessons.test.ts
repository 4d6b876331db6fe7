/** The lessons: every choice can be run, and the solution solves the task, but the initial choice does not. */
import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, tableSpec, type Core } from '../../../src/core/index.js';
import { parseScenario, runCell } from '../../../src/scenario/index.js';
import type { Lesson, Tried } from '../../../src/app/lessons/lesson.js';
import { LESSONS } from '../../../src/app/lessons/lessons.js';
import { textOf } from './text_of.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/** `set` changes the run of this choice, as a learner can in the Lab. */
function tried({ scenario }: Lesson, value: string, seed = 1, set: Record<string, unknown> = {}): Tried {
  const [axis] = scenario.axes;
  const values = axis.values.map((each) => ({ ...each, set: { ...each.set, ...set } }));
  const changed = parseScenario({ ...scenario, axes: [{ ...axis, values }] });
  const { windows } = runCell(core, changed, { choice: value }, seed);
  const measured = windows.at(-1);
  if (measured === undefined) throw new Error('no window');
  return { value, measured };
}

/** A citation of a section or an equation of a paper or an RFC. */
const CITED = /\((ToN|CMP|LCC|AQM|GRP|RFC \d+)\b|RFC \d{4}|Table I|AQM, section/;
/** The available charts. */
const CHARTS = ['rates', 'delays', 'losses', 'control', 'detector', 'nada', 'lcc', 'states'];

it('there are twelve, each with a name of its own', () => {
  expect(LESSONS).toHaveLength(12);
  expect(new Set(LESSONS.map(({ id }) => id)).size).toBe(12);
});

describe.each(LESSONS)('$id', ({ id, title, question, load }) => {
  let lesson: Lesson;
  beforeAll(async () => {
    lesson = (await load()).default;
  });

  it('is what the list says', () => {
    expect(lesson).toMatchObject({ id, title });
    expect(question.length).toBeGreaterThan(20);
  });

  it('asks for a prediction of which one is right', () => {
    const { options, right } = lesson.prediction;
    expect(options.length).toBeGreaterThan(1);
    expect(new Set(options).size).toBe(options.length);
    expect(options[right]).toBeDefined();
    expect(textOf(lesson.prediction.because).length).toBeGreaterThan(40);
  });

  it('gives its reasons in two or three paragraphs that cite', () => {
    const text = textOf(lesson.text);
    expect(text).toMatch(CITED);
    expect(text.split('\n').length).toBeGreaterThanOrEqual(2);
    expect(text.split('\n').length).toBeLessThanOrEqual(3);
  });

  it('names the papers that it cites', () => {
    const { prediction, text, task } = lesson;
    const all = [prediction.ask, prediction.because, text, task.ask, task.because].map(textOf).join('\n');
    const cited = [...all.matchAll(/\b(?:ToN|CMP|AQM|GRP)\b|\bLCC(?=, (?:section|eq\.|Table))/g)];
    expect(new Set(lesson.cites)).toEqual(new Set(cited.map(([name]) => name)));
  });

  it('draws existing charts', () => {
    expect(lesson.charts.length).toBeGreaterThan(1);
    for (const chart of lesson.charts) expect(CHARTS).toContain(chart);
  });

  it('has a task that its solution solves, and that what is shown at first does not', () => {
    const [axis] = lesson.scenario.axes;
    const values = axis.values.map(({ name }) => name);
    expect(values).toContain(lesson.task.solution);
    expect(values[0]).not.toBe(lesson.task.solution);
    const runs = values.map((value) => tried(lesson, value));
    for (const run of runs)
      for (const { title: reading, of, text } of lesson.readings)
        expect(text(of(run.measured)), `${run.value}: ${reading}`).not.toBe('–');
    const shown = runs.map(
      ({ value, measured }) =>
        `${value}: ${lesson.readings.map((r) => `${r.title} ${r.text(r.of(measured))}`).join(', ')}`,
    );
    const solved = runs.filter((run) => lesson.task.isSolved(run)).map(({ value }) => value);
    expect(solved, shown.join('\n')).toEqual([lesson.task.solution]);
  });
});

/**
 * Learners see runs with one seed. What they learn must not depend on this seed, so it must be true for at
 * least four of five seeds.
 */
describe.each(LESSONS)('$id, with other seeds', ({ load }) => {
  it('has the same solution', async () => {
    const lesson = (await load()).default;
    for (const { name } of lesson.scenario.axes[0].values) {
      const solved = [1, 2, 3, 4, 5].filter((seed) => lesson.task.isSolved(tried(lesson, name, seed)));
      if (name === lesson.task.solution) expect(solved.length, name).toBeGreaterThanOrEqual(4);
      else expect(solved.length, name).toBeLessThanOrEqual(1);
    }
  });
});

it('the guide to the lessons names the line in which the server prints the addresses for a class', () => {
  const guide = readFileSync('src/app/lessons/README.md', 'utf8').replace(/\s+/g, ' ');
  const printed = readFileSync('src/command_line/commands/serve.ts', 'utf8');
  const [, line = ''] = /_([^_]+) …_ gives those for the class/.exec(guide) ?? [];
  expect(line).not.toBe('');
  expect(printed).toContain(`\`${line} \${`);
});

/** Checks what predictions and explanations state about the runs, as far as numbers can confirm these statements. */
describe('what the lessons say is so', () => {
  const lessonOf = async (id: string): Promise<Lesson> => {
    const listed = LESSONS.find((each) => each.id === id);
    if (listed === undefined) throw new Error(id);
    return (await listed.load()).default;
  };
  const both = async (id: string, one: string, other: string): Promise<[Tried, Tried]> => {
    const lesson = await lessonOf(id);
    return [tried(lesson, one), tried(lesson, other)];
  };

  it('the longest wait is the length of the queue', async () => {
    for (const value of ['100ms', '300ms', '1000ms']) {
      const { measured } = tried(await lessonOf('delay-before-loss'), value);
      const ms = Number.parseFloat(value);
      expect(measured.forward.queueDelayUs.max / 1e3).toBeGreaterThan(0.9 * ms);
      expect(measured.forward.queueDelayUs.max / 1e3).toBeLessThan(1.15 * ms);
    }
  });

  it('the call starves at a fixed threshold of 10 ms, and does not at one that adapts', async () => {
    const [fixed, adaptive] = await both('adaptive-threshold', 'static', 'adaptive');
    const share = ({ measured }: Tried): number =>
      (measured.flows.find(({ name }) => name === 'call')?.receiveRateBps ?? NaN) /
      measured.forward.capacityBps;
    expect(share(fixed)).toBeLessThan(0.2);
    expect(share(adaptive)).toBeGreaterThan(1.5 * share(fixed));
  });

  /** T and γ of all groups since the download began. */
  const groupsBesideTcp = async (choice: string): Promise<{ timeS: number; T: number; gamma: number }[]> => {
    const columns = tableSpec('group').columns.map(({ name }) => name);
    const [time, T, gamma] = ['time_us', 'detector_input_ms', 'gamma_ms'].map((name) =>
      columns.indexOf(name),
    );
    const { scenario } = await lessonOf('adaptive-threshold');
    const trace = { tables: ['group'] } as const;
    const { batches } = runCell(core, parseScenario(scenario), { choice }, 1, { trace });
    const groups = batches.flatMap((batch) =>
      Array.from({ length: batch.rows }, (_, row) => {
        const at = (column = -1): number => batch.columns[column]?.[row] ?? NaN;
        return { timeS: at(time) / 1e6, T: at(T), gamma: at(gamma) };
      }),
    );
    return groups.filter(({ timeS }) => timeS >= 20);
  };

  it('beside TCP, T is above a fixed threshold of 10 ms far more often than above one that adapts', async () => {
    const shareAbove = async (choice: string): Promise<number> => {
      const groups = await groupsBesideTcp(choice);
      return groups.filter(({ T, gamma }) => T > gamma).length / groups.length;
    };
    expect(await shareAbove('static')).toBeCloseTo(1 / 3, 1);
    expect(await shareAbove('adaptive')).toBeCloseTo(0.04, 2);
  });

  it('which fixed threshold suits both depends on the queue', async () => {
    const lesson = await lessonOf('adaptive-threshold');
    const [call, download] = lesson.readings;
    const at20ms = { 'flows.call.parameters.gamma_init_ms': 20 };
    for (const seed of [1, 2, 3, 4, 5]) {
      const { measured } = tried(lesson, 'static', seed, at20ms);
      expect(call?.of(measured)).toBeGreaterThan(0.25);
      expect(download?.of(measured)).toBeGreaterThan(0.25);
    }
    const long = tried(lesson, 'static', 1, { ...at20ms, 'forward.queue': 'droptail:700ms' });
    expect(call?.of(long.measured)).toBeLessThan(0.1);
  });

  it('when the download begins, T jumps while the threshold stands still; then it is between 11 and 19 ms most of the time', async () => {
    const groups = await groupsBesideTcp('adaptive');
    const first = groups.filter(({ timeS }) => timeS < 25);
    const peak = first.reduce((highest, group) => (group.T > highest.T ? group : highest));
    expect(peak.T).toBeGreaterThan(100);
    // ToN, equation 11, would raise the threshold by half of the distance within 70 ms (k_u = 0.01 per ms).
    const before = first.filter(({ timeS }) => timeS <= peak.timeS);
    const above = before.slice(before.findLastIndex(({ T, gamma }) => T <= gamma + 15) + 1);
    expect((above.at(-1)?.timeS ?? NaN) - (above[0]?.timeS ?? NaN)).toBeGreaterThan(0.3);
    expect(new Set(above.map(({ gamma }) => gamma)).size).toBe(1);
    expect(Math.max(...first.map(({ gamma }) => gamma))).toBeCloseTo(45, -1);
    const near = groups.filter(({ gamma }) => gamma >= 11 && gamma <= 19);
    expect(near.length / groups.length).toBeGreaterThan(0.5);
  });

  it('with the threshold that adapts, the share of the call depends on the seed', async () => {
    const lesson = await lessonOf('adaptive-threshold');
    const shares = [1, 2, 3, 4, 5].map((seed) =>
      lesson.readings[0]?.of(tried(lesson, 'adaptive', seed).measured),
    );
    expect(shares.map((share) => Math.round(100 * Number(share)))).toEqual([44, 26, 35, 28, 86]);
  });

  it('with a fixed threshold of 50 ms, the download starves', async () => {
    const lesson = await lessonOf('adaptive-threshold');
    expect(lesson.readings[1]?.of(tried(lesson, 'static-50').measured)).toBeLessThan(0.2);
  });

  it('merging bursts makes packets wait longer', async () => {
    const [off, grp] = await both('packet-grouping', 'off', 'grp');
    expect(grp.measured.forward.queueDelayUs.p95).toBeGreaterThan(off.measured.forward.queueDelayUs.p95);
  });

  it('the newcomer takes more than the others if a queue never empties, and with GCC waits are shortest', async () => {
    const lesson = await lessonOf('fairness');
    const shares = ({ measured }: Tried): number[] =>
      measured.flows.map(({ receivedBytes }) => receivedBytes);
    for (const seed of [1, 2, 3, 4, 5]) {
      const steady = tried(lesson, 'nada-steady', seed);
      const [first = NaN, second = NaN, third = NaN] = shares(steady);
      expect(third).toBeGreaterThan(1.3 * Math.max(first, second));
      expect(steady.measured.forward.queueDelayUs.min).toBeGreaterThan(0);
      const { forward } = tried(lesson, 'gcc', seed).measured;
      for (const value of ['nada', 'lcc']) {
        const other = tried(lesson, value, seed);
        const [oldest = NaN, , newest = NaN] = shares(other);
        expect(newest).toBeLessThan(1.1 * oldest);
        expect(other.measured.forward.queueDelayUs.min).toBe(0);
        expect(other.measured.forward.queueDelayUs.p50).toBeGreaterThan(forward.queueDelayUs.p50);
      }
    }
  });

  it("NADA's queuing delay goes with the inverse of the capacity", async () => {
    const [half, full] = await both('nada-equilibrium', '0.5mbps', '1mbps');
    const ratio = half.measured.forward.queueDelayUs.p50 / full.measured.forward.queueDelayUs.p50;
    expect(ratio).toBeGreaterThan(1.6);
    expect(ratio).toBeLessThan(2.4);
  });

  it('CoDel shortens the wait of a call beside a download, and costs losses', async () => {
    const [droptail, codel] = await both('aqm', 'droptail', 'codel');
    const lost = ({ measured }: Tried): number =>
      measured.flows.find(({ name }) => name === 'call')?.lossRatio ?? NaN;
    expect(codel.measured.forward.queueDelayUs.p95).toBeLessThan(
      0.5 * droptail.measured.forward.queueDelayUs.p95,
    );
    expect(lost(codel)).toBeGreaterThan(lost(droptail));
  });

  it('shares of a link are measured while both flows are present: together they are all of it', async () => {
    const lesson = await lessonOf('adaptive-threshold');
    for (const value of ['static', 'adaptive']) {
      const { measured } = tried(lesson, value);
      const [call = NaN, download = NaN] = lesson.readings.map(({ of }) => of(measured));
      expect(call + download).toBeGreaterThan(0.9);
      expect(call + download).toBeLessThanOrEqual(1.001);
    }
  });

  it('merging bursts uses more of a link that pauses, with each of five seeds', async () => {
    const lesson = await lessonOf('packet-grouping');
    for (const seed of [1, 2, 3, 4, 5]) {
      const merged = tried(lesson, 'grp', seed).measured.forward.utilisation;
      expect(merged).toBeGreaterThan(tried(lesson, 'off', seed).measured.forward.utilisation);
    }
  });

  type Column =
    | 'time_us'
    | 'a_r_bps'
    | 'a_s_bps'
    | 'signal'
    | 'state'
    | 'fraction_lost'
    | 'noise_variance_ms2'
    | 'received_rate_bps';
  /** The rows of a table of a lesson's run. */
  const rowsOf = async (
    id: string,
    choice: string,
    table: 'group' | 'rate',
  ): Promise<((name: Column) => number)[]> => {
    const columns = tableSpec(table).columns.map(({ name }) => name);
    const { scenario } = await lessonOf(id);
    const trace = { tables: [table] };
    const { batches } = runCell(core, parseScenario(scenario), { choice }, 1, { trace });
    return batches.flatMap((batch) =>
      Array.from({ length: batch.rows }, (_, row) => (name: Column) => {
        return batch.columns[columns.indexOf(name)]?.[row] ?? NaN;
      }),
    );
  };

  it('A_r grows as fast as the lesson says until the first overuse, and far more slowly afterwards', async () => {
    const text = textOf((await lessonOf('rate-controller')).text);
    const [, first = NaN] = /about (\d+) % a second until the first overuse/.exec(text) ?? [];
    const [, later = NaN] = /by (\d+) % a second once that maximum is no longer valid/.exec(text) ?? [];
    const perSecond = 1 + Number(first) / 100;
    const OVERUSE = 2;
    for (const choice of ['0.85', '0.95', '0.5']) {
      const rows = await rowsOf('rate-controller', choice, 'group');
      const at = (us: number) => rows.findLast((row) => row('time_us') <= us);
      const firstUs = rows.find((row) => row('signal') === OVERUSE)?.('time_us') ?? NaN;
      const [start, before] = [rows[0], at(firstUs - 1)];
      const elapsedS = ((before?.('time_us') ?? NaN) - (start?.('time_us') ?? NaN)) / 1e6;
      const factor = ((before?.('a_r_bps') ?? NaN) / (start?.('a_r_bps') ?? NaN)) ** (1 / elapsedS);
      expect(Math.abs(factor - perSecond), choice).toBeLessThan(0.05);
      for (let us = firstUs + 2e6; us < 90e6; us += 0.2e6) {
        const growth = (at(us)?.('a_r_bps') ?? NaN) / (at(us - 1e6)?.('a_r_bps') ?? NaN);
        expect(growth).toBeLessThanOrEqual(1 + Number(later) / 100);
      }
    }
  });

  it('the gain of the filter is what the answer says', async () => {
    const text = textOf((await lessonOf('kalman-filter')).prediction.because);
    const [, large = NaN, small = NaN] = /about ([\d.]+) instead of ([\d.]+)\)/.exec(text) ?? [];
    const gainOf = async (choice: string): Promise<number> => {
      const rows = await rowsOf('kalman-filter', choice, 'group');
      const variances = rows.map((row) => row('noise_variance_ms2')).sort((a, b) => a - b);
      const noise = variances[variances.length >> 1] ?? NaN;
      const q = Number(choice);
      // The uncertainty at which a step of the filter (ToN, equation 7) changes nothing: P = (1 − K) P + Q.
      const uncertainty = (q + Math.sqrt(q * q + 4 * q * noise)) / 2;
      return uncertainty / (uncertainty + noise);
    };
    expect((await gainOf('1')) / Number(large)).toBeCloseTo(1, 0);
    expect((await gainOf('1e-3')) / Number(small)).toBeCloseTo(1, 0);
  });

  it('cuts begin below the capacity where there is much jitter or the filter is nervous', async () => {
    const DECREASE = 2;
    /** The rate that was received at the median cut. */
    const cutAt = async (id: string, choice: string): Promise<number> => {
      const rows = await rowsOf(id, choice, 'group');
      const cuts = rows.filter((row, i) => row('state') === DECREASE && rows[i - 1]?.('state') !== DECREASE);
      const rates = cuts.map((row) => row('received_rate_bps')).sort((a, b) => a - b);
      expect(rates.length).toBeGreaterThan(3);
      return rates[rates.length >> 1] ?? NaN;
    };
    expect(await cutAt('delay-variation', 'none')).toBeGreaterThan(0.97e6);
    expect(await cutAt('delay-variation', '60ms')).toBeLessThan(0.85e6);
    const nervous = await cutAt('kalman-filter', '1');
    expect(nervous).toBeLessThan(0.9 * (await cutAt('kalman-filter', '1e-3')));
  });

  it('with α = 0.85 there is no underuse and no Hold, with the others for moments', async () => {
    const [HOLD, UNDERUSE] = [0, 1];
    const shareOfRows = async (choice: string, column: 'state' | 'signal', value: number) => {
      const rows = await rowsOf('rate-controller', choice, 'group');
      return rows.filter((row) => row(column) === value).length / rows.length;
    };
    expect(await shareOfRows('0.85', 'state', HOLD)).toBe(0);
    expect(await shareOfRows('0.85', 'signal', UNDERUSE)).toBe(0);
    for (const choice of ['0.95', '0.5']) {
      expect(await shareOfRows(choice, 'state', HOLD)).toBeGreaterThan(0);
      expect(await shareOfRows(choice, 'state', HOLD)).toBeLessThan(0.05);
    }
  });

  it('with 5 % of random losses, A_s creeps upwards after the start, far more slowly than without', async () => {
    const atS = async (choice: string, second: number): Promise<number> => {
      const rows = await rowsOf('loss-based-control', choice, 'rate');
      return rows.findLast((row) => row('time_us') <= second * 1e6)?.('a_s_bps') ?? NaN;
    };
    const [started, ended] = [await atS('5', 5), await atS('5', 60)];
    expect(ended).toBeGreaterThan(started);
    // Without losses, far more is reached within the first tenth of the time.
    expect(await atS('0', 6)).toBeGreaterThan(2 * ended);
  });

  it('alone on the link of the lesson on losses, NewReno uses about half of it at 2 %', async () => {
    const lesson = await lessonOf('loss-based-control');
    const newReno = { kind: 'tcp', name: 'download', congestion_control: 'new_reno' };
    const alone = { ...lesson, scenario: { ...lesson.scenario, flows: [newReno] } };
    for (const seed of [1, 2, 3]) {
      const { forward } = tried(alone, '0', seed, { 'forward.loss_ratio': 0.02 }).measured;
      expect(forward.utilisation).toBeCloseTo(0.5, 1);
    }
  });

  it('A_s is never above A_r, and falls with it where nothing is lost', async () => {
    const lesson = await lessonOf('loss-based-control');
    expect(textOf(lesson.text)).toMatch(/A_s is also never above the receiver’s A_r \(CMP/);
    expect(textOf(lesson.text)).toContain('A_s falls with A_r even where nothing is lost');
    let falls = 0;
    for (const { name } of lesson.scenario.axes[0].values) {
      const rows = await rowsOf(lesson.id, name, 'rate');
      expect(rows.length).toBeGreaterThan(100);
      rows.forEach((row, i) => {
        expect(row('a_s_bps')).toBeLessThanOrEqual(row('a_r_bps'));
        if (name !== '0' || !(row('a_s_bps') < (rows[i - 1]?.('a_s_bps') ?? NaN))) return;
        expect(row('fraction_lost')).toBe(0);
        expect(row('a_s_bps')).toBe(row('a_r_bps'));
        falls += 1;
      });
    }
    expect(falls).toBeGreaterThan(3);
  });

  it('LCC uses far more of a link that loses at random than GCC', async () => {
    const [lcc, gcc] = await both('lcc-density', 'lcc', 'gcc');
    expect(lcc.measured.forward.utilisation).toBeGreaterThan(2 * gcc.measured.forward.utilisation);
  });
});
