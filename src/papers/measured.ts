/** The schema of a measured number in the report. */
import * as v from 'valibot';

import type { Summary } from '../scenario/index.js';

/** Null if there is no number, since JSON has no NaN. */
const number = v.nullable(v.number());

export const measuredSchema = v.object({
  mean: number,
  sd: number,
  ci95: v.tuple([number, number]),
  /** The number of runs that yielded a value. */
  n: v.number(),
});

export type Measured = v.InferOutput<typeof measuredSchema>;

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

export const measuredOf = ({ mean, sd, ci95, n }: Summary): Measured => ({
  mean: finite(mean),
  sd: finite(sd),
  ci95: [finite(ci95[0]), finite(ci95[1])],
  n,
});
