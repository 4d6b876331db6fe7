/** A controller's state machine, with its current state marked. */
import { stripState } from '../../../charts/index.js';
import type { ControllerName } from '../../../core/schema.js';

interface Machine {
  /** The column of the trace that contains the state. The states have the same names as in the charts. */
  column: 'state' | 'mode' | 'action';
  states: readonly { x: number; y: number }[];
  /** Transitions from one state to another, each with its cause. */
  arrows: readonly { from: number; to: number; on: string }[];
  /** Explains the intermediate states that the trace, and so the picture, does not show. */
  note?: string;
}

/** Sources: ToN, Fig. 4; RFC 8698, section 4.2; LCC, section II. */
const MACHINES: Readonly<Record<ControllerName, Machine>> = {
  gcc: {
    column: 'state',
    states: [
      { x: 62, y: 40 },
      { x: 258, y: 40 },
      { x: 160, y: 168 },
    ],
    arrows: [
      { from: 0, to: 1, on: 'normal' },
      { from: 1, to: 0, on: 'underuse' },
      { from: 1, to: 2, on: 'overuse' },
      { from: 0, to: 2, on: 'overuse' },
      { from: 2, to: 0, on: 'normal, underuse' },
    ],
    // The trace contains the state in which an update acted: acted_state() in wasm/cc/gcc/rate_controller.h.
    note: 'After a cut, the state becomes hold in the same update. The next update can therefore lead from decrease to increase.',
  },
  nada: {
    column: 'mode',
    states: [
      { x: 70, y: 80 },
      { x: 250, y: 80 },
    ],
    arrows: [
      { from: 0, to: 1, on: 'delay or loss' },
      { from: 1, to: 0, on: 'neither' },
    ],
  },
  lcc: {
    column: 'action',
    states: [
      { x: 160, y: 40 },
      { x: 70, y: 140 },
      { x: 250, y: 140 },
    ],
    arrows: [
      { from: 0, to: 1, on: 'D > R·T' },
      { from: 1, to: 0, on: 'D ≤ R·T' },
      { from: 2, to: 0, on: 'enough pairs' },
    ],
  },
};

const RADIUS = { x: 44, y: 17 };
/** The distance by which an arrow is bent to one side, so that the two arrows between two states do not overlap. */
const BEND = -24;

function Arrow({ machine, from, to, on }: { machine: Machine; from: number; to: number; on: string }) {
  const [a, b] = [machine.states[from], machine.states[to]];
  if (!a || !b) return null;
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  const edge = ({ x, y }: { x: number; y: number }, way: 1 | -1) => {
    const reach = 1 / Math.hypot(ux / RADIUS.x, uy / RADIUS.y);
    return { x: x + way * ux * reach, y: y + way * uy * reach };
  };
  const [start, end] = [edge(a, 1), edge(b, -1)];
  const middle = { x: (start.x + end.x) / 2 - uy * BEND, y: (start.y + end.y) / 2 + ux * BEND };
  // `middle` is the control point of a quadratic curve, which bends only half as far. The label is between
  // the curve and that point.
  const label = { x: middle.x - uy * 8, y: middle.y + ux * 8 };
  const side = Math.abs(ux) > 0.9 ? 'middle' : uy > 0 ? 'start' : 'end';
  return (
    <>
      <path d={`M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`} marker-end="url(#tip)" />
      <text x={label.x} y={label.y} style={{ textAnchor: side }}>
        {on}
      </text>
    </>
  );
}

interface StateMachineProps {
  controller: ControllerName;
  /** The index of the current state; NaN if there is no state yet. */
  state: number;
  /** The signal of GCC's overuse detector; empty for controllers without a detector. */
  signal: string;
}

export function StateMachine({ controller, state, signal }: StateMachineProps) {
  const machine = MACHINES[controller];
  const now = state in machine.states ? stripState(machine.column, state) : 'none yet';
  return (
    <figure class="state-machine">
      <svg viewBox="-50 0 420 190" role="img" aria-label={`State: ${now}${signal && `, signal: ${signal}`}`}>
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0l8 4-8 4z" />
          </marker>
        </defs>
        {machine.arrows.map(({ from, to, on }) => (
          <g
            key={`${from} ${to}`}
            class={signal !== '' && on.includes(signal) && from === state ? 'now' : ''}
          >
            <Arrow machine={machine} from={from} to={to} on={on} />
          </g>
        ))}
        {machine.states.map(({ x, y }, index) => (
          <g key={index} class={index === state ? 'state now' : 'state'}>
            <ellipse cx={x} cy={y} rx={RADIUS.x} ry={RADIUS.y} />
            <text x={x} y={y}>
              {stripState(machine.column, index)}
            </text>
          </g>
        ))}
      </svg>
      {machine.note !== undefined && <figcaption class="hint">{machine.note}</figcaption>}
    </figure>
  );
}
