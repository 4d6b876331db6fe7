/** The scenarios that come with the page. */
import list from 'virtual:scenarios';

import { isCopyOf, type Published } from '../../scenario/published_scope.js';
import type { Scenario } from '../../scenario/scenario.js';
import { ConfigError, shown } from '../../text/quantities.js';
import { suggestedFix } from '../../text/suggest.js';
import type { Listed } from './papers.js';

export { byPaper } from './papers.js';

export const registry: readonly Listed[] = list;

/** The text of a scenario's file. Rejects with a ConfigError for an unknown id, and if it cannot be loaded. */
export async function fetchScenario(id: string): Promise<string> {
  if (!registry.some((each) => each.id === id)) {
    const ids = registry.map((each) => each.id);
    const fix = suggestedFix(id, ids, 'choose one in the list');
    throw new ConfigError('scenario', 'the id of a listed experiment', shown(id), fix);
  }
  const response = await fetch(new URL(`scenarios/${encodeURIComponent(id)}.json`, document.baseURI));
  if (!response.ok) throw new Error(`the server answered ${response.status} for the scenario ${id}`);
  return response.text();
}

/** The file texts of the listed experiments that `scenario` was copied from. Rejects if a file cannot be loaded. */
export async function fetchOriginals(scenario: Scenario): Promise<string[]> {
  const listed = registry.filter(({ paper }) => scenario.paper === undefined || paper === scenario.paper);
  const texts = await Promise.all(listed.map(({ id }) => fetchScenario(id)));
  return texts.filter((text) => isCopyOf(scenario, JSON.parse(text) as Published));
}
