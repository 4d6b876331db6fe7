/**
 * What is too long for the address's query stands in its fragment, compressed: the text of a scenario of one's own,
 * and the run that is pinned.
 */

/** A part of the fragment; parts are joined by `&`. */
export type FragmentPart = 'own' | 'pin';
/** Longer addresses get lost on the way: in chats, in mail. */
const MAX_LENGTH = 30_000;

/** The part of a fragment that holds a text; empty where the text is too long for one. */
export async function toFragment(part: FragmentPart, text: string): Promise<string> {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(''));
  const fragment = `${part}=` + base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return fragment.length <= MAX_LENGTH ? fragment : '';
}

/** A part of a fragment as it stands there; empty where it is missing. */
export const partOf = (part: FragmentPart, fragment: string): string =>
  fragment.split('&').find((each) => each.startsWith(`${part}=`)) ?? '';

/** The text in a part of a fragment; null where it is missing. Rejects where it is damaged, or longer than any that is made here. */
export async function fromFragment(part: FragmentPart, fragment: string): Promise<string | null> {
  const written = partOf(part, fragment);
  if (written === '') return null;
  // It may unpack to a thousand times as much.
  if (written.length > MAX_LENGTH) throw new RangeError(`expected at most ${MAX_LENGTH} characters`);
  const base64 = written
    .slice(part.length + 1)
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await through(packed, new DecompressionStream('deflate-raw')));
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
