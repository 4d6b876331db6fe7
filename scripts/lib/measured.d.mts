/** A table of measurements; its cells are Markdown. */
export interface Measured {
  /** On what the measurement was made, how often and how. */
  facts: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}
export function writeMeasured(document: string, name: string, measured: Measured): Promise<void>;
