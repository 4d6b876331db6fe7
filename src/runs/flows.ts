/** Selects the flows of a run to draw, and the flow whose controller to show. */
import type { DrawnFlow } from '../charts/index.js';
import type { FlowInfo } from './run.js';

/** The default number of drawn flows. More curves would hide each other. */
const DRAWN_AT_FIRST = 6;

/** The chosen flows or, if none of the flows is chosen, the first flows: media before TCP. */
export function drawnFlows(flows: readonly FlowInfo[], chosen: readonly string[]): readonly DrawnFlow[] {
  const inTurn = [...flows].sort(
    (a, b) => Number(a.kind === 'tcp') - Number(b.kind === 'tcp') || a.flow - b.flow,
  );
  // A choice may name only flows that no longer exist, for example after the flow has become a group of flows.
  const isAnyChosen = inTurn.some(({ name }) => chosen.includes(name));
  return inTurn
    .map(({ flow, name, kind, direction }, look) => ({ flow, name, kind, direction, look }))
    .filter(({ name }, index) => (isAnyChosen ? chosen.includes(name) : index < DRAWN_AT_FIRST));
}

/**
 * The media flow whose controller to show: the flow named `chosen` or, if there is none, the first media flow.
 * Null if there are no media flows.
 */
export function detailedFlow(flows: readonly FlowInfo[], chosen: string): FlowInfo | null {
  const media = flows.filter(({ kind }) => kind === 'media');
  return media.find(({ name }) => name === chosen) ?? media[0] ?? null;
}

/**
 * Whether the flow numbers of two runs stand for the same flows: a flow that both runs have has the same number in both,
 * and flows with the same number are of the same kind.
 */
export function haveSameNumbers(before: readonly FlowInfo[], after: readonly FlowInfo[]): boolean {
  const numbers = new Map(after.map(({ name, flow }) => [name, flow]));
  const kinds = new Map(after.map(({ flow, kind }) => [flow, kind]));
  return before.every(
    ({ flow, name, kind }) => (numbers.get(name) ?? flow) === flow && (kinds.get(flow) ?? kind) === kind,
  );
}
