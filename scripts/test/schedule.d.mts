/** The properties of a part that the scheduler uses. */
export interface Part {
  kind: 'work' | 'calls' | 'measures' | 'alone';
  nice?: number;
  after?: readonly string[];
  behind?: readonly string[];
}
export interface Outcome {
  passed: number;
  failed: number;
  blockedBy?: string;
}
export function withPrerequisites(parts: Readonly<Record<string, Part>>, names: readonly string[]): string[];
export function schedule(
  parts: Readonly<Record<string, Part>>,
  names: readonly string[],
  run: (name: string) => Promise<Outcome>,
  options?: { cores?: number; onChange?: (running: string[]) => void },
): Promise<(Outcome & { name: string })[]>;
