/** The address that shows a run on the Lab page. */
import { toFragment } from './fragment.js';
import type { Run } from './run.js';

/** Scenarios of lessons. The Lab page does not list these, so the address must contain the whole scenario. */
const OF_LESSON = /^lesson-/;

/**
 * `isShipped`: whether the scenario is part of ccscope. Resolves to null if the scenario is too long for an
 * address.
 */
export async function labAddress(
  app: string,
  { scenario, cell, seed }: Pick<Run, 'scenario' | 'cell' | 'seed'>,
  isShipped: boolean,
): Promise<string | null> {
  const url = new URL(app);
  if (url.pathname.endsWith('/')) url.pathname += 'lab.html';
  const isListed = isShipped && !OF_LESSON.test(scenario.id);
  if (isListed) url.searchParams.set('scenario', scenario.id);
  for (const [axis, value] of Object.entries(cell)) url.searchParams.set(`cell.${axis}`, value);
  url.searchParams.set('seed', String(seed));
  url.searchParams.set('run', '1');
  if (isListed) return url.href;
  url.hash = await toFragment('own', JSON.stringify(scenario));
  return url.hash === '' ? null : url.href;
}
