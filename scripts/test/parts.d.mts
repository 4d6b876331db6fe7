import type { Part } from './schedule.mjs';

/** The parts of the test run, by name. `reads`: the files and folders whose changes let a part run again. */
export const parts: Readonly<Record<string, Part & { reads?: readonly string[] }>>;
