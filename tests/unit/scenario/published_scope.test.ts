/** A changed copy of a paper's experiment loses the paper's values, but measures the same. */
import { expect, it } from 'vitest';

import { readScenario, registryIds } from '../../../src/command_line/scenarios.js';
import { cellsOf, quantitiesOf } from '../../../src/scenario/index.js';
import { quantityKey } from '../../../src/scenario/metrics.js';
import { hasPublished, withoutPublished } from '../../../src/scenario/published_scope.js';

const experiments = registryIds()
  .map((id) => readScenario(id))
  .filter(hasPublished);

it.each(experiments.map((scenario) => [scenario.id, scenario] as const))('%s', (_, scenario) => {
  const changed = withoutPublished(scenario, 'The capacity is another.');
  expect(hasPublished(changed)).toBe(false);
  for (const cell of cellsOf(scenario)) {
    const measured = new Set(quantitiesOf(changed, cell).map(quantityKey));
    for (const quantity of quantitiesOf(scenario, cell)) expect(measured).toContain(quantityKey(quantity));
  }
});
