/** Which flows of a run are drawn, and whose controller is shown. */
import type { DrawnFlow } from '../charts/index.js';
import type { FlowInfo } from './run.js';

/** More lines than this would hide each other. */
const DRAWN_AT_FIRST = 6;

/** The flows to draw: the chosen flows. If no flow is chosen, the first few flows, media before TCP. */
export function drawnFlows(flows: readonly FlowInfo[], chosen: readonly string[]): readonly DrawnFlow[] {
  const inTurn = [...flows].sort(
    (a, b) => Number(a.kind === 'tcp') - Number(b.kind === 'tcp') || a.flow - b.flow,
  );
  return inTurn
    .map(({ flow, name }, look) => ({ flow, name, look }))
    .filter(({ name }, index) => (chosen.length > 0 ? chosen.includes(name) : index < DRAWN_AT_FIRST));
}

/**
 * The media flow whose controller is shown: the flow with the chosen name, otherwise the first media flow. Null if
 * there is no media flow.
 */
export function detailedFlow(flows: readonly FlowInfo[], chosen: string): FlowInfo | null {
  const media = flows.filter(({ kind }) => kind === 'media');
  return media.find(({ name }) => name === chosen) ?? media[0] ?? null;
}
