/** The charts on their shared time axis, each with a legend that shows values and hides series. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import {
  axisKey,
  DelayChart,
  DetectorChart,
  formatTime,
  LossChart,
  RateChart,
  StripChart,
  stripLegend,
  type Series,
  type TimeChart,
} from '../../charts/index.js';
import type { MakeChart, Scope } from '../scope/scope.js';
import { change, settings } from '../settings.js';
import { chartTheme } from '../theme.js';

interface Board {
  id: string;
  title: string;
  unit: string;
  about: string;
  make: MakeChart;
}

const BOARDS: readonly Board[] = [
  {
    id: 'rates',
    title: 'Rates',
    unit: 'Mbps',
    about: 'what is asked for, sent and received, against what the link can carry',
    make: (...args) => new RateChart(...args),
  },
  {
    id: 'delays',
    title: 'Delay',
    unit: 'ms',
    about: 'how long packets queue at the bottleneck, and the round-trip time',
    make: (...args) => new DelayChart(...args),
  },
  {
    id: 'detector',
    title: 'Overuse detector',
    unit: 'ms',
    about: 'the estimated delay gradient against its adaptive threshold',
    make: (...args) => new DetectorChart(...args),
  },
  {
    id: 'states',
    title: 'Controller',
    unit: '',
    about: 'the detector’s signal and the rate controller’s state',
    make: (...args) => new StripChart(...args),
  },
  {
    id: 'losses',
    title: 'Loss',
    unit: '%',
    about: 'the share of packets lost, and packets dropped at the bottleneck',
    make: (...args) => new LossChart(...args),
  },
];

function Swatch({ look, colour }: Pick<Series, 'look' | 'colour'>) {
  const paint = chartTheme.value.colours[colour];
  const dash = look === 'dashed' ? '4 2' : look === 'dotted' ? '1.5 2' : undefined;
  return (
    <svg class="swatch" width="16" height="10" viewBox="0 0 16 10" aria-hidden="true">
      {look === 'points' && [3, 8, 13].map((x) => <circle key={x} cx={x} cy={x === 8 ? 3 : 7} r="1.6" fill={paint} />)}
      {look === 'triangles-up' && <path d="M8 1l4 8H4z" fill={paint} />}
      {look === 'triangles-down' && <path d="M8 9l4-8H4z" fill={paint} />}
      {(look === 'line' || look === 'step' || dash) && <path d="M0 5h16" stroke={paint} stroke-width="2.5" stroke-dasharray={dash} />}
    </svg>
  );
}

function Legend({ chart, scope }: { chart: TimeChart; scope: Scope }) {
  const toggle = (id: string): void => {
    const { hide } = settings.peek();
    change({ hide: hide.includes(id) ? hide.filter((hidden) => hidden !== id) : [...hide, id] });
  };
  const values = scope.values.value;
  return (
    <ul class="legend">
      {chart.series.map((series) => (
        <li key={series.id}>
          <button
            type="button"
            aria-pressed={!settings.value.hide.includes(series.id)}
            title={`${series.description}. Click to show or hide.`}
            onClick={() => toggle(series.id)}
          >
            <Swatch look={series.look} colour={series.colour} />
            {series.label}
            {!series.look.startsWith('triangles') && <output>{series.format(values[series.id] ?? NaN)}</output>}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The strip's legend: what each colour is, and which one it is now. */
function StripLegend({ scope }: { scope: Scope }) {
  const values = scope.values.value;
  return (
    <ul class="legend">
      {stripLegend.map(({ label, states }) => (
        <li key={label}>
          <span class="strip-key">
            {label}
            {states.map(({ name, colour }, index) => (
              <span key={name} class={values[label] === index ? 'now' : ''}>
                <i style={{ background: chartTheme.value.colours[colour] }} />
                {name}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ChartFigure({ board, scope }: { board: Board; scope: Scope }) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useSignal<TimeChart | null>(null);
  useEffect(() => {
    if (!container.current) return undefined;
    const added = scope.add(container.current, board.make);
    const { canvas } = added.chart;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${board.title} over time: ${board.about}. The newest values are in the summary table.`);
    chart.value = added.chart;
    return added.remove;
  }, []);
  useSignalEffect(() => {
    const { hide } = settings.value;
    const { value } = chart;
    if (!value || board.id === 'states') return;
    const wrong = value.series.filter(({ id }) => value.isVisible(id) === hide.includes(id));
    for (const { id } of wrong) value.setVisible(id, !hide.includes(id));
    if (wrong.length > 0) scope.refresh(value);
  });
  return (
    <figure class={`chart ${board.id}`}>
      <figcaption title={`${board.title}: ${board.about}`}>
        <b>{board.title}</b> {board.unit && <span class="unit">{board.unit}</span>}
        {board.id === 'states' ? <StripLegend scope={scope} /> : chart.value && <Legend chart={chart.value} scope={scope} />}
      </figcaption>
      <div class="plot" ref={container} />
    </figure>
  );
}

function AxisToolbar({ scope }: { scope: Scope }) {
  const { axis } = scope;
  const live = scope.following.value;
  const cursor = scope.cursorUs.value;
  return (
    <div class="toolbar" role="toolbar" aria-label="Time axis">
      <button type="button" aria-pressed={!live} title="Hold the charts; recording goes on (Space)" onClick={() => (live ? axis.pause() : axis.follow())}>
        {live ? '❚❚ Pause' : '▶ Follow'}
      </button>
      <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => axis.zoomBy(1 / 1.5)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => axis.zoomBy(1.5)}>
        −
      </button>
      <button type="button" title="Show the whole trace (Home)" onClick={() => axis.showAll()}>
        All
      </button>
      <span class="window">
        {formatTime(settings.value.window_s)} shown{cursor !== null && <b>, cursor at {formatTime(Math.round(cursor / 1e4) / 100)}</b>}
      </span>
      <span class="hint keys">wheel or pinch zooms, drag pans, arrows move the cursor</span>
    </div>
  );
}

export function ChartBoard({ scope }: { scope: Scope }) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLButtonElement) return;
    if (event.key === ' ') {
      event.preventDefault();
      if (scope.axis.following) scope.axis.pause();
      else scope.axis.follow();
    } else if (axisKey(scope.axis, event)) event.preventDefault();
  };
  return (
    <>
      <AxisToolbar scope={scope} />
      <div
        class="charts"
        role="group"
        tabIndex={0}
        aria-label="Charts. Arrows move the cursor, with Shift the window; plus and minus zoom; Space pauses; Home shows all, End follows."
        onKeyDown={onKeyDown}
      >
        {BOARDS.map((board) => (
          <ChartFigure key={board.id} board={board} scope={scope} />
        ))}
      </div>
    </>
  );
}
