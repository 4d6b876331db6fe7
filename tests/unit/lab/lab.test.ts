import { describe, expect, it } from 'vitest';

import { cellFor, valuesOf, withAxis, wrongChoices } from '../../../src/runs/cell_choice.js';
import { PRESET_NAMES, withPreset } from '../../../src/app/lab/controller_choice.js';
import { detailedFlow, drawnFlows, haveSameNumbers } from '../../../src/runs/flows.js';
import { fromFragment, toFragment } from '../../../src/runs/fragment.js';
import { FRESH_NETWORK } from '../../../src/app/lab/edits.js';
import { byPaper, matching } from '../../../src/app/lab/papers.js';
import { controllerOfPreset } from '../../../src/core/schema.js';
import { readScenario, registryIds } from '../../../src/command_line/scenarios.js';
import { cellsOf, instantiate, parseScenario, type Scenario } from '../../../src/scenario/index.js';
import { DEFAULT_LAB, parseLab, serialiseLab, type LabState } from '../../../src/app/lab/state.js';

describe('the state of the Lab in its address', () => {
  const state: LabState = {
    ...DEFAULT_LAB,
    scenario: 'ton-fig11',
    cell: { queue: '350ms', capacity: '' },
    controller: 'nada-rfc8698',
    seed: 0,
    run: true,
    flow: 'gcc-2',
    draw: ['gcc-1', 'tcp.x'],
    packets: true,
    inside: true,
    window_s: 12.5,
    from_s: 30,
    hide: ['received-3', 'a_r'],
    theme: 'dark',
  };

  it('comes back as it was', () => {
    expect(parseLab(serialiseLab(state))).toEqual({ state, problems: [] });
  });

  it('comes back as it was with a window that begins before the run', () => {
    const early = { ...state, from_s: -5 };
    expect(parseLab(serialiseLab(early))).toEqual({ state: early, problems: [] });
  });

  it('is empty for the defaults', () => {
    expect(serialiseLab(DEFAULT_LAB)).toBe('');
    expect(parseLab('')).toEqual({ state: DEFAULT_LAB, problems: [] });
  });

  it('names what it does not understand, and takes the default there', () => {
    const { state: read, problems } = parseLab(
      'seed=1.5&cell.queue=a%20b&speed=9&run=yes&from_s=7&controller=bbr',
    );
    expect(read).toEqual({ ...DEFAULT_LAB, from_s: 7 });
    expect(problems.map(({ field }) => field)).toEqual(['seed', 'cell.queue', 'speed', 'run', 'controller']);
    expect(problems.every(({ expected }) => expected !== '')).toBe(true);
  });
});

describe('a scenario of one’s own in the address', () => {
  it('comes back as it was', async () => {
    const text = JSON.stringify({ title: 'T̄_q – 350 ms', list: Array.from({ length: 500 }, (_, i) => i) });
    const fragment = await toFragment('own', text);
    expect(fragment).toMatch(/^own=[\w-]+$/);
    expect(await fromFragment('own', fragment)).toBe(text);
    expect(await fromFragment('own', 'top')).toBeNull();
    expect(await fromFragment('own', `${await toFragment('pin', 'other')}&${fragment}`)).toBe(text);
  });

  it('is refused where it is too long, and where it is damaged', async () => {
    const noise = Array.from({ length: 60_000 }, (_, i) => Math.sin(i).toString(36).slice(3, 8)).join('');
    expect(await toFragment('own', noise)).toBe('');
    await expect(fromFragment('own', 'own=AAAA!')).rejects.toThrow();
    await expect(fromFragment('own', `own=${'A'.repeat(1e6)}`)).rejects.toThrow(/at most 30000 characters/);
  });
});

