/** Converts a text into a part of a file's name. */
export const inFileName = (text: string): string =>
  text.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');

/** Lets the user's browser download a blob as a file. */
export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = Object.assign(document.createElement('a'), { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
