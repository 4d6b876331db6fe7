/** The address of a run in the Lab of an app. */
import { toFragment } from './fragment.js';
import type { Run } from './run.js';

/** Scenarios that are part of lessons; the Lab lists the others. */
const OF_LESSON = /^lesson-/;

/**
 * `isShipped`: whether the scenario comes with ccscope. Returns null for a scenario that is too long for an
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
