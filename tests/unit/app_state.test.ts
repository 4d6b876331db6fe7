import { describe, expect, it } from 'vitest';

import {
  checkField,
  DEFAULT_STATE,
  parseState,
  presetFor,
  serialiseState,
  type AppState,
} from '../../src/app/state.js';

const parsed = (query: string) => parseState(query);

describe('the state of the page in the URL', () => {
  it('is the defaults for an empty URL, and an empty URL for the defaults', () => {
    expect(parsed('')).toEqual({ state: DEFAULT_STATE, problems: [] });
    expect(serialiseState(DEFAULT_STATE)).toBe('');
  });

  it('survives the way into a link and back, every field changed', () => {
    const state: AppState = {
      capacity: '1.5mbps,0.6mbps@20s,1.5mbps@40s',
      queue: 'droptail:64kB',
      rtt_ms: 120,
      loss: 0.025,
      burst_loss: 4,
      jitter_ms: 7.5,
      reorder: '0.01/20ms',
      outage: '100ms/20ms',
      cross_traffic: 'cubic:2,newreno:1',
      bottleneck: 'in-page',
      link: 'link-7',
      seed: 42,
      controller: 'native',
      preset: 'libwebrtc-2016-08',
      shadow: ['nada', 'gcc:ton-2017-literal:k_u=0.02', 'own:mine.mjs'],
      mode: 'observe',
      min_bps: 60_000,
      max_bps: 3_000_000,
      start_bps: 450_000,
      source: 'camera',
      size: '720p',
      fps: 15,
      codec: 'vp9',
      audio: true,
      key_frame_interval_s: 8,
      duration_s: 60,
      room: 'a-b_1',
      role: 'receive',
      autostart: true,
      compare: true,
      window_s: 12.5,
      from_s: 3.25,
      paused: true,
      hide: ['d', 'a_s'],
      theme: 'dark',
      set: { k_u: 0.02, alpha: 0.9, q_inverse_capacity: 1e-13 },
    };
    for (const field of Object.keys(DEFAULT_STATE) as (keyof AppState)[]) {
      expect(state[field], field).not.toEqual(DEFAULT_STATE[field]);
    }
    expect(parsed(serialiseState(state))).toEqual({ state, problems: [] });
  });

  it('keeps what people read in a link readable', () => {
    const query = serialiseState({ ...DEFAULT_STATE, capacity: '2mbps,1mbps@5s', queue: 'droptail:100p' });
    expect(query).toBe('capacity=2mbps,1mbps@5s&queue=droptail:100p');
  });

  it.each([
    [
      'controller=nadda',
      'one of gcc, nada, lcc, native, or own:NAME of a file that was chosen (did you mean nada?)',
    ],
    ['controller=bbr', 'one of gcc, nada, lcc, native, or own:NAME of a file that was chosen'],
    ['preset=gcc-life', /^one of gcc, gcc-live, .*lcc-live \(did you mean gcc-live\?\)$/],
    ['shadow=nado', /^one of gcc, nada, lcc, or a preset of one of them; .*Did you mean nada/],
    ['mode=controll', 'one of control, cap, observe (did you mean control?)'],
    ['queue=droptale', /^one of droptail, codel, .*did you mean droptail\?$/],
    ['capacity=0', /an outage as a later step: 1mbps,0@20s,1mbps@22s$/],
  ])('says of %s what there is, and what was probably meant', (query, expected) => {
    expect(parsed(query).problems.map((problem) => problem.expected)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  it('takes an outage where a schedule has it, and a queue without its limit', () => {
    expect(parsed('capacity=1mbps,0@5s,1mbps@6s&queue=droptail').problems).toEqual([]);
  });

  it('speaks in its own words of whatever it refuses', () => {
    const fields = Object.keys(DEFAULT_STATE).filter((field) => field !== 'set');
    for (const field of fields)
      for (const got of ['zzz', '', '-', '{}', '1,2', '%', 'own:', ':::', 'a/b'])
        for (const { expected } of parsed(new URLSearchParams([[field, got]]).toString()).problems)
          expect(expected, `${field}=${got}`).not.toMatch(/Invalid|Received|Unexpected|undefined/);
  });

  it.each([
    ['capacity=fast', 'capacity'],
    ['capacity=1mbps@5s', 'capacity'],
    ['queue=codel:5', 'queue'],
    ['rtt_ms=-1', 'rtt_ms'],
    ['rtt_ms=2001', 'rtt_ms'],
    ['rtt_ms=', 'rtt_ms'],
    ['rtt_ms=50ms', 'rtt_ms'],
    ['loss=1.01', 'loss'],
    ['loss=NaN', 'loss'],
    ['seed=1.5', 'seed'],
    ['size=480p', 'size'],
    ['fps=25', 'fps'],
    ['codec=h264', 'codec'],
    ['audio=on', 'audio'],
    ['preset=gcc2', 'preset'],
    ['mode=all', 'mode'],
    ['controller=bbr', 'controller'],
    ['controller=own:', 'controller'],
    ['window_s=Infinity', 'window_s'],
    ['autostart=yes', 'autostart'],
    ['room=a%20b', 'room'],
    ['set.alpha=7', 'set.alpha'],
    ['set.nothing=1', 'set.nothing'],
    ['set.toString=1', 'set.toString'],
    ['nonsense=1', 'nonsense'],
    ['__proto__=1', '__proto__'],
    ['min_bps=800000&start_bps=700000', 'min_bps, start_bps, max_bps'],
  ])('takes the default for %s and names the field', (query, field) => {
    const { state, problems } = parsed(query);
    expect(state).toEqual(DEFAULT_STATE);
    expect(problems.map((problem) => problem.field)).toEqual([field]);
    expect(problems[0]?.expected).not.toBe('');
  });

  it('keeps the good fields of a URL with bad ones', () => {
    const { state, problems } = parsed('rtt_ms=80&loss=2&set.k_d=0.001&set.alpha=-1');
    expect(state).toEqual({ ...DEFAULT_STATE, rtt_ms: 80, set: { k_d: 0.001 } });
    expect(problems.map(({ field }) => field)).toEqual(['loss', 'set.alpha']);
  });

  it('takes the preset that a controller has for calls, and the controller that a preset is of', () => {
    expect(parsed('controller=nada').state).toMatchObject({ controller: 'nada', preset: 'nada-live' });
    expect(parsed('preset=nada-2015').state).toMatchObject({ controller: 'nada', preset: 'nada-2015' });
    expect(serialiseState(parsed('controller=nada&preset=nada-live').state)).toBe('controller=nada');
    const { state, problems } = parsed('controller=lcc&preset=gcc');
    expect(state).toMatchObject({ controller: 'lcc', preset: presetFor('lcc') });
    expect(problems.map(({ field }) => field)).toEqual(['preset']);
  });

  it('takes parameters of the controller that is flow 0 only', () => {
    expect(parsed('controller=nada&set.kappa=0.4')).toMatchObject({
      state: { set: { kappa: 0.4 } },
      problems: [],
    });
    expect(parsed('controller=nada&set.k_u=0.02').problems.map(({ field }) => field)).toEqual(['set.k_u']);
    expect(parsed('controller=native&preset=nada-live&set.kappa=0.4').problems).toEqual([]);
    expect(parsed('controller=own:mine.mjs&set.alpha=0.9').problems.map(({ field }) => field)).toEqual([
      'set.alpha',
    ]);
  });

  it('keeps shadows in order, each once, as short as can be', () => {
    const { state, problems } = parsed('shadow=nada-live,gcc:gcc-live,lcc,nada,gcc:gcc:alpha=0.9');
    expect(problems).toEqual([]);
    expect(state.shadow).toEqual(['nada', 'gcc', 'lcc', 'gcc:gcc:alpha=0.9']);
    expect(serialiseState(state)).toBe('shadow=nada,gcc,lcc,gcc:gcc:alpha=0.9');
  });

  it.each([
    'bbr',
    'gcc:nada-live',
    'gcc:alpha=7',
    'nada:k_u=0.02',
    'gcc:gcc:gcc',
    'nada-live:nada-live',
    'own:',
  ])('refuses the shadow %s', (text) => {
    const { state, problems } = parsed(`shadow=${text}`);
    expect(state.shadow).toEqual([]);
    expect(problems.map(({ field }) => field)).toEqual(['shadow']);
  });

  it('takes the limits themselves, and nothing beyond', () => {
    expect(checkField('rtt_ms', '2000')).toEqual({ ok: true, value: 2000 });
    expect(checkField('rtt_ms', '2000.001').ok).toBe(false);
    expect(checkField('loss', '0').ok).toBe(true);
    expect(checkField('loss', '-0.001').ok).toBe(false);
  });
});

it('an address says 0 for -0, too', () => {
  expect(parseState('loss=-0&jitter_ms=-0').state).toEqual(parseState('').state);
  expect(Object.is(parseState('controller=nada&set.k_u=-0').state.set['k_u'] ?? 0, 0)).toBe(true);
});

it('of a field that an address has more than once the last counts, and is told once', () => {
  const { state, problems } = parseState('seed=x&seed=y&shadow=lcce&shadow=lcce&seed=3');
  expect(state.seed).toBe(3);
  expect(problems.map(({ field }) => field)).toEqual(['shadow']);
  expect(problems[0]?.expected).toMatch(/Did you mean lcc\b(?!.*\blcc\b)/);
});
