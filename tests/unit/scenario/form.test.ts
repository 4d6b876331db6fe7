import { describe, expect, it } from 'vitest';

import { CONTROLLER_NAMES, CONTROLLER_SPECS } from '../../../src/core/schema.js';
import { cellsOf, instantiate, parseScenario } from '../../../src/scenario/index.js';
import { minimal, problem, varied } from './support.js';

const withFlow = (flow: object): object => ({ ...minimal, flows: [{ ...minimal.flows[0], ...flow }] });
const withForward = (forward: object): object => ({
  ...minimal,
  forward: { ...minimal.forward, ...forward },
});
const expectation = {
  metric: 'utilisation',
  published: 0.9,
  where: 'section 1',
  read: 'text',
  band: [0.85, 0.95],
  why: 'a rule',
};
const claim = { kind: 'compare', id: 'c', says: 's', where: 'w', metric: 'jain', is: '<', than: 1 };
const monotone = {
  kind: 'monotone',
  id: 'm',
  says: 's',
  where: 'w',
  metric: 'jain',
  along: 'n',
  direction: 'rising',
};

describe('the form of a scenario', () => {
  it('takes what must be there, and no more is needed', () => {
    expect(parseScenario(minimal)).toEqual(minimal);
  });

  it.each<[what: string, input: unknown, field: string, expected: RegExp, fix: RegExp]>([
    ['no object', 3, 'scenario', /an object/, /correct/],
    [
      'a band without an end',
      { ...minimal, expectations: [{ ...expectation, band: [0, Infinity] }] },
      'scenario.expectations.0.band.1',
      /a number/,
      /correct/,
    ],
    ['a missing title', { ...minimal, title: undefined }, 'scenario.title', /a title/, /add it/],
    [
      'another version',
      { ...minimal, ccscope_scenario: 2 },
      'scenario.ccscope_scenario',
      /1, the version/,
      /correct/,
    ],
    [
      'an unknown key',
      { ...minimal, duration: 3 },
      'scenario.duration',
      /one of .*duration_s/,
      /did you mean duration_s/,
    ],
    [
      'an unknown key of a path',
      withForward({ capacityy: 1 }),
      'scenario.forward.capacityy',
      /capacity, /,
      /did you mean capacity\?/,
    ],
    [
      'an unknown key of a flow',
      withFlow({ prset: 'gcc' }),
      'scenario.flows.0.prset',
      /preset/,
      /did you mean preset/,
    ],
    [
      'a capacity',
      withForward({ capacity: 'fast' }),
      'scenario.forward.capacity',
      /a rate/,
      /1mbps or 500kbps/,
    ],
    [
      'a schedule',
      withForward({ capacity: '1mbps,2mbps' }),
      'scenario.forward.capacity',
      /RATE@TIME/,
      /write, for example,/,
    ],
    [
      'a queue',
      withForward({ queue: 'no-such-queue' }),
      'scenario.forward.queue',
      /droptail/,
      /droptail:300ms/,
    ],
    ['a ratio', withForward({ loss_ratio: 2 }), 'scenario.forward.loss_ratio', /from 0 to 1/, /correct/],
    ['a kind of flow', withFlow({ kind: 'medai' }), 'scenario.flows.0.kind', /media or tcp/, /correct/],
    ['no flows', { ...minimal, flows: [] }, 'scenario.flows', /at least one flow/, /correct/],
    ['half a run', { ...minimal, runs: 1.5 }, 'scenario.runs', /a whole number/, /correct/],
    [
      'a preset',
      withFlow({ preset: 'gcc-life' }),
      'test.flows.gcc.preset',
      /gcc-live/,
      /did you mean gcc-live/,
    ],
    [
      'a parameter',
      withFlow({ parameters: { alfa: 1 } }),
      'test.flows.gcc.parameters',
      /a parameter/,
      /did you mean alpha/,
    ],
    [
      'a parameter out of range',
      withFlow({ parameters: { alpha: 2 } }),
      'test.flows.gcc.parameters.alpha',
      /0.1 to 1/,
      /correct/,
    ],
    [
      'a source out of range',
      withFlow({ source: { noise_sd: 2 } }),
      'test.flows.gcc.source.noise_sd',
      /0 to 1/,
      /correct/,
    ],
    [
      'a misspelt name of a value',
      withFlow({ source: { nack: 'rxt' } }),
      'scenario.flows.0.source.nack',
      /^one of off, on, rtx$/,
      /correct/,
    ],
    [
      'a number that no name has',
      withFlow({ source: { nack: 5 } }),
      'test.flows.gcc.source.nack',
      /^one of off, on, rtx$/,
      /correct/,
    ],
    [
      'a name for a number',
      withFlow({ parameters: { alpha: 'on' } }),
      'scenario.flows.0.parameters.alpha',
      /^a number$/,
      /correct/,
    ],
    [
      'a flow that ends before it starts',
      withFlow({ start_s: 5, stop_s: 4 }),
      'test.flows.gcc',
      /a start before the end/,
      /correct/,
    ],
    [
      'a window beyond the end',
      { ...minimal, windows: [{ name: 'w', begin_s: 1, end_s: 11 }] },
      'test.windows.w',
      /within 10 s/,
      /correct/,
    ],
    [
      'a window called run',
      { ...minimal, windows: [{ name: 'run', begin_s: 1, end_s: 2 }] },
      'scenario.windows',
      /each name once/,
      /rename/,
    ],
    [
      'two flows of one name',
      { ...minimal, flows: [minimal.flows[0], minimal.flows[0]] },
      'scenario.flows',
      /each name once/,
      /rename/,
    ],
    [
      'a metric',
      { ...minimal, metrics: [{ metric: 'utilization' }] },
      'scenario.metrics.0.metric',
      /a metric/,
      /did you mean utilisation/,
    ],
    [
      'a flow of a metric',
      { ...minimal, metrics: [{ metric: 'loss_ratio', flow: 'gc' }] },
      'scenario.metrics.0.flow',
      /gcc/,
      /did you mean gcc/,
    ],
    [
      'a window of a metric',
      { ...minimal, metrics: [{ metric: 'loss_ratio', window: 'rn' }] },
      'scenario.metrics.0.window',
      /run/,
      /did you mean run/,
    ],
    [
      'a band without what was published',
      { ...minimal, expectations: [{ ...expectation, published: 1 }] },
      'scenario.expectations.0.band',
      /contains the published/,
      /correct/,
    ],
    [
      'a claim that is not there',
      { ...minimal, expectations: [{ ...expectation, claims: ['x'] }] },
      'scenario.expectations.0.claims',
      /the scenario has none/,
      /remove it/,
    ],
    [
      'an axis of an expectation',
      { ...varied, expectations: [{ ...expectation, cells: { quee: 'long' } }] },
      'scenario.expectations.0.cells.quee',
      /queue, n/,
      /did you mean queue/,
    ],
    [
      'a value of an expectation',
      { ...varied, expectations: [{ ...expectation, cells: { queue: 'lon' } }] },
      'scenario.expectations.0.cells.queue',
      /short, long/,
      /did you mean long/,
    ],
    [
      'a path of an axis',
      { ...minimal, axes: [{ name: 'a', values: [{ name: 'x', set: { 'forward.queu': 'codel' } }] }] },
      'test[a=x].forward.queu',
      /queue/,
      /did you mean queue/,
    ],
    [
      'a flow of an axis',
      { ...minimal, axes: [{ name: 'a', values: [{ name: 'x', set: { 'flows.gc.count': 2 } }] }] },
      'axes.a.x.set.flows.gc.count',
      /gcc/,
      /did you mean gcc/,
    ],
    [
      'what an axis must not set',
      { ...minimal, axes: [{ name: 'a', values: [{ name: 'x', set: { id: 'y' } }] }] },
      'axes.a.x.set.id',
      /begins with duration_s/,
      /forward.capacity/,
    ],
    ['a cell', { ...varied, cells: [{ queue: 'short', m: '1' }] }, 'cells.0.m', /queue, n/, /did you mean n/],
    [
      'an axis of a claim',
      { ...varied, claims: [{ ...monotone, along: 'm' }] },
      'scenario.claims.0.along',
      /queue, n/,
      /did you mean n/,
    ],
    [
      'another cell of a claim',
      { ...varied, claims: [{ ...claim, than: { cell: { n: '3' } } }] },
      'scenario.claims.0.than.cell.n',
      /1, 2, 4/,
      /did you mean|use one/,
    ],
    [
      'a column of a picture',
      { ...minimal, pictures: [{ kind: 'cdf', table: 'rate', column: 'rtt' }] },
      'scenario.pictures.0.column',
      /rtt_us/,
      /did you mean rtt_us/,
    ],
    [
      'capacity twice',
      withForward({ capacity_per_flow: '1mbps' }),
      'test.forward',
      /capacity or capacity_per_flow/,
      /remove/,
    ],
  ])('refuses %s, and says where and what instead', (_, input, field, expected, fix) => {
    const error = problem(() => parseScenario(input));
    expect(error.field).toBe(field);
    expect(error.expected).toMatch(expected);
    expect(error.fix).toMatch(fix);
  });

  const tcp = (parameters: object): object => ({
    ...minimal,
    flows: [{ kind: 'tcp', name: 'tcp', parameters }],
  });

  it.each<[what: string, named: object, numbered: object]>([
    ['the video source', withFlow({ source: { nack: 'rtx' } }), withFlow({ source: { nack: 2 } })],
    [
      'the default controller',
      withFlow({ parameters: { increase_mode: 'additive', alpha: 0.9 } }),
      withFlow({ parameters: { increase_mode: 1, alpha: 0.9 } }),
    ],
    [
      'another controller',
      withFlow({ controller: 'nada', parameters: { ramp_up_floor: 'gradual' } }),
      withFlow({ controller: 'nada', parameters: { ramp_up_floor: 2 } }),
    ],
    [
      'TCP',
      tcp({ sack: 'on', partial_ack_timer: 'slow_but_steady' }),
      tcp({ sack: 2, partial_ack_timer: 1 }),
    ],
  ])('takes the names of values of %s, as well as their numbers', (_, named, numbered) => {
    expect(parseScenario(named)).toEqual(parseScenario(numbered));
  });

  it('takes the name of a value from an axis, which may also choose the controller', () => {
    const set = { 'flows.gcc.controller': 'nada', 'flows.gcc.parameters.rate_origin': 'rmin' };
    const scenario = parseScenario({ ...minimal, axes: [{ name: 'a', values: [{ name: 'x', set }] }] });
    const [cell = {}] = cellsOf(scenario);
    expect(instantiate(scenario, cell).flows).toMatchObject([{ parameters: { rate_origin: 1 } }]);
  });

  it('has one number for each name of a value, whichever controller a flow has', () => {
    const numbers = new Map<string, number>();
    for (const { name, values = [] } of CONTROLLER_NAMES.flatMap(
      (controller) => CONTROLLER_SPECS[controller].parameters,
    ))
      for (const [number, value] of values.entries()) {
        expect(numbers.get(`${name} ${value}`) ?? number, `${name}: ${value}`).toBe(number);
        numbers.set(`${name} ${value}`, number);
      }
    expect(numbers.size).toBeGreaterThan(30);
  });

  it('does not let a path reach into the machinery of objects', () => {
    const axes = [{ name: 'a', values: [{ name: 'x', set: { 'forward.__proto__.polluted': 1 } }] }];
    expect(problem(() => parseScenario({ ...minimal, axes })).expected).toMatch(/the name of a setting/);
    expect({}).not.toHaveProperty('polluted');
  });
});
