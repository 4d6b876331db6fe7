/** The options with which terser makes modules smaller than the bundlers do. */
export const terserOptions = { module: true, ecma: 2020, compress: { passes: 3, inline: 1 } };

/** Makes the text of a bundled module smaller. The licences that the bundler has put at its end stay there. */
export async function smaller(text) {
  // Imported here and not above, since terser is not installed until setup.mjs has run.
  const { minify } = await import('terser');
  const end = text.indexOf('/*! Bundled license information');
  const { code } = await minify(end < 0 ? text : text.slice(0, end), {
    ...terserOptions,
    format: { comments: false },
  });
  return end < 0 ? code : `${code}\n${text.slice(end)}`;
}
