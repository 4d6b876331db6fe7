import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, tableSpec, type Core } from '../../src/core/index.js';
import { readScenario, registryIds } from '../../src/command_line/scenarios.js';
import { version } from '../../src/html/version.js';
import { cellsOf, compile, instantiate } from '../../src/scenario/index.js';
import { ccscope, rows, scratch } from './support.js';

const WASM = new URL('../../src/core/ccscope.wasm', import.meta.url);
const { path, write } = scratch();
let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

interface Report {
  experiments: {
    id: string;
    runs: number;
    seed: number;
    cells: {
      params: Record<string, string>;
      metrics: {
        name: string;
        unit: string;
        published?: number;
        band?: [number, number];
        verdict?: string;
        measured: { mean: number; sd: number | null; ci95: (number | null)[]; n: number };
      }[];
    }[];
    claims: { id: string; holds: boolean | null }[];
  }[];
}

async function report(...args: string[]): Promise<Report> {
  const { status, stdout, stderr } = await ccscope(['run', ...args, '--json', '-']);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout) as Report;
}

/** The example scenario in a guide. */
function guideExample(path = 'src/scenario/README.md'): string {
  const guide = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return /<!-- example: a scenario -->\s+```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
}

const short = {
  ccscope_scenario: 1,
  id: 'short',
  title: 'A short one',
  description: 'One flow.',
  duration_s: 20,
  forward: { capacity: '1mbps', queue: 'droptail:300ms', one_way_delay_ms: 25 },
  flows: [{ kind: 'media', name: 'gcc' }],
  metrics: [{ metric: 'utilisation' }, { metric: 'loss_ratio' }],
};

describe('ccscope run', () => {
  it('reads a scenario whose file begins with a byte order mark', async () => {
    const { experiments } = await report(write('marked.json', `\uFEFF${JSON.stringify(short)}`));
    expect(experiments.map(({ id }) => id)).toEqual(['short']);
  });

  it('lists the registry, ids before titles, in lines that fit', async () => {
    const { status, stdout } = await ccscope(['run', '--list']);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const ids = lines.flatMap((line) => /^ {2}(\S+) {2,}\S/.exec(line)?.[1] ?? []);
    expect(ids).toEqual(registryIds());
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
    const words = stdout.split(/\s+/).join(' ');
    for (const id of ids) expect(words).toContain(`${id} ${readScenario(id).title} `);
  });

  it('lists the ids when one is unknown, or the nearest ones', async () => {
    const unknown = await ccscope(['run', 'something-else']);
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain(`The ids are ${registryIds().join(', ')}.`);
    expect((await ccscope(['run', 'ton-fig12x'])).stderr).toContain('Did you mean ton-fig12 or');
  });

  it('runs the scenario of the guide: cells, verdicts and claims', async () => {
    const file = write('share.json', guideExample());
    const { experiments } = await report(file, '--runs', '3');
    const [experiment] = experiments;
    expect(experiment).toMatchObject({ id: 'share', runs: 3, seed: 1 });
    expect(experiment?.cells.map(({ params }) => `${params['queue']} ${params['capacity']}`)).toEqual([
      'droptail 2mbps',
      'droptail 4mbps',
      'sfq 2mbps',
      'sfq 4mbps',
    ]);
    const [droptail, , sfq] = experiment?.cells ?? [];
    expect(droptail?.metrics.some(({ verdict }) => verdict !== undefined)).toBe(false);
    expect(sfq?.metrics[0]).toMatchObject({
      name: 'loss_ratio',
      unit: 'ratio',
      published: 0,
      band: [0, 0.003],
    });
    expect(sfq?.metrics[0]?.measured.n).toBe(3);
    // Section 4.2 of the AQM paper: a TCP flow fills DropTail's queue of 300 ms; with SFQ, the call's packets
    // do not wait behind TCP packets.
    expect(experiment?.claims).toMatchObject([{ id: 'sfq-delays-less', holds: true }]);
  });

  it('prints a table per cell, what was published, claims, and a chart where there is one cell', async () => {
    const file = write('share.json', guideExample());
    const all = await ccscope(['run', file]);
    expect(all.stdout).toContain('4 cells, 1 run of 60 s, seed 1 (the scenario asks for 3: --runs 3)');
    expect(all.stdout).toMatch(/queue sfq, capacity 4mbps +\d/);
    expect(all.stdout).toMatch(/loss ratio, window shared +0 % +0 … 0\.30 % /);
    expect(all.stdout).toMatch(
      /✓ holds +\[1\] the call waits less.*\(2 of 2 cases, fewer than two runs to compare, not tested\)/,
    );
    const one = await ccscope(['run', file, '--cell', 'queue=sfq', '--cell', 'capacity=2mbps']);
    expect(one.stdout).toContain('queue sfq, capacity 2mbps, 1 run of 60 s, seed 1');
    expect(one.stdout).toMatch(/download +[▁▂▃▄▅▆▇█ ]+ of \d+ kbps/);
  });

  it.each(['src/scenario/README.md', 'src/command_line/README.md'])(
    'runs the scenario of the guide with the command that %s gives for it',
    async (guide) => {
      const text = readFileSync(new URL(`../../${guide}`, import.meta.url), 'utf8');
      const [, args = ''] = /^npx ccscope run scenario\.json (.*)$/m.exec(text) ?? [];
      expect(args).toContain('--trace run.ndjson');
      const file = write('scenario.json', guideExample());
      const trace = path('guide.ndjson');
      const { status, stderr } = await ccscope([
        'run',
        file,
        ...args.replace('run.ndjson', trace).split(' '),
      ]);
      expect(stderr).toBe('');
      expect(status).toBe(0);
      expect(rows(readFileSync(trace, 'utf8'))[0]).toMatchObject({ scenario: 'share' });
    },
  );

  it('sets a parameter to one of its named values', async () => {
    const file = write(
      'lossy.json',
      JSON.stringify({ ...short, forward: { ...short.forward, loss_ratio: 0.05 } }),
    );
    const cellsWith = async (nack: string): Promise<unknown> =>
      (await report(file, '--set', `flows.gcc.source.nack=${nack}`)).experiments[0]?.cells;
    const named = await cellsWith('on');
    expect(named).toEqual(await cellsWith('1'));
    expect(named).not.toEqual(await cellsWith('off'));
  });

  it('gives the same numbers for the same seed, and others for another', async () => {
    const file = write('short.json', JSON.stringify(short));
    const [first, again, other] = [
      await report(file, '--seed', '7', '--runs', '2'),
      await report(file, '--seed', '7', '--runs', '2'),
      await report(file, '--seed', '8', '--runs', '2'),
    ];
    expect(again.experiments).toEqual(first.experiments);
    expect(other.experiments).not.toEqual(first.experiments);
  });

  it('counts runs with the seeds that follow', async () => {
    const file = write('short.json', JSON.stringify(short));
    const mean = async (...args: string[]): Promise<number> =>
      (await report(file, ...args)).experiments[0]?.cells[0]?.metrics[0]?.measured.mean ?? NaN;
    const [one, two] = [await mean('--seed', '7'), await mean('--seed', '8')];
    expect(await mean('--seed', '7', '--runs', '2')).toBeCloseTo((one + two) / 2, 12);
  });

  it('says which code made the numbers, and how', async () => {
    const file = write('short.json', JSON.stringify(short));
    const { stdout } = await ccscope(['run', file, '--json', '-']);
    const hash = createHash('sha256').update(readFileSync(WASM)).digest('hex');
    expect(JSON.parse(stdout)).toMatchObject({
      ccscope: version(),
      core_sha256: hash,
      command: `ccscope run ${file} --json -`,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
    const text = await ccscope(['run', file, '--trace', path('code.ndjson')]);
    // The chart fits a terminal, however many rows the trace has.
    expect(Math.max(...text.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(text.stdout).toContain(`ccscope ${version()}, core ${hash.slice(0, 12)}\n`);
    const [header] = rows(readFileSync(path('code.ndjson'), 'utf8'));
    expect(header).toMatchObject({ ccscope: version(), core_sha256: hash, seed: 1 });
  });

  it('writes one row of CSV for each metric of each cell', async () => {
    const file = write('share.json', guideExample());
    const csv = path('share.csv');
    await ccscope(['run', file, '--runs', '2', '--cell', 'queue=sfq', '--csv', csv]);
    const lines = readFileSync(csv, 'utf8').trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'scenario,queue,capacity,metric,flow,window,path,unit,mean,sd,ci95_low,ci95_high,n,seed,controllers,ccscope,core_sha256',
    );
    expect(
      lines.slice(1).some((line) => /^share,sfq,2mbps,fair_share_ratio,,shared,,1,[\d.]+,/.test(line)),
    ).toBe(true);
    const plain = await ccscope(['run', file, '--cell', 'queue=sfq', '--csv', '-']);
    expect(plain.stdout).toMatch(/^scenario,queue,.*\r\nshare,sfq,/);
  });

  it('writes the cells of a map as CSV, too', async () => {
    const map = JSON.parse(readFileSync('public/scenarios/ton-fig5.json', 'utf8')) as {
      windows?: object[];
      axes: { log?: { count: number } }[];
    };
    Object.assign(map, { duration_s: 2, windows: [{ name: 'measured', begin_s: 0, end_s: 2 }] });
    for (const { log } of map.axes) if (log) log.count = 2;
    const file = write('map.json', JSON.stringify(map));
    const { stdout } = await ccscope(['run', file, '--csv', '-']);
    const lines = stdout.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^scenario,.*k_u,k_d.*,metric,/);
    // One row for each of the 2 × 2 points in each of the three parts.
    expect(lines).toHaveLength(1 + 2 * 2 * 3);
  });

  it('changes settings in all cells', async () => {
    const file = write('short.json', JSON.stringify(short));
    const changed = {
      ...short,
      forward: { ...short.forward, queue: 'codel' },
      flows: [{ ...short.flows[0], start_s: 2 }],
    };
    const written = write('changed.json', JSON.stringify(changed));
    const set = ['--set', 'forward.queue=codel', '--set', 'flows.gcc.start_s=2'];
    const [byOption, byFile, before] = [
      await report(file, ...set),
      await report(written),
      await report(file),
    ];
    expect(byOption.experiments[0]?.cells).toEqual(byFile.experiments[0]?.cells);
    expect(byOption.experiments[0]?.cells).not.toEqual(before.experiments[0]?.cells);
  });

  it('measures rates, shares, losses and the queue where a scenario asks for nothing', async () => {
    const { metrics: _, ...bare } = short;
    const { stdout } = await ccscope(['run', write('bare.json', JSON.stringify(bare))]);
    for (const metric of ['receive rate, gcc', 'fair share ratio, gcc', 'loss ratio, gcc'])
      expect(stdout).toMatch(new RegExp(`  ${metric} +\\d`));
    expect(stdout).toMatch(/path queue delay p95 +\d/);
  });

  describe('what a paper published', () => {
    const original = JSON.parse(
      readFileSync(new URL('../../public/scenarios/ton-fig11.json', import.meta.url), 'utf8'),
    ) as { duration_s: number; forward: object; backward?: object };
    const cell = ['--cell', 'capacity=0.5mbps', '--cell', 'queue=150ms'];
    const quick = { ...original, id: 'mine' };
    const judged = /the paper says|holds|published {2}/;

    it('stands beside an unchanged copy', async () => {
      const { stdout } = await ccscope(['run', write('copy.json', JSON.stringify(quick)), ...cell]);
      expect(stdout).toMatch(judged);
      expect(stdout).not.toContain('note: The settings differ');
    });

    it.each<[what: string, change: object]>([
      ['with another delay', { forward: { ...original.forward, one_way_delay_ms: 100 } }],
      [
        'with another name of the paper',
        { paper: undefined, source: undefined, duration_s: 1 + original.duration_s },
      ],
    ])('does not stand beside a copy %s, whose numbers are measured', async (_, change) => {
      const file = write('other.json', JSON.stringify({ ...quick, ...change }));
      const { stdout } = await ccscope(['run', file, ...cell]);
      expect(stdout).not.toMatch(judged);
      expect(stdout).toContain('note: The settings differ from those of ton-fig11. What a paper published');
      expect(stdout).toMatch(/utilisation +\d/);
      const { experiments } = await report(file, ...cell);
      expect(experiments[0]?.claims).toEqual([]);
      expect(experiments[0]?.cells[0]?.metrics.every(({ verdict }) => verdict === undefined)).toBe(true);
    });

    it.each<[why: string, args: string[]]>([
      ['--controller put in charge nada for all calls.', ['--controller', 'nada']],
      ['--set changed forward.queue to codel.', ['--set', 'forward.queue=codel']],
    ])('does not stand beside an experiment that options change: %s', async (why, args) => {
      const { stdout } = await ccscope(['run', 'ton-fig11', ...cell, ...args]);
      expect(stdout).not.toMatch(judged);
      expect(stdout).toContain(`note: ${why} What a paper published applies to its own experiment`);
    });
  });

  it('gives one flow another controller', async () => {
    const flows = [
      { kind: 'media', name: 'a', preset: 'gcc' },
      { kind: 'media', name: 'b', preset: 'gcc' },
    ];
    const two = write('two.json', JSON.stringify({ ...short, flows, metrics: [] }));
    const other = write(
      'nada.json',
      JSON.stringify({
        ...short,
        flows: [flows[0], { kind: 'media', name: 'b', controller: 'nada' }],
        metrics: [],
      }),
    );
    const trace = path('two.ndjson');
    const { stdout } = await ccscope(['run', two, '--controller', 'b=nada', '--trace', trace]);
    expect(stdout).toMatch(/controller nada for b, 1 run/);
    expect(stdout).toMatch(/receive rate, b \(nada\) +\d/);
    expect(stdout).toMatch(/\n {2}b \(nada\) +[▁▂▃▄▅▆▇█ ]+ of/);
    const [header] = rows(readFileSync(trace, 'utf8'));
    expect(header?.['flows']).toMatchObject([{ controller: 'gcc' }, { controller: 'nada' }]);
    const cells = async (...args: string[]): Promise<unknown> =>
      (await report(...args)).experiments[0]?.cells;
    expect(await cells(two, '--controller', 'b=nada')).toEqual(await cells(other));
  });

  it('runs the competition of the guide to controllers', async () => {
    const file = write('versus.json', guideExample('public/controllers/README.md'));
    const { stdout } = await ccscope(['run', file, '--controller', 'mine=nada']);
    expect(stdout).toMatch(/receive rate, gcc +\d/);
    expect(stdout).toMatch(/receive rate, mine \(nada\) +\d/);
  });

  it('says of a flow whose author had another controller that it is not that', async () => {
    const flows = [{ kind: 'media', name: 'own', preset: 'gcc', own_controller: 'ctl.js' }];
    const file = write('own.json', JSON.stringify({ ...short, flows }));
    const { stdout } = await ccscope(['run', file]);
    expect(stdout).toMatch(
      /note: The flow own was made with a controller of its author, ctl\.js.* gcc takes its place/,
    );
    expect((await ccscope(['run', file, '--controller', 'own=nada'])).stdout).not.toContain('note:');
  });

  it('writes a trace that replays to the same rows', async () => {
    const file = write('short.json', JSON.stringify(short));
    const { status } = await ccscope(['run', file, '--trace', path('short.ndjson')]);
    expect(status).toBe(0);
    const trace = rows(readFileSync(path('short.ndjson'), 'utf8'));
    expect(trace[0]).toMatchObject({ ccscope_trace: 1, source: 'simulator', scenario: 'short', seed: 1 });
    const groups = trace.filter(({ type }) => type === 'group');
    expect(groups.length).toBeGreaterThan(100);
    const replayed = await ccscope(['replay', path('short.ndjson'), '--rows', 'group']);
    expect(rows(replayed.stdout)).toEqual(groups);
  });

  it('reads a trace of mahimahi beside the scenario', async () => {
    write('lte.trace', '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n');
    const capacity = { mahimahi: 'lte.trace' };
    const file = write(
      'lte.json',
      JSON.stringify({
        ...short,
        forward: { ...short.forward, capacity },
        metrics: [{ metric: 'capacity_bps' }],
      }),
    );
    const { experiments } = await report(file);
    // 1504 bytes per millisecond are 12.032 Mbps.
    expect(experiments[0]?.cells[0]?.metrics[0]?.measured.mean).toBeCloseTo(12_032_000, 3);
  });

  it.each([1, 20, 200])('draws a chart of the same width for a duration of %d s', async (seconds) => {
    const file = write('durations.json', JSON.stringify(short));
    const { stdout } = await ccscope(['run', file, '--set', `duration_s=${seconds}`]);
    const [, bars = ''] = /over time\n\s+\S+\s+([▁-█ ]+) of/.exec(stdout) ?? [];
    expect(bars.length).toBeGreaterThan(50);
    expect(bars.length).toBeLessThanOrEqual(61);
  });

  it.each<[args: string[], expected: RegExp]>([
    [[], /scenario: expected an id or a file.*--list/],
    [['missing/one.json'], /^missing\/one\.json: no such file\n$/],
    [['ton-fig10', '--set', 'forward.queue'], /--set: expected path=value/],
    [['ton-fig10', '--set', 'forward.queu=codel'], /--set: ton-fig10\.forward\.queu: .*did you mean queue/],
    [['ton-fig10', '--set', 'runs=3'], /--set: runs: expected a path that begins with duration_s/],
    [
      ['ton-fig12', '--controller', 'gc=nada'],
      /--controller: expected the name of a call of ton-fig12 \(gcc\); got gc\. Did you mean gcc/,
    ],
    [['ton-fig12', '--controller', 'nada', '--controller', 'lcc'], /one controller for all flows, got two/],
    [['ton-fig9'], /ton-fig9: neither the id of a scenario nor a file.*Did you mean ton-fig/],
    [['ton-fig11', '--cell', 'queue'], /--cell: expected axis=value, got queue/],
    [['ton-fig11', '--cell', 'quee=150ms'], /--cell.quee: .*did you mean queue/],
    [['ton-fig11', '--cell', 'queue=151ms'], /--cell.queue: .*150ms, 350ms, 700ms.*did you mean 150ms/],
    [['ton-fig11', '--trace', 'x.ndjson'], /--trace: expected one cell, got 12/],
    [['ton-fig11', '--trace', '-'], /--trace: expected a file, got -/],
    [['ton-fig10', '--runs', '0'], /--runs.*from 1/],
    [['ton-fig10', '--seed', '-1'], /--seed.*from 0/],
    [['ton-fig10', '--color'], /unknown option/],
  ])('refuses %j as bad usage', async (args, expected) => {
    const { status, stdout, stderr } = await ccscope(['run', ...args]);
    expect(stderr).toMatch(expected);
    expect(status).toBe(2);
    expect(stdout).toBe('');
  });

  it.each<[what: string, text: string, expected: RegExp]>([
    ['no JSON', '{', /bad.json: expected JSON/],
    [
      'a misspelt key',
      JSON.stringify({ ...short, duration: 1 }),
      /bad.json.duration: .*did you mean duration_s/,
    ],
    [
      'an RTT, which is two delays here',
      JSON.stringify({ ...short, forward: { capacity: '1mbps', rtt_ms: 50 } }),
      /bad.json.forward.rtt_ms: .*set one_way_delay_ms to half of it, in forward and in backward/,
    ],
    [
      'a trace that is not there',
      JSON.stringify({ ...short, forward: { capacity: { mahimahi: 'none.trace' } } }),
      /none.trace: no such file/,
    ],
    [
      'a parameter of TCP',
      JSON.stringify({ ...short, flows: [{ kind: 'tcp', name: 't', parameters: { cubic_b: 1 } }] }),
      /short.flows.t.parameters: .*did you mean cubic_c|cubic_beta/,
    ],
  ])('refuses %s in a file', async (_, text, expected) => {
    const { status, stderr } = await ccscope(['run', write('bad.json', text)]);
    expect(stderr).toMatch(expected);
    expect(status).toBe(2);
  });
});

describe('the registry', () => {
  it.each(registryIds())('%s is taken by the simulator in every cell', (id) => {
    const scenario = readScenario(id);
    for (const cell of cellsOf(scenario)) {
      const simulation = core.createSimulation(compile(instantiate(scenario, cell), 1));
      expect(simulation.nowUs).toBe(0);
      simulation.destroy();
    }
  });
});

describe('proposition 1', () => {
  const scenario = readScenario('ton-prop1');
  const frameMs = 1000 / 30;

  /**
   * Whether a detector with a static threshold signals overuse before the first loss. `gradient` is the
   * threshold: the growth of the delay divided by the time in which it grows.
   */
  function overuses(cell: Record<string, string>, gradient: number): boolean {
    const instance = instantiate(scenario, cell);
    const { durationUs, flows, ...rest } = compile(instance, 1);
    const [flow] = flows;
    if (flow?.kind !== 'media') throw new Error('expected a media flow');
    const parameters = {
      ...flow.parameters,
      // As in the text of the paper, the detector compares m itself with the threshold, and signals overuse at
      // once.
      detector_gain_groups: 1,
      overuse_time_ms: 0,
      overuse_min_groups: 1,
      overuse_needs_rising_m: 0,
      gamma_min_ms: 0,
      gamma_init_ms: gradient * frameMs,
    };
    const simulation = core.createSimulation({
      ...rest,
      durationUs,
      flows: [{ ...flow, parameters }],
      trace: { tables: ['group', 'arrival'] },
    });
    simulation.runUntil(durationUs);
    const batches = simulation.drain();
    simulation.destroy();
    const column = (table: 'group' | 'arrival', name: string): number[] => {
      const at = tableSpec(table).columns.findIndex((each) => each.name === name);
      return batches
        .filter((batch) => batch.table === table)
        .flatMap((batch) => [...(batch.columns[at] ?? [])]);
    };
    const overuse = tableSpec('group')
      .columns.find(({ name }) => name === 'signal')
      ?.values?.indexOf('overuse');
    const seqs = column('arrival', 'seq');
    const lossUs = column('arrival', 'arrival_time_us').find(
      (_, i) => i > 0 && seqs[i] !== (seqs[i - 1] ?? 0) + 1,
    );
    const timesUs = column('group', 'time_us');
    return column('group', 'signal').some(
      (signal, i) => signal === overuse && (timesUs[i] ?? NaN) < (lossUs ?? NaN),
    );
  }

  it.each([
    ['5s', '150ms'],
    ['5s', '700ms'],
    ['20s', '350ms'],
  ])('tau %s, queue %s: overuse is seen below the bound of eq. 18 and not above', (tau, queue) => {
    const [expectation] = (scenario.expectations ?? []).filter(
      ({ cells }) => cells?.['tau'] === tau && cells['queue'] === queue,
    );
    const bound = expectation?.published ?? NaN;
    expect(overuses({ tau, queue }, bound * 0.85)).toBe(true);
    expect(overuses({ tau, queue }, bound * 1.15)).toBe(false);
  });
});

describe('several scenarios', () => {
  it('run one after the other', async () => {
    const { experiments } = await report('ton-prop1', 'ton-fig7', '--runs', '1');
    expect(experiments.map(({ id }) => id)).toEqual(['ton-prop1', 'ton-fig7']);
  });

  it('are not judged by a comparison with a cell that was left out', async () => {
    const { experiments } = await report('grp-throughput', '--cell', 'filter=on', '--runs', '1');
    const metrics = experiments.flatMap(({ cells }) => cells).flatMap((cell) => cell.metrics);
    expect(metrics.filter(({ verdict }) => verdict === 'off')).toEqual([]);
  });

  it('run only if their trace can be written', async () => {
    const cell = ['ton-prop1', '--cell', 'tau=5s', '--cell', 'queue=150ms'];
    const { status, stderr } = await ccscope([
      'run',
      ...cell,
      '--trace',
      'no-such-folder/t.ndjson',
      '--json',
      '-',
    ]);
    expect([status, stderr]).toEqual([
      2,
      'no-such-folder/t.ndjson: its folder cannot be written to (ENOENT)\n',
    ]);
  });

  it('need a file for JSON or for CSV', async () => {
    const { status, stderr } = await ccscope(['run', 'ton-prop1', '--json', '-', '--csv', '-']);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('--csv: cannot write to standard output, since --json does'),
    ]);
  });
});
