import { describe, expect, it } from 'vitest';

import { FRESH_NETWORK } from '../../../src/app/lab/edits.js';
import { differenceText, runFacts } from '../../../src/app/lab/run_facts.js';
import { replacedIn } from '../../../src/runs/run.js';
import { parseScenario, traceHeader } from '../../../src/scenario/index.js';

/** The text about the network in the report of a run, for a scenario with these outages. */
function networkWith(outage: unknown): string {
  const forward = { ...FRESH_NETWORK.forward, outage };
  const scenario = parseScenario({ ...FRESH_NETWORK, forward });
  const facts = runFacts({ scenario, cell: {}, seed: 1, flows: [], durationUs: 1e6, result: null });
  return new Map(facts).get('Network') ?? '';
}

/** A run of FRESH_NETWORK with another forward path or other flows. */
const runOf = (forward: object, flows: readonly object[] = FRESH_NETWORK.flows) => ({
  scenario: parseScenario({ ...FRESH_NETWORK, forward: { ...FRESH_NETWORK.forward, ...forward }, flows }),
  ...{ cell: {}, seed: 1, flows: [], durationUs: 1e6, result: null },
});

describe('the difference between two runs', () => {
  it('names what each has and the other has not', () => {
    const [fair, full] = [runOf({ queue: 'fq_codel' }), runOf({ jitter_ms: 5 })];
    expect(differenceText(fair, full)).toBe('FQ-CoDel 10240 packets');
    expect(differenceText(full, fair)).toBe('DropTail 300 ms, jitter 5 ms');
    const shared = runOf({}, [...FRESH_NETWORK.flows, { kind: 'tcp', name: 'tcp' }]);
    expect(differenceText(shared, runOf({}))).toBe('tcp (TCP, cubic)');
    expect(differenceText(runOf({}), shared)).toBe('');
  });
});

describe('a setting of a flow', () => {
  const [call] = FRESH_NETWORK.flows;
  const tcp = { kind: 'tcp', name: 'tcp' };
  it.each([
    [{ ...call, source: { frame_rate: 10 } }, 'source: frame_rate 10'],
    [{ ...call, pauses: [{ from_s: 10, to_s: 20 }] }, 'pauses 10 to 20 s'],
    [{ ...call, extra_delay_ms: 100 }, '100 ms more delay each way'],
    [{ ...call, count: 2, start_step_s: 5 }, 'each 5 s after the one before'],
    [{ ...tcp, preset: 'linux-3.16' }, 'linux-3.16'],
    [{ ...tcp, short: { min_bytes: 1e5, max_bytes: 1e6, idle_mean_s: 10 } }, '100000 to 1000000 bytes, 10 s'],
  ])('%j is named in the difference between two runs, and in the report', (flow, text) => {
    const [before, now] = [runOf({}, [call, tcp]), runOf({}, [{ ...call, name: 'other' }, flow])];
    expect(differenceText(now, before)).toContain(text);
    expect(new Map(runFacts(now)).get('Flows')).toContain(text);
  });

  it('does not name jitter behind the queue unless there is jitter', () => {
    const run = runOf({ jitter_ms: 5, jitter_behind_queue: true });
    expect(differenceText(run, runOf({ jitter_ms: 5 }))).toBe('jitter behind the queue');
    expect(differenceText(runOf({ jitter_behind_queue: true }), runOf({}))).toBe('');
  });
});

describe('a run in words', () => {
  it('tells outages as settings of a link are written, however the scenario gives them', () => {
    const text = networkWith('100ms/20msx3');
    expect(text).toContain('outages 100ms/20msx3');
    expect(networkWith({ mean_on_ms: 100, mean_off_ms: 20, off_phases: 3 })).toBe(text);
    expect(networkWith({ mean_on_ms: 100, mean_off_ms: 20 })).toContain('outages 100ms/20ms');
    expect(networkWith('none')).not.toContain('outages');
  });
});

describe('a call with a controller of one’s own', () => {
  const flows = [
    ...FRESH_NETWORK.flows,
    { kind: 'media', name: 'own', preset: 'gcc', own_controller: 'ctl.js' },
  ];
  const controller = { name: 'ctl.js', url: 'blob:', flows: ['own'] };
  const flowsText = (run: Parameters<typeof runFacts>[0]) => new Map(runFacts(run)).get('Flows');

  it('has its name, and that of the preset where the controller did not run', () => {
    expect(flowsText({ ...runOf({}, flows), controller })).toBe('call (gcc); own (own controller ctl.js)');
    expect(flowsText(runOf({}, flows))).toBe('call (gcc); own (gcc)');
  });

  it('is so named in the header of its trace, without a preset', () => {
    const run = { ...runOf({}, flows), controller };
    const { controller: first, flows: traced } = traceHeader(run.scenario, {}, 1, replacedIn(run));
    expect(first).toBe('gcc');
    expect(traced).toMatchObject([
      { controller: 'gcc', preset: 'gcc' },
      { name: 'own', controller: 'ctl.js' },
    ]);
    expect(traced[1]).not.toHaveProperty('preset');
  });
});
