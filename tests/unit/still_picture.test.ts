import { expect, it } from 'vitest';

import { StillPicture } from '../../src/command_line/call/still_picture.js';

it('a picture that has not moved for a second is frozen, for as long as it has not', () => {
  const still = new StillPicture();
  still.see({ framesDecoded: 30 }, 1e6);
  still.see({ framesDecoded: 60 }, 2e6);
  expect(still.frozenS(2.9e6)).toBe(0);
  still.see({ framesDecoded: 60 }, 12e6);
  expect(still.frozenS(12e6)).toBe(10);
  still.see({ framesDecoded: 61 }, 13e6);
  expect(still.frozenS(13e6)).toBe(0);
});

it('is frozen if no frame was ever decoded, but not if the browser does not count frames', () => {
  const none = new StillPicture();
  none.see({ framesDecoded: 0 }, 0);
  none.see({ framesDecoded: 0 }, 8e6);
  expect(none.frozenS(8e6)).toBe(8);
  const unknown = new StillPicture();
  unknown.see({ framesDecoded: NaN }, 0);
  expect(unknown.frozenS(8e6)).toBe(0);
});
