/** The scenarios that come with the page. */
import list from 'virtual:scenarios';

import type { Listed } from './papers.js';

export { byPaper } from './papers.js';

export const registry: readonly Listed[] = list;

/** The text of a scenario's file. Rejects if it cannot be loaded. */
export async function fetchScenario(id: string): Promise<string> {
  const response = await fetch(new URL(`scenarios/${encodeURIComponent(id)}.json`, document.baseURI));
  if (!response.ok) throw new Error(`the server answered ${response.status} for the scenario ${id}`);
  return response.text();
}
