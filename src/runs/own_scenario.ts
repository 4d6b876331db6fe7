/** A scenario of one's own in the address: the text of its file, compressed, as the fragment. */

const PREFIX = 'own=';
/** Longer addresses get lost on the way: in chats, in mail. */
const MAX_LENGTH = 30_000;

/** The fragment for a scenario's text; empty where it is too long for one. */
export async function toFragment(text: string): Promise<string> {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(''));
  const fragment = PREFIX + base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return fragment.length <= MAX_LENGTH ? fragment : '';
}

/** The scenario's text in a fragment; null where there is none. Rejects where it is damaged, or longer than any that is made here. */
export async function fromFragment(fragment: string): Promise<string | null> {
  if (!fragment.startsWith(PREFIX)) return null;
  // It may unpack to a thousand times as much.
  if (fragment.length > MAX_LENGTH) throw new RangeError(`expected at most ${MAX_LENGTH} characters`);
  const base64 = fragment.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/');
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
