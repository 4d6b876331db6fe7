import { describe, expect, it } from 'vitest';

import { Experiment } from '../../../src/app/papers/experiment.js';
import { costText, durationText, labLink } from '../../../src/app/papers/numbers.js';
import { ReportService } from '../../../src/app/papers/report_service.js';
import { parseScenario } from '../../../src/scenario/index.js';

const scenario = parseScenario({
  ccscope_scenario: 1,
  id: 'two-cells',
  title: 'Two cells',
  description: 'A slow and a fast link.',
  duration_s: 20,
  runs: 2,
  forward: {},
  flows: [{ kind: 'media', name: 'gcc' }],
  axes: [
    {
      name: 'capacity',
      values: [
        { name: 'slow', set: { 'forward.capacity': '1mbps' } },
        { name: 'fast', set: { 'forward.capacity': '10mbps' } },
      ],
    },
  ],
});

function planned(): Experiment {
  const experiment = new Experiment({ id: 'two-cells', title: '', description: '', paper: '', source: '' });
  experiment.plan.value = { ...new ReportService().open(scenario), scenario };
  return experiment;
}

describe('an experiment on the page', () => {
  it('runs every cell once before it runs one twice, the costly ones first', () => {
    const runs = planned().plan.value?.runs ?? [];
    const order = planned()
      .left()
      .map((index) => runs[index]);
    expect(order.map((run) => [run?.params['capacity'], run?.run])).toEqual([
      ['fast', 0],
      ['slow', 0],
      ['fast', 1],
      ['slow', 1],
    ]);
    expect(order.map((run) => run?.seed)).toEqual([1, 1, 2, 2]);
  });

  it('goes on with the runs that are left, and counts each once', () => {
    const experiment = planned();
    const [first = -1] = experiment.left();
    experiment.ended(first);
    experiment.ended(first);
    expect(experiment.done.value).toMatchObject({ runs: 1, simulatedS: 20 });
    expect(experiment.total.value).toMatchObject({ runs: 4, simulatedS: 80 });
    expect(experiment.left()).toHaveLength(3);
    expect(experiment.left()).not.toContain(first);
    experiment.clear();
    expect(experiment.left()).toHaveLength(4);
    expect(experiment.done.value.runs).toBe(0);
  });
});

describe('what running takes, in words', () => {
  it.each([
    [0.2, '1 s'],
    [119, '119 s'],
    [120, '2 min'],
    [7140, '119 min'],
    [1_680_000, '467 h'],
  ])('%d s is %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

  it('has runs, and how long each is where they are all as long', () => {
    expect(costText({ runs: 6656, simulatedS: 36_000 })).toBe('6,656 runs, 10 h of simulated time');
    expect(costText({ runs: 1, simulatedS: 300 }, 300)).toBe('1 run of 300 s each, 5 min of simulated time');
  });
});

it('the Lab is opened with the cell, in the theme that was chosen', () => {
  const cell = { capacity: '1mbps', 'loss & delay': 'a=b' };
  const query = new URL(labLink('ton-fig11', 'dark', cell), 'http://here').searchParams;
  expect(Object.fromEntries(query)).toEqual({
    scenario: 'ton-fig11',
    'cell.capacity': '1mbps',
    'cell.loss & delay': 'a=b',
    theme: 'dark',
  });
  expect(labLink('ton-fig11', 'auto')).toBe('./lab.html?scenario=ton-fig11');
});
