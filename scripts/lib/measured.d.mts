/** A table of measurements; its cells are Markdown. */
export interface Measured {
  /** Text that describes the measurement, e.g. the version, the machine and the number of runs. */
  facts: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}
export function writeMeasured(document: string, name: string, measured: Measured): Promise<void>;
