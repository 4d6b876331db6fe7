/** Another controller can take charge of a call. Tests which controllers then run as shadows, i.e. only watch. */
import { describe, expect, it } from 'vitest';

import { flowZeroText, takeCharge } from '../../src/app/take_charge.js';
import { DEFAULT_STATE, parseState, type AppState } from '../../src/app/state.js';

const after = (query: string, controller: string, running = true): AppState => {
  const { state, problems } = parseState(query);
  expect(problems).toEqual([]);
  return { ...state, ...takeCharge(state, controller, running) };
};

describe('another controller in charge', () => {
  it('begins with its own preset for calls', () => {
    expect(after('preset=cmp-2016&set.k_u=0.02', 'nada', false)).toEqual({
      ...DEFAULT_STATE,
      controller: 'nada',
      preset: 'nada-live',
    });
  });

  it('has the former one go on as a shadow, with its preset and parameters, in a call that runs', () => {
    expect(after('', 'nada').shadow).toEqual(['gcc']);
    expect(after('preset=cmp-2016&set.k_u=0.02', 'nada').shadow).toEqual(['gcc:cmp-2016:k_u=0.02']);
    expect(after('controller=own:mine.mjs', 'gcc').shadow).toEqual(['own:mine.mjs']);
  });

  it('watches no more itself', () => {
    expect(after('shadow=nada,lcc', 'nada').shadow).toEqual(['lcc', 'gcc']);
    expect(after('shadow=nada,lcc', 'nada', false).shadow).toEqual(['lcc']);
  });

  it('adds nobody twice, and nobody beyond the most that there can be', () => {
    expect(after('shadow=gcc', 'nada').shadow).toEqual(['gcc']);
    const eight = ['0.02', '0.03', '0.04', '0.05', '0.06', '0.07', '0.08', '0.09'];
    const shadow = eight.map((k) => `gcc:k_u=${k}`).join(',');
    expect(after(`shadow=${shadow}`, 'nada').shadow).toHaveLength(8);
  });

  it('leaves flow 0 as it was under the browser’s own, which it now watches', () => {
    const now = after('controller=nada&preset=nada-2015&set.xref_ms=12', 'native');
    expect(now).toMatchObject({
      controller: 'native',
      preset: 'nada-2015',
      set: { xref_ms: 12 },
      shadow: [],
    });
    expect(flowZeroText(now)).toBe('nada:nada-2015:xref_ms=12');
    expect(after('controller=native&preset=nada-live', 'gcc').shadow).toEqual(['nada']);
    expect(after('controller=native', 'gcc').shadow).toEqual([]);
  });
});
