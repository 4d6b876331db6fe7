/** Which flows of a run are drawn, and whose controller is shown. */
import type { DrawnFlow } from '../charts/index.js';
import type { FlowInfo } from './run.js';

/** More lines than this would hide each other. */
const DRAWN_AT_FIRST = 6;

/** The flows to draw: those that were chosen, or else the first few, media before TCP. */
export function drawnFlows(flows: readonly FlowInfo[], chosen: readonly string[]): readonly DrawnFlow[] {
  const inTurn = [...flows].sort(
    (a, b) => Number(a.kind === 'tcp') - Number(b.kind === 'tcp') || a.flow - b.flow,
  );
  return inTurn
    .map(({ flow, name }, look) => ({ flow, name, look }))
    .filter(({ name }, index) => (chosen.length > 0 ? chosen.includes(name) : index < DRAWN_AT_FIRST));
}

/** The media flow whose controller is shown: the one with the chosen name, or else the first; null if there is none. */
export function detailedFlow(flows: readonly FlowInfo[], chosen: string): FlowInfo | null {
  const media = flows.filter(({ kind }) => kind === 'media');
  return media.find(({ name }) => name === chosen) ?? media[0] ?? null;
}
