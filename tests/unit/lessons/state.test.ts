import { expect, it } from 'vitest';

import { answersCsv } from '../../../src/app/lessons/answers.js';
import { parseLessons, serialiseLessons } from '../../../src/app/lessons/state.js';

it('an address is a lesson with a choice, and what it does not understand is said', () => {
  const { state, problems } = parseLessons('?lesson=aqm&choice=codel&theme=dark');
  expect(state).toEqual({ lesson: 'aqm', choice: 'codel', shown: false, theme: 'dark' });
  expect(problems).toEqual([]);
  expect(serialiseLessons(state)).toBe('lesson=aqm&choice=codel&theme=dark');
  expect(serialiseLessons(parseLessons('').state)).toBe('');
});

it('an address can show a result without its question', () => {
  const { state, problems } = parseLessons('?lesson=aqm&choice=codel&shown=1');
  expect(state).toMatchObject({ lesson: 'aqm', choice: 'codel', shown: true });
  expect(problems).toEqual([]);
  expect(serialiseLessons(state)).toBe('lesson=aqm&choice=codel&shown=1');
});

it.each([
  ['lesson', 'nonsense'],
  ['lesson', '__proto__'],
  ['choice', '<b>'],
  ['shown', 'yes'],
  ['theme', 'blue'],
  ['constructor', 'x'],
])('%s=%s is refused and the default is used', (field, got) => {
  const { state, problems } = parseLessons(`?${new URLSearchParams({ [field]: got })}`);
  expect(state).toEqual({ lesson: '', choice: '', shown: false, theme: 'auto' });
  expect(problems).toMatchObject([{ field, got }]);
});

it('answers are a table for whoever grades', () => {
  const lessons = [
    { id: 'one', title: 'First', options: ['less', 'more, but later'], right: 1 },
    { id: 'two', title: 'Second', options: ['a', 'b', 'c'], right: 0 },
    { id: 'three', title: 'Third', options: ['a', 'b'], right: 0 },
  ];
  const given = {
    one: { predicted: 1, predictedMs: Date.UTC(2026, 10, 26), solved: true },
    two: { predicted: 2, solved: false },
  };
  expect(answersCsv('Ada "A", L.', lessons, given).split('\r\n')).toEqual([
    'name,number,lesson,predicted,right,task solved,date (UTC)',
    '"Ada ""A"", L.",1,First,"more, but later",yes,yes,2026-11-26',
    '"Ada ""A"", L.",2,Second,c,no,no,',
    '"Ada ""A"", L.",3,Third,,,,',
    '',
  ]);
});
