import { describe, expect, it } from 'vitest';

import { parsePapers, serialisePapers, shownIds } from '../../../src/app/papers/state.js';

const LISTED = [
  { id: 'ton-fig5', title: 'A', description: '', paper: 'gcc-ton-2017', source: 'Fig. 5' },
  { id: 'ton-fig6', title: 'B', description: '', paper: 'gcc-ton-2017', source: 'Fig. 6' },
  { id: 'lcc-fig1', title: 'C', description: '', paper: 'lcc-2018', source: 'Fig. 1' },
];

const parse = (query: string) => parsePapers(query, LISTED);

describe('the address of the page of papers', () => {
  it.each([
    ['', ['ton-fig5', 'ton-fig6', 'lcc-fig1']],
    ['paper=gcc-ton-2017', ['ton-fig5', 'ton-fig6']],
    ['scenario=lcc-fig1&run=1&theme=dark', ['lcc-fig1']],
  ])('%s is what is shown, and is written as it was read', (query, ids) => {
    const { state, problems } = parse(`?${query}`);
    expect(problems).toEqual([]);
    expect(serialisePapers(state)).toBe(query);
    expect(shownIds(state, LISTED)).toEqual(ids);
  });

  it.each([
    ['paper', '<script>'],
    ['paper', '__proto__'],
    ['scenario', 'ton-fig4'],
    ['scenario', 'constructor'],
    ['run', 'yes'],
    ['theme', 'blue'],
    ['constructor', 'x'],
  ])('%s=%s is refused and the default is used', (field, got) => {
    const { state, problems } = parse(`?${new URLSearchParams({ [field]: got })}`);
    expect(state).toEqual({ paper: '', scenario: '', run: false, theme: 'auto' });
    expect(problems).toMatchObject([{ field, got }]);
  });

  it('an experiment is of its own paper, whatever the address says', () => {
    const { state, problems } = parse('?paper=lcc-2018&scenario=ton-fig6');
    expect(state).toMatchObject({ paper: '', scenario: 'ton-fig6' });
    expect(problems).toMatchObject([{ field: 'paper', got: 'lcc-2018' }]);
    expect(problems[0]?.expected).toContain('gcc-ton-2017');
    expect(parse('?paper=gcc-ton-2017&scenario=ton-fig6').problems).toEqual([]);
  });
});
