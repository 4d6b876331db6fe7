/** Explains the decisions of the controller whose internals the charts show. */
import { useMemo } from 'preact/hooks';

import type { Scope } from '../../../boards/scope.js';
import { traceHeader } from '../../../scenario/trace_header.js';
import { WhyPanel } from '../../ui/why_panel.js';
import { detailedFlow } from '../../../runs/flows.js';
import type { Lab } from '../lab.js';
import { replacedIn, type Run } from '../../../runs/run.js';

interface LabWhyProps {
  lab: Pick<Lab, 'store'>;
  run: Pick<Run, 'scenario' | 'cell' | 'seed' | 'flows' | 'controller' | 'result'>;
  scope: Scope;
  /** The flow whose controller is shown. If empty, the first flow with a controller is shown. */
  detailed: string;
  /** Whether another run is shown beside this one. */
  isCompared?: boolean;
}

export function LabWhy({ lab, run, scope, detailed, isCompared = false }: LabWhyProps) {
  const { scenario, cell, seed, flows, controller, result } = run;
  const header = useMemo(
    () => ({ ...traceHeader(scenario, cell, seed, replacedIn(run)) }),
    // A run that has ended is a new object with the same settings.
    [scenario, cell, seed, controller],
  );
  const flow = detailedFlow(flows, detailed);
  if (flow === null) return null;
  const link = flow.direction === 'backward' ? 1 : 0;
  return (
    <WhyPanel
      title={isCompared ? 'Now: why did it do that?' : undefined}
      scope={scope}
      store={lab.store}
      flow={flow.flow}
      link={link}
      header={header}
      hasEnded={result !== null}
    />
  );
}
