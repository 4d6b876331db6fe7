/** Prepares external texts, such as the titles of pages, for a terminal. */

const REPLACEMENT = '\uFFFD';

/**
 * The text on one line of at most `length` characters, without anything that would move the cursor or change the text
 * direction.
 */
export function plain(text: string, length = 200): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, REPLACEMENT);
  const characters = Array.from(line);
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line;
}