describe('choosing a cell', () => {
  const cells = [
    { queue: 'codel', load: 'low' },
    { queue: 'codel', load: 'high' },
    { queue: 'pie', load: 'high' },
    { queue: 'none' },
  ];

  it('takes the first until something is wanted, then what agrees most', () => {
    expect(cellFor(cells, {})).toBe(cells[0]);
    expect(cellFor(cells, { queue: 'pie' })).toBe(cells[2]);
    expect(cellFor(cells, { queue: 'none', load: '' })).toBe(cells[3]);
    expect(cellFor([], { queue: 'pie' })).toEqual({});
  });

  it('keeps the other axes if there is such a cell, and moves them if not', () => {
    expect(withAxis(cells, { queue: 'codel', load: 'high' }, 'queue', 'pie')).toBe(cells[2]);
    expect(withAxis(cells, { queue: 'codel', load: 'low' }, 'queue', 'pie')).toBe(cells[2]);
    expect(withAxis(cells, { queue: 'pie', load: 'high' }, 'load', 'low')).toBe(cells[0]);
    expect(withAxis(cells, { queue: 'pie', load: 'high' }, 'load', '')).toBe(cells[3]);
  });

  it('names a choice that does not exist', () => {
    expect(wrongChoices(cells, { queue: 'pie', load: '' })).toEqual([]);
    expect(wrongChoices(cells, { queue: 'red', speed: '9' })).toEqual([
      { axis: 'queue', value: 'red', expected: 'one of codel, pie, none' },
      { axis: 'speed', value: '9', expected: 'an axis of this scenario (queue, load)' },
    ]);
  });

  it('lists the existing values', () => {
    expect(valuesOf(cells, 'load')).toEqual(['low', 'high', '']);
  });
});

describe('which flows are shown', () => {
  const direction = 'forward' as const;
  const flows = [
    ...Array.from({ length: 9 }, (_, flow) => ({
      flow,
      name: `tcp-${flow}`,
      kind: 'tcp' as const,
      direction,
    })),
    { flow: 9, name: 'a', kind: 'media' as const, direction },
    { flow: 10, name: 'b', kind: 'media' as const, direction },
  ];

  it('draws the media flows and some of the others, each with a look that it keeps', () => {
    const first = drawnFlows(flows, []);
    expect(first.map(({ name }) => name)).toEqual(['a', 'b', 'tcp-0', 'tcp-1', 'tcp-2', 'tcp-3']);
    const chosen = drawnFlows(flows, ['tcp-3', 'b']);
    expect(chosen.map(({ name }) => name)).toEqual(['b', 'tcp-3']);
    expect(chosen.every((flow) => flow.flow >= 9 || first.some((each) => each.look === flow.look))).toBe(
      true,
    );
    expect(new Set(first.map(({ look }) => look)).size).toBe(first.length);
  });

  it('draws the first flows if no flow has a chosen name any more', () => {
    expect(drawnFlows(flows, ['call'])).toEqual(drawnFlows(flows, []));
    expect(drawnFlows(flows, ['call', 'b']).map(({ name }) => name)).toEqual(['b']);
  });

  it('compares runs by the numbers of their flows', () => {
    const flow = (number: number, name: string, kind: 'media' | 'tcp' = 'media') => ({
      ...{ flow: number, name, kind, direction },
    });
    const two = [flow(0, 'call'), flow(1, 'call-2')];
    expect(haveSameNumbers(two, [...two, flow(2, 'tcp', 'tcp')])).toBe(true);
    expect(haveSameNumbers(two, [flow(0, 'call')])).toBe(true);
    expect(haveSameNumbers([flow(0, 'call')], [flow(0, 'call-1'), flow(1, 'call-2')])).toBe(true);
    expect(haveSameNumbers([], two)).toBe(true);
    // The first call was removed, so the second one has its number.
    expect(haveSameNumbers(two, [flow(0, 'call-2')])).toBe(false);
    // A TCP flow took the place of the call.
    expect(haveSameNumbers(two, [flow(0, 'tcp', 'tcp')])).toBe(false);
  });

  it('shows the controller of the one that is named, or of the first that has one', () => {
    expect(detailedFlow(flows, 'b')?.flow).toBe(10);
    expect(detailedFlow(flows, 'tcp-1')?.name).toBe('a');
    expect(detailedFlow(flows.slice(0, 9), '')).toBeNull();
  });
});

