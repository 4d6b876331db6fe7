/** The files of the user's controllers, which the settings name in a shorter form. */
import { beforeEach, describe, expect, it } from 'vitest';

import { ownName, ownText } from '../../src/app/controllers.js';
import { NotAtHand, ownControllers } from '../../src/app/own_controllers.js';

/** The URL of a controller that the page's settings name. */
const urlOf = (name: string): string => ownControllers.urlOf(ownName(ownText(name)));

beforeEach(() => {
  ownControllers.list.value = [];
});

describe('a file of the user', () => {
  it.each(['mine.js', 'a, b.js', 'C: mine.js', `${'long '.repeat(20)}.js`])(
    'is found by its name in the settings: %s',
    (name) => {
      expect(ownControllers.keep(new File([''], name), 'call')).toBeNull();
      const [own] = ownControllers.list.peek();
      expect(own?.name).toBe(name);
      expect(urlOf(name)).toBe(own?.url);
    },
  );

  it('replaces an earlier one that has the same name in the settings', () => {
    for (const name of ['a, b.js', 'a: b.js', 'c.js', 'a, b.js'])
      expect(ownControllers.keep(new File([''], name), 'call')).toBeNull();
    expect(ownControllers.list.peek().map(({ name }) => name)).toEqual(['c.js', 'a, b.js']);
    expect(urlOf('a: b.js')).toBe(ownControllers.list.peek()[1]?.url);
  });

  it('is not looked for at the local server if it is here', async () => {
    ownControllers.keep(new File([''], 'a, b.js'), 'call');
    await ownControllers.look([ownName(ownText('a, b.js'))]);
    expect(ownControllers.list.peek().map(({ name }) => name)).toEqual(['a, b.js']);
  });

  it('is missing under the name of another one', () => {
    ownControllers.keep(new File([''], 'a, b.js'), 'call');
    expect(() => urlOf('a, c.js')).toThrow(NotAtHand);
  });
});
