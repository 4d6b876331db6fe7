import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { readScenario, registryIds } from '../../../src/command_line/scenarios.js';
import {
  cellsOf,
  compile,
  instantiate,
  largestDelayGradient,
  parseScenario,
  quantitiesOf,
  selects,
  type Scenario,
} from '../../../src/scenario/index.js';
import { flowNames } from '../../../src/scenario/compile.js';
import { METRICS, selectedFlows } from '../../../src/scenario/metrics.js';

/** The experiments of the papers and of RFC 8867, all of which must be in the registry. */
const EXPERIMENTS = [
  ...[1, 2, 3, 4].map((table) => `cmp-table${table}`),
  'lcc-table1',
  'lcc-fig1',
  'lcc-fig3',
  'lcc-fig4',
  ...[4, 5, 6, 7, 8].map((figure) => `aqm-fig${figure}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((test) => `rmcat-5.${test}`),
  ...[5, 6, 7, 8, 10, 11, 12, 13, 14].map((figure) => `ton-fig${figure}`),
  'ton-prop1',
];

type Published = [
  id: string,
  cell: Record<string, string>,
  metric: string,
  published: number,
  low: number,
  high: number,
];

/**
 * The tables of nada-vs-gcc-2016: utilisation, p5, p50, p95, loss, Jain's index; null if a table has no such
 * column.
 */
const CMP: readonly [id: string, controller: string, numbers: readonly (number | null)[]][] = [
  ['cmp-table1', 'gcc', [0.76, 11, 26.6, 40, 0.005, null]],
  ['cmp-table1', 'nada', [0.79, 11, 32.2, 53, 0.006, null]],
  ['cmp-table2', 'gcc', [0.81, 6, 20, 48, 0, 0.87]],
  ['cmp-table2', 'nada', [0.87, 7, 20, 50, 0, 0.95]],
  ['cmp-table3', 'gcc', [0.74, 5, 20, 44, 0.003, 0.84]],
  ['cmp-table3', 'nada', [0.77, 6, 38, 150, 0.01, 0.85]],
  ['cmp-table4', 'gcc', [0.98, null, null, null, 0.011, 0.8]],
  ['cmp-table4', 'nada', [0.97, null, null, null, 0.014, 0.81]],
];
/** Half of the band's width for each column. The band of Jain's index always extends up to 1. */
const HALF = [0.05, 8, 8, 25, 0.005, 0.05];

/** Table I of lcc-2018: utilisation in per cent, and queuing delay in ms, at 0, 2, 5 and 10 % of loss. */
const LCC: readonly [controller: string, utilisation: readonly number[], delay: readonly number[]][] = [
  ['gcc', [69.2, 59.5, 47.8, 14.6], [9.95, 8.11, 4.14, 1.87]],
  ['lcc', [82.4, 77.3, 70.6, 61.6], [25.5, 23.3, 17.6, 13.3]],
];
const LOSSES = ['0', '2', '5', '10'];

const cmpMetrics = (id: string): string[] => [
  id === 'cmp-table4' ? 'path_utilisation' : 'utilisation',
  ...['p5', 'p50', 'p95'].map((percentile) => `e2e_queue_delay_${percentile}_ms`),
  'loss_ratio',
  id === 'cmp-table4' ? 'jain_all_mean' : 'jain_mean',
];

const PUBLISHED: Published[] = [
  ...CMP.flatMap(([id, controller, numbers]) =>
    numbers.flatMap((published, i): Published[] => {
      const [metric = '', half = NaN] = [cmpMetrics(id)[i], HALF[i]];
      if (published === null) return [];
      const most = metric.endsWith('ms') ? Infinity : 1;
      const high = metric.startsWith('jain') ? 1 : Math.min(most, published + half);
      return [[id, { controller }, metric, published, Math.max(0, published - half), high]];
    }),
  ),
  ...LCC.flatMap(([controller, utilisation, delay]) =>
    LOSSES.flatMap((loss, i): Published[] => {
      const [u = NaN, d = NaN] = [utilisation[i], delay[i]];
      const cell = { controller, loss };
      return [
        ['lcc-table1', cell, 'utilisation', Number((u / 100).toFixed(6)), u / 100 - 0.05, u / 100 + 0.05],
        ['lcc-table1', cell, 'owd_queue_delay_mean_ms', d, 0.75 * d, 1.25 * d],
      ];
    }),
  ),
];

/** The distribution that a metric is a percentile of: `rtt` for `rtt_p95_ms`. Null for other metrics. */
const distributionOf = (metric: string): string | null => /^(.*)_p\d+_/.exec(metric)?.[1] ?? null;

/** The rule for bands (src/scenario/README.md): the largest half of a band's width, for the metrics that it is about. */
const RULE: readonly [metric: RegExp, half: number][] = [
  [/^(path_)?utilisation$/, 0.05],
  [/_p95_ms$/, 25],
  [/^loss_ratio$/, 0.003],
  [/^jain/, 0.07],
  [/^fair_share_ratio$/, 0.27],
];

/** The half of a band's width that the rule allows. 0 if the rule is not about the metric. */
const ruleOf = (metric: string): number => RULE.find(([name]) => name.test(metric))?.[1] ?? 0;

/** The beginning of `why` where the paper itself gives the limits of a band, such as "above 90 %". */
const PAPERS_OWN = /^(the paper's own (bound|range)|the bound of section|"less than)/;

describe('the registry', () => {
  it('has no claim that cannot fail: none compares two percentiles of one distribution', () => {
    const certain = registryIds().flatMap((id) =>
      (readScenario(id).claims ?? []).filter((claim) => {
        if (claim.kind !== 'compare' || typeof claim.than === 'number' || claim.than.cell) return false;
        const { metric = claim.metric, flow = claim.flow, window = claim.window } = claim.than;
        const distribution = distributionOf(metric);
        const isOne = distribution !== null && distribution === distributionOf(claim.metric);
        return isOne && flow === claim.flow && window === claim.window;
      }),
    );
    expect(certain).toEqual([]);
  });

  it('has every experiment', () => expect(registryIds()).toEqual(expect.arrayContaining(EXPERIMENTS)));

  it.each([
    ['ton-fig10', 1, 10],
    ['ton-fig11', 12, 10],
    ['ton-fig12', 18, 10],
    ['ton-fig14', 9, 10],
    ['aqm-fig4', 6, 6],
    ['aqm-fig5', 22, 6],
    ['aqm-fig6', 15, 6],
    ['aqm-fig7', 25, 6],
  ])('%s has %d cells and %d runs', (id, cells, runs) => {
    expect(cellsOf(readScenario(id))).toHaveLength(cells);
    expect(readScenario(id).runs).toBe(runs);
  });

  it.each(EXPERIMENTS)('%s can be checked again once it is checked, as pages do', (id) => {
    const scenario = readScenario(id);
    expect(parseScenario(structuredClone(scenario))).toEqual(scenario);
  });

  it.each(registryIds())('%s counts the flows of each group from 1, without a gap', (id) => {
    const { flows } = readScenario(id);
    const counted = flows.map((flow) => ({ ...flow, count: 3 }));
    const names = flows.flatMap(({ name }) => [`${name}-1`, `${name}-2`, `${name}-3`]);
    expect(flowNames({ flows: counted }).flat()).toEqual(names);
  });

  it('has the closed form of eq. 18 as what is published of proposition 1, and 15 % around it', () => {
    const scenario = readScenario('ton-prop1');
    for (const cell of cellsOf(scenario)) {
      const [expectation] = (scenario.expectations ?? []).filter(({ cells }) => selects(cells, cell));
      const [tau, queue] = [
        Number.parseFloat(cell['tau'] ?? ''),
        Number.parseFloat(cell['queue'] ?? '') / 1e3,
      ];
      const gradient = largestDelayGradient(queue, tau);
      expect(expectation?.published).toBeCloseTo(gradient, 6);
      expect(expectation?.band[0]).toBeCloseTo(gradient * 0.85, 6);
      expect(expectation?.band[1]).toBeCloseTo(gradient * 1.15, 6);
    }
  });

  it.each(PUBLISHED)(
    '%s, %j: %s is published as %d and may be %d to %d',
    (id, at, metric, published, low, high) => {
      const found = (readScenario(id).expectations ?? []).filter(
        (expectation) => expectation.metric === metric && selects(expectation.cells, at),
      );
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({ published, read: 'table' });
      expect(found[0]?.band[0]).toBeCloseTo(low, 9);
      expect(found[0]?.band[1]).toBeCloseTo(high, 9);
    },
  );

  it('gives the words of a paper wherever a number was chosen for them', () => {
    const inWords = registryIds()
      .flatMap((id) => readScenario(id).expectations ?? [])
      .filter(({ published_is: is }) => is === 'words');
    expect(inWords.length).toBeGreaterThan(0);
    for (const { says } of inWords) expect(says).toBeTruthy();
  });

  it('gives a reason for each band that is not by the rule, unless it is the paper’s own', () => {
    const all = registryIds().flatMap((id) =>
      (readScenario(id).expectations ?? []).map((expectation) => ({ id, ...expectation })),
    );
    const without = all
      .filter(({ wider_than_rule: reason }) => reason === undefined)
      .filter(({ metric, published, band: [low, high], why }) => {
        const half = Math.max(published - low, high - published);
        return half > ruleOf(metric) + 1e-9 && !PAPERS_OWN.test(why);
      });
    expect(without.map(({ id, metric, band }) => `${id} ${metric} ${band.join(' … ')}`)).toEqual([]);
    const guide = readFileSync(new URL('../../../src/scenario/README.md', import.meta.url), 'utf8');
    const reasons = all.filter(({ wider_than_rule: reason }) => reason !== undefined);
    expect(guide).toContain(
      `There are ${all.length} bands; ${reasons.length} of them are wider than the rule`,
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('rmcat-5.%d runs every controller, and compares them', (test) => {
    const scenario = readScenario(`rmcat-5.${test}`);
    const controllers = scenario.axes
      ?.find(({ name }) => name === 'controller')
      ?.values.map(({ name }) => name);
    expect(controllers).toEqual(['gcc', 'nada-2015', 'nada-rfc8698', 'lcc']);
    expect(scenario.comparison?.along).toBe('controller');
    const columns = scenario.comparison?.quantities.map(({ column }) => column);
    expect(columns).toEqual(
      expect.arrayContaining(['utilisation', 'queuing p50', 'queuing p95', 'loss', 'convergence']),
    );
    // Jain's index is a column only where several flows share a capacity.
    expect(columns?.includes("Jain's index")).toBe(![1, 3].includes(test));
    for (const cell of cellsOf(scenario)) {
      const used = instantiate(scenario, cell).flows.flatMap((flow) =>
        flow.kind === 'media' ? flow.preset : [],
      );
      expect(new Set(used)).toEqual(new Set([cell['controller']]));
    }
  });

  describe.each(registryIds())('%s', (id) => {
    const scenario: Scenario = readScenario(id);

    it('is called as its file, and says what it is and where it comes from', () => {
      expect(scenario.id).toBe(id);
      expect(scenario.paper).toBeTruthy();
      expect(scenario.source).toBeTruthy();
    });

    it('compiles in every cell, and every quantity has its flows there', () => {
      for (const cell of cellsOf(scenario)) {
        const instance = instantiate(scenario, cell);
        expect(compile(instance, 1).durationUs).toBe(instance.duration_s * 1e6);
        for (const quantity of quantitiesOf(scenario, cell)) {
          const { scope } = METRICS.get(quantity.metric) ?? {};
          if (scope !== 'flow' && scope !== 'trace') continue;
          const flows = selectedFlows(instance, quantity).flatMap((group) => group.flows);
          expect(flows, `${quantity.metric} of ${quantity.flow ?? 'the first'}`).not.toHaveLength(0);
        }
      }
    });

    it('has a number, a claim or something to measure in every cell', () => {
      for (const cell of cellsOf(scenario)) expect(quantitiesOf(scenario, cell)).not.toHaveLength(0);
    });

    it('says of each band why it is that', () => {
      for (const { why, band } of scenario.expectations ?? []) {
        expect(why.length).toBeGreaterThan(10);
        expect(band[0]).toBeLessThanOrEqual(band[1]);
      }
    });
  });
});
