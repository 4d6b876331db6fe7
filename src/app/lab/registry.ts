/** The scenarios that come with the page. */
import list from 'virtual:scenarios';

import { PAPERS, type Listed } from './papers.js';

export { byPaper } from './papers.js';

export const registry: readonly Listed[] = list;

/**
 * The scenarios that match every word. Each word may occur in the id, the title, the paper or the place in the paper.
 */
export function found(words: string): readonly Listed[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return registry.filter(({ id, title, paper, source }) => {
    const text = `${id} ${title} ${paper} ${PAPERS.get(paper) ?? ''} ${source}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** The text of a scenario's file. Rejects if it cannot be loaded. */
export async function fetchScenario(id: string): Promise<string> {
  const response = await fetch(new URL(`scenarios/${encodeURIComponent(id)}.json`, document.baseURI));
  if (!response.ok) throw new Error(`the server answered ${response.status} for the scenario ${id}`);
  return response.text();
}
