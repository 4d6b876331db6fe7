/** The state of a controller at the chosen moment, and its equations with their values. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { SymbolText } from '../../../boards/symbol_text.js';
import type { ControllerName } from '../../../core/schema.js';
import { namedPapers, type CitedPaper } from '../../cited_papers.js';
import type { Scenario } from '../../../scenario/scenario.js';
import type { TraceStore } from '../../../worker/trace/trace_client.js';
import {
  gccEquations,
  lccEquations,
  nadaEquations,
  type Equation,
  type Values,
} from '../playback/equations.js';
import { momentOf, type Moment } from '../playback/moment.js';
import { valuesOf } from '../playback/parameter_values.js';
import type { Playback } from '../playback/playback.js';
import type { FlowInfo, Run } from '../../../runs/run.js';
import { Formula } from './formula.js';
import { StateMachine } from './state_machine.js';

const EQUATIONS: Readonly<Record<ControllerName, (moment: Moment, value: Values) => Equation[]>> = {
  gcc: gccEquations,
  nada: nadaEquations,
  lcc: lccEquations,
};
/** Reads each controller's state from its rows. */
const STATE_OF: Readonly<Record<ControllerName, (rows: Moment['rows']) => number>> = {
  gcc: ({ group }) => group?.now['state'] ?? NaN,
  nada: ({ nada }) => nada?.now['mode'] ?? NaN,
  lcc: ({ lcc }) => lcc?.now['action'] ?? NaN,
};
/** The papers that the equations cite by short names. (NADA's equations cite RFC 8698 instead.) */
const CITED: Readonly<Record<ControllerName, readonly CitedPaper[]>> = {
  gcc: ['ToN'],
  nada: [],
  lcc: ['LCC'],
};
const SIGNALS = ['normal', 'underuse', 'overuse'];
/** The time between two updates during playback: faster changes could not be read. */
const READ_MS = 100;

interface MomentPanelProps {
  run: Run;
  /** The run's cell (combination of axis values) as a separate scenario. */
  network: Scenario;
  store: TraceStore;
  playback: Playback;
  flow: FlowInfo;
}

export default function MomentPanel({ run, network, store, playback, flow }: MomentPanelProps) {
  const moment = useSignal<Moment | null>(null);
  const { controller } = flow;
  useEffect(() => {
    if (controller === undefined) return undefined;
    let isOver = false;
    let readUs = NaN;
    const read = async (): Promise<void> => {
      const timeUs = playback.timeUs.peek();
      if (timeUs !== readUs) {
        readUs = timeUs;
        const next = await momentOf(store, controller, flow.flow, timeUs);
        if (!isOver) moment.value = next;
      }
      if (!isOver) timer = setTimeout(() => void read(), READ_MS);
    };
    let timer = setTimeout(() => void read(), 0);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [run, flow.flow, controller]);
  if (controller === undefined || moment.value === null) return null;
  const { rows } = moment.value;
  const equations = EQUATIONS[controller](moment.value, valuesOf(network, flow));
  return (
    <div class="moment">
      <StateMachine
        controller={controller}
        state={STATE_OF[controller](rows)}
        signal={SIGNALS[rows.group?.now['signal'] ?? NaN] ?? ''}
      />
      {equations.length === 0 ? (
        <p class="hint">{flow.name} has decided nothing yet at this moment.</p>
      ) : (
        <div>
          <dl class="equations">
            {equations.map(({ title, source, formula, values }) => (
              <div key={title}>
                <dt>
                  {title} <small>{source}</small>
                </dt>
                <dd>
                  <Formula tex={formula} />
                  <span class="values">
                    <SymbolText text={values} />
                  </span>
                </dd>
              </div>
            ))}
          </dl>
          {CITED[controller].length > 0 && <p class="hint">{namedPapers(CITED[controller])}</p>}
        </div>
      )}
    </div>
  );
}
