/**
 * The state of the papers page. All of it is in the address: whether all papers, one paper or one experiment is
 * shown, and whether the experiments are run.
 */
import * as v from 'valibot';

import type { Listed } from '../lab/papers.js';
import { flag, oneOf, type StateProblem } from '../url_fields.js';

export interface PapersState {
  /** Short name of the paper to show. Empty if `scenario` is set, or if the list of all papers is shown. */
  paper: string;
  /** Id of the experiment to show. If empty, the page shows a paper or the list of all papers. */
  scenario: string;
  /** Whether the shown experiments are run as soon as the page opens. */
  run: boolean;
  theme: 'auto' | 'dark' | 'light';
}

export const DEFAULT_PAPERS: PapersState = { paper: '', scenario: '', run: false, theme: 'auto' };

/** Reads a URL's query; `listed` are the known experiments. Never throws. */
export function parsePapers(
  query: string,
  listed: readonly Listed[],
): { state: PapersState; problems: StateProblem[] } {
  const entries = {
    paper: oneOf(['', ...new Set(listed.map(({ paper }) => paper))]),
    scenario: oneOf(['', ...listed.map(({ id }) => id)]),
    run: flag,
    theme: oneOf(['auto', 'dark', 'light']),
  };
  const problems: StateProblem[] = [];
  const changes: Partial<Record<string, unknown>> = {};
  for (const [field, got] of new Map(new URLSearchParams(query))) {
    const schema = Object.hasOwn(entries, field) ? entries[field as keyof typeof entries] : null;
    const result = schema === null ? null : v.safeParse(schema, got);
    if (result?.success === true) changes[field] = result.output;
    else problems.push({ field, got, expected: result?.issues[0].message ?? 'a setting of this page' });
  }
  const state: PapersState = { ...DEFAULT_PAPERS, ...changes };
  const own = listed.find(({ id }) => id === state.scenario)?.paper;
  if (own === undefined) return { state, problems };
  if (state.paper !== '' && state.paper !== own)
    problems.push({ field: 'paper', got: state.paper, expected: `${own}, the paper of ${state.scenario}` });
  return { state: { ...state, paper: '' }, problems };
}

/** Returns a URL query with the settings that differ from the defaults. */
export function serialisePapers({ paper, scenario, run, theme }: PapersState): string {
  const query = new URLSearchParams();
  if (scenario !== '') query.set('scenario', scenario);
  else if (paper !== '') query.set('paper', paper);
  if (run) query.set('run', '1');
  if (theme !== 'auto') query.set('theme', theme);
  return query.toString();
}

/** The ids of the experiments that are shown. */
export const shownIds = ({ paper, scenario }: PapersState, listed: readonly Listed[]): string[] =>
  listed
    .filter((each) => (scenario === '' ? paper === '' || each.paper === paper : each.id === scenario))
    .map(({ id }) => id);
