import { describe, expect, it } from 'vitest';

import { readScenario, registryIds } from '../../../src/node/scenarios.js';
import {
  cellsOf,
  compile,
  instantiate,
  largestDelayGradient,
  quantitiesOf,
  selects,
  type Scenario,
} from '../../../src/scenario/index.js';
import { METRICS, selectedFlows } from '../../../src/scenario/metrics.js';

/** What the papers and RFC 8867 hold, and is here: gcc-ton-2017 but Fig. 5, gcc-aqm-2016, RMCAT 5.1 to 5.8. */
const EXPERIMENTS = [
  ...[4, 5, 6, 7, 8].map((figure) => `aqm-fig${figure}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((test) => `rmcat-5.${test}`),
  ...[6, 7, 8, 10, 11, 12, 13, 14].map((figure) => `ton-fig${figure}`),
  'ton-prop1',
];

describe('the registry', () => {
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
