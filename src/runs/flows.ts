/** Selects the flows of a run to draw, and the flow whose controller to show. */
import type { DrawnFlow } from '../charts/index.js';
import type { FlowInfo } from './run.js';

/** The default number of drawn flows. More curves would hide each other. */
const DRAWN_AT_FIRST = 6;

/** The chosen flows or, if none is chosen, the first flows: media before TCP. */
export function drawnFlows(flows: readonly FlowInfo[], chosen: readonly string[]): readonly DrawnFlow[] {
  const inTurn = [...flows].sort(
    (a, b) => Number(a.kind === 'tcp') - Number(b.kind === 'tcp') || a.flow - b.flow,
  );
  return inTurn
    .map(({ flow, name, kind, direction }, look) => ({ flow, name, kind, direction, look }))
    .filter(({ name }, index) => (chosen.length > 0 ? chosen.includes(name) : index < DRAWN_AT_FIRST));
}

/**
 * The media flow whose controller to show: the flow named `chosen` or, if there is none, the first media flow.
 * Null if there are no media flows.
 */
export function detailedFlow(flows: readonly FlowInfo[], chosen: string): FlowInfo | null {
  const media = flows.filter(({ kind }) => kind === 'media');
  return media.find(({ name }) => name === chosen) ?? media[0] ?? null;
}
