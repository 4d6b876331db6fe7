/** The charts on their shared time axis, each with a legend that shows values and hides series. */
import { useSignal } from '@preact/signals';
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
      {look === 'points' &&
        [3, 8, 13].map((x) => <circle key={x} cx={x} cy={x === 8 ? 3 : 7} r="1.6" fill={paint} />)}
      {look === 'triangles-up' && <path d="M8 1l4 8H4z" fill={paint} />}
      {look === 'triangles-down' && <path d="M8 9l4-8H4z" fill={paint} />}
      {(look === 'line' || look === 'step' || dash) && (
        <path d="M0 5h16" stroke={paint} stroke-width="2.5" stroke-dasharray={dash} />
      )}
    </svg>
  );
}

/** `A_r` as A with a subscript. */
function Symbol({ text }: { text: string }) {
  const [base, below] = text.split('_');
  return (
    <span>
      {base}
      {below && <sub>{below}</sub>}
    </span>
  );
}

function Legend({ chart, scope, without }: { chart: TimeChart; scope: Scope; without: readonly string[] }) {
  const toggle = (id: string): void => {
    const { hide } = settings.peek();
    change({ hide: hide.includes(id) ? hide.filter((hidden) => hidden !== id) : [...hide, id] });
  };
  const values = scope.values.value;
  return (
    <ul class="legend">
      {chart.series
        .filter(({ id }) => !without.includes(id))
        .map((series) => (
          <li key={series.id}>
            <button
              type="button"
              aria-pressed={!settings.value.hide.includes(series.id)}
              title={`${series.description}. Click to show or hide.`}
              onClick={() => toggle(series.id)}
            >
              <Swatch look={series.look} colour={series.colour} />
              <Symbol text={series.label} />
              {!series.look.startsWith('triangles') && (
                <span class="reading">{series.format(values[series.id] ?? NaN)}</span>
              )}
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

interface FigureProps {
  board: Board;
  scope: Scope;
  /** Series that mean nothing now. */
  without: readonly string[];
  timeLabels: boolean;
}

function ChartFigure({ board, scope, without, timeLabels }: FigureProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useSignal<TimeChart | null>(null);
  useEffect(() => {
    if (!container.current) return undefined;
    const added = scope.add(container.current, board.make);
    const { canvas } = added.chart;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute(
      'aria-label',
      `${board.title} over time: ${board.about}. The newest values are in the summary table.`,
    );
    chart.value = added.chart;
    return added.remove;
  }, []);
  const hidden = [...settings.value.hide, ...without].join();
  useEffect(() => {
    const { value } = chart;
    if (!value) return;
    for (const { id } of value.series) value.setVisible(id, !hidden.split(',').includes(id));
    scope.refresh(value);
  }, [chart.value, hidden]);
  useEffect(() => chart.value?.setTimeLabels(timeLabels), [chart.value, timeLabels]);
  return (
    <figure class={`chart ${board.id}`}>
      <figcaption title={`${board.title}: ${board.about}`}>
        <b>{board.title}</b> {board.unit && <span class="unit">{board.unit}</span>}
        {board.id === 'states' ? (
          <StripLegend scope={scope} />
        ) : (
          chart.value && <Legend chart={chart.value} scope={scope} without={without} />
        )}
      </figcaption>
      <div class="plot" ref={container} />
    </figure>
  );
}

function AxisToolbar({ scope, live }: { scope: Scope; live: boolean }) {
  const { axis } = scope;
  const following = scope.following.value;
  const cursor = scope.cursorUs.value;
  return (
    <div class="toolbar" role="toolbar" aria-label="Time axis">
      <button
        type="button"
        aria-pressed={!following}
        disabled={!live}
        title="Hold the charts; recording goes on (Space)"
        onClick={() => (following ? axis.pause() : axis.follow())}
      >
        {following || !live ? '❚❚ Pause' : '▶ Follow'}
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
        {formatTime(settings.value.window_s)} shown
        {cursor !== null && <b>, cursor at {formatTime(Math.round(cursor / 1e4) / 100)}</b>}
      </span>
      <span class="hint keys">
        wheel or pinch zooms, drag pans, Shift-drag selects, arrows move the cursor
      </span>
    </div>
  );
}

/** In `control` mode the browser's estimate is a constant floor that says nothing. */
const IN_CONTROL = ['browser'];
const NONE: readonly string[] = [];
const narrow = matchMedia('(max-width: 900px)');

export function ChartBoard({ scope, inControl, live }: { scope: Scope; inControl: boolean; live: boolean }) {
  const isNarrow = useSignal(narrow.matches);
  useEffect(() => {
    const follow = (): void => void (isNarrow.value = narrow.matches);
    narrow.addEventListener('change', follow);
    return () => narrow.removeEventListener('change', follow);
  }, []);
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
      <AxisToolbar scope={scope} live={live} />
      <div
        class="charts"
        role="group"
        tabIndex={0}
        aria-label="Charts. Arrows move the cursor, with Shift the window; plus and minus zoom; Space pauses; Home shows all, End follows."
        onKeyDown={onKeyDown}
      >
        {BOARDS.map((board, index) => (
          <ChartFigure
            key={board.id}
            board={board}
            scope={scope}
            without={inControl ? IN_CONTROL : NONE}
            timeLabels={isNarrow.value || index === BOARDS.length - 1}
          />
        ))}
      </div>
    </>
  );
}