describe('choosing a controller', () => {
  const scenario = readScenario('ton-fig12');
  const media = (chosen: Scenario, cell: number) => {
    const cells = cellsOf(chosen);
    const { flows } = instantiate(chosen, cells[cell] ?? {});
    return flows.filter((flow) => flow.kind === 'media');
  };

  it.each(PRESET_NAMES)('%s takes the place of what every cell has, within its bounds', (preset) => {
    const chosen = parseScenario(withPreset(scenario, preset));
    expect(cellsOf(chosen)).toEqual(cellsOf(scenario));
    for (const cell of [0, 17]) {
      expect(media(chosen, cell)).toMatchObject([
        { preset, controller: controllerOfPreset(preset), parameters: { max_bitrate_bps: 2e6 } },
      ]);
    }
    // The paper's statements are about its own controller, so they do not apply to the chosen one.
    expect(chosen.expectations).toBeUndefined();
    expect(chosen.claims).toBeUndefined();
  });

  it('leaves parameters of the controller that was there behind', () => {
    const aqm = readScenario('aqm-fig6');
    expect(media(aqm, 0)[0]?.parameters).toHaveProperty('increase_mode');
    const [flow] = media(parseScenario(withPreset(aqm, 'lcc')), 0);
    expect(flow?.parameters).toEqual({ max_bitrate_bps: 2e6 });
  });

  it('gives it to flows with dots in their names, and to no other flow', () => {
    const names = ['a', 'a.b', 'a.b.parameters', 'a.controller'];
    const flows = names.map((name) => ({ kind: 'media', name, count: 2 }));
    const chosen = withPreset(parseScenario({ ...FRESH_NETWORK, flows }), 'nada-2015');
    const { flows: changed } = instantiate(parseScenario(JSON.parse(JSON.stringify(chosen))), {});
    const controlled = { controller: 'nada', preset: 'nada-2015', parameters: {} };
    expect(changed).toEqual(flows.map((flow) => ({ ...flow, ...controlled })));
  });

  it('changes nothing where nothing is chosen, and where the cells differ in it', () => {
    expect(withPreset(scenario, '')).toBe(scenario);
    const rmcat = readScenario('rmcat-5.1');
    expect(withPreset(rmcat, 'lcc')).toBe(rmcat);
  });
});

describe('the list of scenarios', () => {
  it('is by paper, known ones first', () => {
    const listed = ['own', 'rmcat', 'lcc-2018', 'gcc-ton-2017'].map((paper) => ({
      id: paper,
      title: '',
      description: '',
      paper,
      source: '',
    }));
    expect(byPaper(listed).map(({ title, scenarios }) => [title, scenarios.length])).toEqual([
      ['GCC (2017)', 1],
      ['LCC (2018)', 1],
      ['RMCAT test cases, every controller (RFC 8867)', 1],
      ['own', 1],
    ]);
  });

  it('is searched by the words of a question', () => {
    const listed = registryIds().map((id) => {
      const { title, description, paper = '', source = '' } = readScenario(id);
      return { id, title, description, paper, source };
    });
    const ids = (search: string) => matching(listed, search).map(({ id }) => id);
    expect(ids('Why does TCP starve GCC?')).toContain('ton-fig8');
    expect(ids('ton-fig11')).toEqual(['ton-fig11']);
    expect(ids('')).toEqual(registryIds());
    // If no scenario contains all search terms, the scenarios that contain the most of them are listed.
    expect(ids('tcp starves a call nonsense')).toContain('ton-fig8');
    expect(ids('nonsense')).toEqual([]);
  });
});
