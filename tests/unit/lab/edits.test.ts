import { describe, expect, it } from 'vitest';

import { readScenario, registryIds } from '../../../src/command_line/scenarios.js';
import {
  mostFirstBps,
  parseSchedule,
  scaledSchedule,
  scheduleText,
} from '../../../src/link/capacity_text.js';
import { cellsOf, compile, instantiate, parseScenario, type Scenario } from '../../../src/scenario/index.js';
import { authorsFlows } from '../../../src/scenario/chosen_controller.js';
import { added, LEAST_BPS, moved, scaledBps } from '../../../src/app/lab/capacity_steps.js';
import {
  addFlow,
  changeController,
  changeDuration,
  changeFlow,
  changePath,
  changeRtt,
  changeOwnController,
  editable,
  FRESH_NETWORK,
  ownCall,
  pathOf,
  removeFlow,
  rttOf,
  type Edit,
} from '../../../src/app/lab/edits.js';
import { sweepables, sweepValues, SWEEP_STEPS } from '../../../src/app/lab/sweep/sweepable.js';

const fresh = parseScenario(FRESH_NETWORK);
/** Writes the scenario to JSON, as in a file or a link, and reads it again. */
const again = (scenario: Scenario): Scenario => parseScenario(JSON.parse(JSON.stringify(scenario)));

describe('a cell as a network to change', () => {
  it.each(registryIds())('%s: any cell can be saved, and is simulated as before', (id) => {
    const scenario = readScenario(id);
    const cells = cellsOf(scenario);
    for (const cell of [...cells.slice(0, 30), ...cells.slice(-5)]) {
      const network = editable(scenario, cell);
      expect(network.axes ?? network.expectations ?? network.claims).toBeUndefined();
      expect(network.id).not.toBe(scenario.id);
      expect(compile(again(network), 7)).toEqual(compile(instantiate(scenario, cell), 7));
    }
  });

  it('of the user’s own keeps its name', () => {
    expect(editable(fresh, {})).toEqual(fresh);
  });
});

describe('edits', () => {
  const edited = (...edits: Edit[]): Scenario =>
    again(edits.reduce((scenario, edit) => edit(scenario), fresh));

  it('leave the scenario that they were given', () => {
    const before = JSON.stringify(fresh);
    edited(
      changeRtt(200),
      changePath('forward', { capacity: '5mbps' }),
      removeFlow('call'),
      addFlow(TCP),
      addFlow(TCP),
    );
    expect(JSON.stringify(fresh)).toBe(before);
  });

  it('share a round trip between the two ways', () => {
    const { forward, backward } = edited(changeRtt(120));
    expect(forward.one_way_delay_ms).toBe(60);
    expect(backward?.one_way_delay_ms).toBe(60);
    expect(rttOf(edited(changeRtt(120)))).toBe(120);
    const { backward: _, ...oneWay } = fresh;
    expect(pathOf(oneWay, 'backward').one_way_delay_ms).toBe(fresh.forward.one_way_delay_ms);
  });

  it('take out what goes back to what is usual', () => {
    const lossy = edited(changePath('forward', { loss_ratio: 0.02 }));
    expect(lossy.forward.loss_ratio).toBe(0.02);
    expect(again(changePath('forward', { loss_ratio: undefined })(lossy))).toEqual(fresh);
  });

  it('give each flow a name of its own', () => {
    const names = edited(addFlow(CALL), addFlow(CALL), addFlow(TCP)).flows.map(({ name }) => name);
    expect(names).toEqual(['call', 'call-2', 'call-3', 'tcp']);
  });

  it('give a flow a name that no flow of a group has', () => {
    const { flows } = compile(edited(changeFlow('call', { count: 2 }), addFlow(CALL)), 1);
    expect(flows.map(({ name }) => name)).toEqual(['call-1', 'call-2', 'call-3']);
    const grown = edited(addFlow(CALL), changeFlow('call', { count: 2 }), addFlow(CALL));
    const names = compile(grown, 1).flows.map(({ name }) => name);
    expect(names).toEqual(['call-1', 'call-3', 'call-2', 'call-4']);
  });

  it('keep the bounds of the rate with another controller, and nothing else', () => {
    const tuned = edited(changeFlow('call', { parameters: { k_u: 0.02, max_bitrate_bps: 1e6 } }));
    const [flow] = again(changeController('call', 'nada-rfc8698')(tuned)).flows;
    expect(flow).toMatchObject({ preset: 'nada-rfc8698', parameters: { max_bitrate_bps: 1e6 } });
    expect(flow).not.toHaveProperty('controller');
  });

  it('leave no window behind the end of a shorter run', () => {
    const windows = [
      { name: 'begin', begin_s: 0, end_s: 20 },
      { name: 'end', begin_s: 40, end_s: 60 },
    ];
    const { windows: kept } = again(changeDuration(30)({ ...fresh, windows }));
    expect(kept?.map(({ name }) => name)).toEqual(['begin']);
  });
});

const CALL = { kind: 'media', name: 'call' } as const;
const TCP = { kind: 'tcp', name: 'tcp' } as const;

