import { describe, expect, it } from 'vitest';

import { FRESH_NETWORK } from '../../../src/app/lab/edits.js';
import { runFacts } from '../../../src/app/lab/run_facts.js';
import { parseScenario } from '../../../src/scenario/index.js';

/** The text about the network in the report of a run, for a scenario with these outages. */
function networkWith(outage: unknown): string {
  const forward = { ...FRESH_NETWORK.forward, outage };
  const scenario = parseScenario({ ...FRESH_NETWORK, forward });
  const facts = runFacts({ scenario, cell: {}, seed: 1, flows: [], durationUs: 1e6, result: null });
  return new Map(facts).get('Network') ?? '';
}

describe('a run in words', () => {
  it('tells outages as settings of a link are written, however the scenario gives them', () => {
    const text = networkWith('100ms/20msx3');
    expect(text).toContain('outages 100ms/20msx3');
    expect(networkWith({ mean_on_ms: 100, mean_off_ms: 20, off_phases: 3 })).toBe(text);
    expect(networkWith({ mean_on_ms: 100, mean_off_ms: 20 })).toContain('outages 100ms/20ms');
    expect(networkWith('none')).not.toContain('outages');
  });
});
