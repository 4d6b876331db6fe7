/** The capacity over time as a curve whose steps can be dragged, added and removed. */
import { useRef } from 'preact/hooks';

import type { CapacityStep } from '../../../../core/link.js';
import { formatRate } from '../../../../charts/index.js';
import { added, LEAST_BPS, moved, scaledBps } from '../../capacity_steps.js';

interface CapacityCurveProps {
  steps: readonly CapacityStep[];
  durationS: number;
  onChange: (steps: readonly CapacityStep[]) => void;
}

const [WIDTH, HEIGHT] = [260, 84];
/** Room around the curve for the handles. */
const EDGE = 7;

/** The curve's scales: time to the right, rate upwards. */
class Layout {
  readonly #topBps: number;
  constructor(
    steps: readonly CapacityStep[],
    private readonly durationS: number,
  ) {
    this.#topBps = 1.25 * Math.max(...steps.map(({ capacityBps }) => capacityBps), LEAST_BPS);
  }

  x = (us: number): number => EDGE + ((WIDTH - 2 * EDGE) * us) / (this.durationS * 1e6);
  y = (bps: number): number => HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * bps) / this.#topBps;
  /** The time at `x`, rounded to a tenth of a second. */
  us = (x: number): number => {
    const share = Math.min(1, Math.max(0, (x - EDGE) / (WIDTH - 2 * EDGE)));
    return Math.round(share * this.durationS * 10) * 1e5;
  };
  /**
   * The rate at `y`, rounded to three significant digits. A rate below LEAST_BPS becomes LEAST_BPS or, if it is below
   * half of LEAST_BPS, 0.
   */
  bps = (y: number): number => {
    const bps = ((HEIGHT - EDGE - y) / (HEIGHT - 2 * EDGE)) * this.#topBps;
    return bps < LEAST_BPS / 2 ? 0 : Number(Math.max(LEAST_BPS, bps).toPrecision(3));
  };
}

const KEYS: Readonly<Record<string, readonly [us: number, factor: number]>> = {
  ArrowLeft: [-500e3, 1],
  ArrowRight: [500e3, 1],
  ArrowUp: [0, 1.05],
  ArrowDown: [0, 1 / 1.05],
};

export function CapacityCurve({ steps, durationS, onChange }: CapacityCurveProps) {
  const svg = useRef<SVGSVGElement>(null);
  /** The drag that is under way, with the steps and the scale as they were when it began. */
  const held = useRef<{ index: number; layout: Layout; steps: readonly CapacityStep[] } | null>(null);
  const layout = held.current?.layout ?? new Layout(steps, durationS);
  const shown = steps.filter(({ atUs }) => atUs <= durationS * 1e6);
  const line = shown.flatMap(({ atUs, capacityBps }, index) => {
    const endUs = shown[index + 1]?.atUs ?? durationS * 1e6;
    return [`${layout.x(atUs)},${layout.y(capacityBps)}`, `${layout.x(endUs)},${layout.y(capacityBps)}`];
  });
  const at = ({ clientX, clientY }: PointerEvent | MouseEvent, by: Layout): CapacityStep => {
    const box = svg.current?.getBoundingClientRect();
    if (!box) return { atUs: 0, capacityBps: 0 };
    const x = ((clientX - box.left) / box.width) * WIDTH;
    const y = ((clientY - box.top) / box.height) * HEIGHT;
    return { atUs: by.us(x), capacityBps: by.bps(y) };
  };
  const remove = (index: number): void => {
    if (index > 0) onChange(steps.filter((_, i) => i !== index));
  };
  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    const { key } = event;
    const step = steps[index];
    const change = KEYS[key];
    if (key === 'Delete' || key === 'Backspace') remove(index);
    else if (step && change) {
      const capacityBps = scaledBps(step.capacityBps, change[1]);
      onChange(moved(steps, index, { atUs: step.atUs + change[0], capacityBps }));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <figure class="capacity-curve">
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label="Capacity over time. Arrow keys move a step, Delete removes it."
        onPointerMove={(event) => {
          const drag = held.current;
          if (drag) onChange(moved(drag.steps, drag.index, at(event, drag.layout)));
        }}
        onPointerUp={() => (held.current = null)}
        onPointerCancel={() => (held.current = null)}
        onDblClick={(event) => onChange(added(steps, at(event, layout)))}
      >
        <polyline points={line.join(' ')} />
        {shown.map(({ atUs, capacityBps }, index) => (
          <circle
            key={index}
            cx={layout.x(atUs)}
            cy={layout.y(capacityBps)}
            r="5"
            tabindex={0}
            role="slider"
            aria-label={`Capacity from ${atUs / 1e6} s on`}
            aria-valuenow={capacityBps}
            aria-valuetext={formatRate(capacityBps)}
            onKeyDown={(event) => onKeyDown(event, index)}
            onDblClick={(event) => {
              event.stopPropagation();
              remove(index);
            }}
            onPointerDown={(event) => {
              event.preventDefault();
              event.currentTarget.focus();
              svg.current?.setPointerCapture(event.pointerId);
              held.current = { index, layout, steps };
            }}
          />
        ))}
      </svg>
      <figcaption class="hint">
        Drag a step; double-click adds one, and on a step removes it.{' '}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            const last = steps.at(-1) ?? { atUs: 0, capacityBps: 1e6 };
            const atUs = Math.round(((last.atUs + durationS * 1e6) / 2 / 1e6) * 10) * 1e5;
            onChange(added(steps, { atUs, capacityBps: Math.round(last.capacityBps / 2) }));
          }}
        >
          + step
        </button>
      </figcaption>
    </figure>
  );
}
