/** Cells of Markdown. */
export interface Measured {
  /** On what, how often and how. */
  facts: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}
export function writeMeasured(document: string, name: string, measured: Measured): Promise<void>;
