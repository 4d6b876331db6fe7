/** Explains the decisions of the controller whose internals the charts show. */
import { useMemo } from 'preact/hooks';

import type { Scope } from '../../../boards/scope.js';
import { traceHeader } from '../../../scenario/trace_header.js';
import { WhyAtCursor, WhyPanel } from '../../ui/why_panel.js';
import { detailedFlow } from '../../../runs/flows.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';
import { replacedIn, type Run } from '../../../runs/run.js';

interface LabWhyProps {
  store: TraceStore;
  run: Pick<Run, 'scenario' | 'cell' | 'seed' | 'flows' | 'controller' | 'result'>;
  scope: Scope;
  /** The media flow whose controller is shown. If empty, the first media flow is used. */
  detailed: string;
}

/** The input for the explanation of a run; null if the run has no media flow. */
function useExplained({ store, run, scope, detailed }: LabWhyProps) {
  const { scenario, cell, seed, flows, controller, result } = run;
  const header = useMemo(
    () => ({ ...traceHeader(scenario, cell, seed, replacedIn(run)) }),
    // `run` itself is not listed: when a run ends, a new object with the same settings replaces it.
    [scenario, cell, seed, controller],
  );
  const flow = detailedFlow(flows, detailed);
  if (flow === null) return null;
  const link = flow.direction === 'backward' ? 1 : 0;
  return { scope, store, flow: flow.flow, link, header, hasEnded: result !== null };
}

/** The list of reasons for the current run. */
export function LabWhy({ isCompared, ...props }: LabWhyProps & { isCompared: boolean }) {
  const explained = useExplained(props);
  return explained && <WhyPanel title={isCompared ? 'Now: why did it do that?' : undefined} {...explained} />;
}

/** The reason at the cursor for the pinned run, for which the page has no list of reasons. */
export function PinnedWhy(props: LabWhyProps) {
  const explained = useExplained(props);
  return explained && <WhyAtCursor {...explained} />;
}
