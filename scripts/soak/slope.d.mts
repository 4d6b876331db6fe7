export interface Slope {
  slope: number;
  low: number;
  high: number;
}
export type Verdict = 'grows' | 'flat' | 'not known';
export function slopeOf(times: readonly number[], values: readonly number[]): Slope;
export function verdictOf(slope: Slope, limit: number): Verdict;
