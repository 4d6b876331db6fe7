/** Comma-separated values (RFC 4180). */

/** A field; null and undefined are empty. */
export type CsvField = string | number | null | undefined;

const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const csv = (rows: readonly (readonly CsvField[])[]): string =>
  rows.map((row) => `${row.map((cell) => field(String(cell ?? ''))).join(',')}\r\n`).join('');