describe('a capacity that is drawn', () => {
  const steps = parseSchedule('1.5mbps,0.6mbps@20s,1.5mbps@40s');

  it('is the text that is read again', () => {
    expect(parseSchedule(scheduleText(steps))).toEqual(steps);
    expect(parseSchedule(scheduleText(parseSchedule('300kbps,0@2s,1.23mbps@2.5s')))).toEqual(
      parseSchedule('300kbps,0@2s,1.23mbps@2.5s'),
    );
  });

  it('scales as a whole', () => {
    expect(scaledSchedule('1.5mbps,0.6mbps@20s', 3e6)).toBe('3mbps,1.2mbps@20s');
  });

  it('scales a low rate to 1 bps, which is not an outage, and an outage to an outage', () => {
    const scaled = parseSchedule(scaledSchedule('1gbps,1kbps@10s,0@20s', 100e3));
    expect(scaled.map(({ capacityBps }) => capacityBps)).toEqual([100e3, 1, 0]);
  });

  it.each([
    ['2mbps', 1e11],
    ['1mbps,100mbps@10s', 1e9],
    ['1mbps,0@10s,0.5mbps@20s', 1e11],
  ])('%s scales until one of its steps has the largest rate', (schedule, mostBps) => {
    expect(mostFirstBps(schedule)).toBe(mostBps);
    expect(() => parseSchedule(scaledSchedule(schedule, mostBps))).not.toThrow();
    expect(() => parseSchedule(scaledSchedule(schedule, mostBps * 1.01))).toThrow();
  });

  it('keeps its steps in time order, wherever one is dragged to', () => {
    for (const atUs of [-5e6, 0, 10e6, 20e6, 39.99e6, 90e6]) {
      const dragged = moved(steps, 1, { atUs, capacityBps: 2e6 });
      expect(parseSchedule(scheduleText(dragged))).toEqual(dragged);
    }
    expect(moved(steps, 0, { atUs: 7e6, capacityBps: 0 })[0]).toMatchObject({ atUs: 0, capacityBps: 50e3 });
  });

  it('takes one more step, but not two at once', () => {
    const more = added(steps, { atUs: 30e6, capacityBps: 1e6 });
    expect(more.map(({ atUs }) => atUs / 1e6)).toEqual([0, 20, 30, 40]);
    expect(added(more, { atUs: 30e6, capacityBps: 2e6 })).toBe(more);
  });

  it('goes by keyboard to an outage and back, and never below what a drag reaches', () => {
    expect(scaledBps(1e6, 1.05)).toBe(1.05e6);
    expect(scaledBps(LEAST_BPS, 1 / 1.05)).toBe(0);
    expect(scaledBps(0, 1 / 1.05)).toBe(0);
    expect(scaledBps(0, 1)).toBe(0);
    expect(scaledBps(0, 1.05)).toBe(LEAST_BPS);
  });
});

describe('sweeps', () => {
  it.each(sweepables(fresh).map((each) => [each.id, each] as const))(
    '%s: each value gives a network that can be saved',
    (_, swept) => {
      const values = sweepValues(swept);
      expect(values.length).toBeGreaterThan(1);
      expect(values.length).toBeLessThanOrEqual(SWEEP_STEPS);
      expect(values).toEqual([...values].sort((a, b) => a - b));
      for (const value of values) expect(() => again(swept.edit(value)(fresh))).not.toThrow();
    },
  );

  it('have the times of an active queue management, and say that a schedule keeps its proportions', () => {
    const forward = { ...FRESH_NETWORK.forward, capacity: '3mbps,1mbps@30s', queue: 'fq_codel:target=8ms' };
    const found = sweepables(parseScenario({ ...FRESH_NETWORK, forward }));
    const of = (id: string) => found.find((each) => each.id === id);
    expect(of('queue.target_ms')).toMatchObject({ group: 'Queue, FQ-CoDel', now: 8, unit: 'ms' });
    expect(of('queue.interval_ms')).toMatchObject({ now: 100 });
    expect(of('queue.target_ms')?.edit(20)(fresh).forward.queue).toBe('fq_codel:target=20ms');
    expect(of('capacity')?.label).toBe('Capacity at first, later steps in proportion');
    expect(of('capacity')?.edit(6)(parseScenario({ ...FRESH_NETWORK, forward })).forward.capacity).toBe(
      '6mbps,2mbps@30s',
    );
  });

  it('show the value that the network has', () => {
    const now = Object.fromEntries(sweepables(fresh).map(({ id, now: value }) => [id, value]));
    expect(now).toMatchObject({ capacity: 2, queue: 300, rtt: 50, loss: 0, 'call.k_u': 0.01 });
  });
});

describe('a call for a controller of one’s own', () => {
  const network = editable(readScenario('ton-fig11'), cellsOf(readScenario('ton-fig11'))[0] ?? {});

  it('starts like the first call: with its bounds and its source, and with the name of the file', () => {
    const [first] = network.flows;
    const call = ownCall(network, 'ctl.js');
    expect(call).toMatchObject({ kind: 'media', preset: 'gcc', own_controller: 'ctl.js' });
    expect(call.parameters).toEqual({ max_bitrate_bps: 2e6 });
    expect(first).toMatchObject({ parameters: { max_bitrate_bps: 2e6 } });
    const added = parseScenario(addFlow(call)(network));
    expect(authorsFlows(added)).toEqual([{ flow: 'own', file: 'ctl.js', instead: 'gcc' }]);
    expect(editable(added, {}).flows.at(-1)).toEqual(call);
  });

  it('goes over to another file, and back to a preset', () => {
    const added = addFlow(ownCall(network, 'ctl.js'))(network);
    expect(authorsFlows(changeOwnController('new.js')(added))).toMatchObject([{ file: 'new.js' }]);
    const back = changeController('own', 'nada-rfc8698')(added);
    expect(authorsFlows(back)).toEqual([]);
    expect(parseScenario(back).flows.at(-1)).toMatchObject({ name: 'own', preset: 'nada-rfc8698' });
  });
});
