export interface Failure {
  name: string;
  error?: string;
  again?: string;
  isTaken?: boolean;
}
/** The results of one run of a part. */
export interface Run {
  passed: number;
  failed: number;
  failures: readonly Failure[];
  unsteady: readonly Failure[];
  seconds: number;
}
export function toRunAgain(run: Pick<Run, 'failures'>): string[];
export function withSecondRun(first: Run, second: Run): Run;
export function judged(run: Run): Run & { unjudged: Failure[] };
