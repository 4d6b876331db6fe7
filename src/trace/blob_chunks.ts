/** Yields the bytes of a file in chunks. (Not every browser can iterate over a stream.) */
export async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array, void> {
  const reader = file.stream().getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
