import { describe, expect, test } from 'vitest';

import { readScenario, registryIds } from '../../src/node/scenarios.js';
import { cellLabel, cellsOf } from '../../src/scenario/index.js';

describe('the registry of scenarios', () => {
  test.each(registryIds())('%s is valid', (id) => {
    const scenario = readScenario(id);
    expect(scenario.id).toBe(id);
    const cells = cellsOf(scenario);
    console.log(id, cells.length, cellLabel(scenario, cells[0] ?? {}));
  });
});
