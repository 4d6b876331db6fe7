/** Charts on a shared time axis, each with a legend that shows values and hides series. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

import {
  axisKey,
  formatTime,
  gccStrip,
  type Series,
  type StripSpec,
  type TimeChart,
} from '../charts/index.js';
import type { MakeChart, Scope } from './scope.js';
import { SymbolText } from './symbol_text.js';

/** One chart in a column of charts. */
export interface Board {
  id: string;
  title: string;
  unit: string;
  about: string;
  make: MakeChart;
  /** The description of the states, if the chart is a strip (coloured bands that show states over time). */
  strip?: StripSpec;
}

/** The ids of the hidden series. `onHide` is called with the new list when the user hides or shows a series. */
interface Hiding {
  hidden: readonly string[];
  onHide: (hidden: readonly string[]) => void;
}

const SWATCH_DASH: Partial<Record<Series['look'], string>> = {
  dashed: '4 2',
  dotted: '1.5 2',
  'dash-dot': '6 2 1.5 2',
  'long-dash': '9 2',
};

function Swatch({ look, colour, scope }: Pick<Series, 'look' | 'colour'> & { scope: Scope }) {
  const paint = scope.theme.value.colours[colour];
  const dash = SWATCH_DASH[look];
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

interface LegendProps extends Hiding {
  series: readonly Series[];
  scope: Scope;
}

function Legend({ series: shown, scope, hidden, onHide }: LegendProps) {
  const toggle = (id: string): void =>
    onHide(hidden.includes(id) ? hidden.filter((other) => other !== id) : [...hidden, id]);
  const values = scope.values.value;
  return (
    <ul class="legend">
      {shown.map((series) => (
        <li key={series.id}>
          <button
            type="button"
            aria-pressed={!hidden.includes(series.id)}
            title={`${series.description}. Click to show or hide.`}
            onClick={() => toggle(series.id)}
          >
            <Swatch look={series.look} colour={series.colour} scope={scope} />
            <SymbolText text={series.label} />
            {!series.look.startsWith('triangles') && (
              <span class="reading">{series.format(values[series.id] ?? NaN)}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface MeaningsProps {
  board: Board;
  series: readonly Series[];
  scope: Scope;
}

/**
 * Whether popovers are supported. Older browsers lack popovers and the selector `:popover-open`. Node, which may import
 * this module as part of the embedded element's script, has no HTMLElement.
 */
const hasPopovers = typeof HTMLElement !== 'undefined' && 'popover' in HTMLElement.prototype;

/** A button that opens the meaning of each line of a chart, for people who do not know the symbols. */
function Meanings({ board: { title, about }, series, scope }: MeaningsProps) {
  const id = useId();
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="explain"
        popoverTarget={id}
        aria-label={`What the lines of ${title} mean`}
        title="What these lines mean"
      >
        ?
      </button>
      <div
        id={id}
        popover="auto"
        class="meanings"
        onBeforeToggle={({ newState }) => (isOpen.value = newState === 'open')}
      >
        {isOpen.value && (
          <>
            <p>
              <b>{title}</b>: {about}.
            </p>
            <dl>
              {series.map(({ id: line, label, description, look, colour }) => (
                <div key={line}>
                  <dt>
                    <Swatch look={look} colour={colour} scope={scope} />
                    <SymbolText text={label} />
                  </dt>
                  <dd>
                    <SymbolText text={description} />.
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </div>
    </>
  );
}

/**
 * The strip's legend: the meaning of each colour. The state at the cursor is marked; without a cursor, the
 * state at the end of the window.
 */
function StripLegend({ scope, spec }: { scope: Scope; spec: StripSpec }) {
  const values = scope.values.value;
  return (
    <ul class="legend">
      {spec.rows.map(({ label, states }) => (
        <li key={label}>
          <span class="strip-key">
            {label}
            {states.map(({ name, colour }, index) => (
              <span key={name} class={values[label] === index ? 'now' : ''}>
                <i style={{ background: scope.theme.value.colours[colour] }} />
                {name}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Further actions on a chart, shown after its legend. */
export type ChartTools = (board: Board, chart: TimeChart) => ComponentChildren;

interface FigureProps extends Hiding {
  board: Board;
  scope: Scope;
  /** The series that are left out because they currently have no meaning. */
  without: readonly string[];
  timeLabels: boolean;
  tools?: ChartTools;
}

export function ChartFigure({ board, scope, without, timeLabels, tools, hidden, onHide }: FigureProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useSignal<TimeChart | null>(null);
  const series = chart.value?.series.filter(({ id }) => !without.includes(id));
  const unseen = [...hidden, ...without];
  /** Applies the choice of lines and labels to a chart, and returns whether this changes anything. */
  const choose = (shown: TimeChart): boolean => {
    const changed = shown.series.filter(({ id }) => shown.isVisible(id) === unseen.includes(id));
    for (const { id } of changed) shown.setVisible(id, !shown.isVisible(id));
    return shown.setTimeLabels(timeLabels) || changed.length > 0;
  };
  useEffect(() => {
    let remove: (() => void) | undefined;
    const takeBack = scope.inFrame(() => {
      if (!container.current) return;
      const added = scope.add(container.current, board.make);
      const { canvas } = added.chart;
      canvas.setAttribute('role', 'img');
      canvas.setAttribute(
        'aria-label',
        `${board.title} over time: ${board.about}. The newest values are in the summary table.`,
      );
      choose(added.chart);
      chart.value = added.chart;
      ({ remove } = added);
    });
    return () => {
      takeBack();
      remove?.();
    };
  }, []);
  useEffect(() => {
    const { value } = chart;
    if (value && choose(value)) scope.refresh(value);
  }, [chart.value, unseen.join(), timeLabels]);
  return (
    <figure class={`chart ${board.id}`}>
      <figcaption>
        <b title={board.about}>{board.title}</b> {board.unit && <span class="unit">{board.unit}</span>}
        {series && !board.strip && hasPopovers && <Meanings board={board} series={series} scope={scope} />}
        {board.id === 'states' ? (
          <StripLegend scope={scope} spec={board.strip ?? gccStrip} />
        ) : (
          series && <Legend series={series} scope={scope} hidden={hidden} onHide={onHide} />
        )}
        {chart.value && tools?.(board, chart.value)}
      </figcaption>
      <div class="plot" ref={container} />
    </figure>
  );
}

interface ToolbarProps {
  scope: Scope;
  /** Whether new rows keep arriving. Otherwise there is nothing to pause, and the toolbar has no button for it. */
  live?: boolean;
}

const timeText = (us: number): string => formatTime(Math.round(us / 1e4) / 100);

export function AxisToolbar({ scope, live = false }: ToolbarProps) {
  const { axis } = scope;
  const following = scope.following.value;
  const cursor = scope.cursorUs.value;
  const held = scope.heldUs.value;
  const said = scope.said.value;
  const toolbar = useRef<HTMLDivElement>(null);
  const releaseButton = useRef<HTMLButtonElement>(null);
  const release = (): void => {
    // The button is about to disappear. If it has the focus, the focus moves to the toolbar.
    if (releaseButton.current?.matches(':focus') === true) toolbar.current?.focus();
    axis.holdCursor(null);
  };
  return (
    <>
      <div
        ref={toolbar}
        class="toolbar"
        role="toolbar"
        aria-label="Time axis"
        tabIndex={-1}
        onKeyDown={({ key }) => key === 'Escape' && release()}
      >
        {live && (
          <button
            type="button"
            aria-pressed={!following}
            title="Hold the charts; recording goes on (Space)"
            onClick={() => (following ? axis.pause() : axis.follow())}
          >
            {following ? '❚❚ Pause' : '▶ Follow'}
          </button>
        )}
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
          {formatTime(scope.windowS.value)} shown
          {cursor !== null && (
            <b>
              , cursor {cursor === held && 'held '}at {timeText(cursor)}
            </b>
          )}
        </span>
        {held !== null && (
          <button
            ref={releaseButton}
            type="button"
            class="quiet"
            aria-label="Release the cursor"
            title={`Release the cursor, which is held at ${timeText(held)} (Esc)`}
            onClick={release}
          >
            ×
          </button>
        )}
        <span class="hint">
          {[
            ...(live && !following ? ['the charts are paused'] : []),
            ...(cursor === null && !following && !live ? ['values at its end'] : []),
            ...(scope.hasKeptGhost.value ? ['faint lines: the run before'] : []),
          ].join(' · ')}
        </span>
        <span class="hint keys">
          {held !== null
            ? 'A click moves the held cursor, Esc releases it'
            : 'Ctrl+wheel or pinch zooms, drag pans, Shift-drag selects, a click holds the cursor'}
        </span>
      </div>
      {/* Screen readers do not announce this text, since it changes with each movement of the pointer. */}
      {said !== null && (
        <p class="at-cursor" aria-live="off" title={said}>
          <SymbolText text={said} />
        </p>
      )}
    </>
  );
}

/** Null in Node, since Node has no `matchMedia`. */
const narrow = typeof matchMedia === 'undefined' ? null : matchMedia('(max-width: 900px)');

/** Whether the page is as narrow as on a phone. */
export function useNarrow(): boolean {
  const isNarrow = useSignal(narrow?.matches ?? false);
  useEffect(() => {
    const follow = (): void => void (isNarrow.value = narrow?.matches ?? false);
    narrow?.addEventListener('change', follow);
    return () => narrow?.removeEventListener('change', follow);
  }, []);
  return isNarrow.value;
}

interface ChartsProps {
  scope: Scope;
  /** Whether new rows keep arriving. Otherwise there is nothing to pause. */
  live?: boolean;
  /** Additional CSS classes. */
  look?: string;
  children: ComponentChildren;
}

/** A column of charts that can be controlled by the keyboard. */
export function Charts({ scope, live = false, look = '', children }: ChartsProps) {
  const container = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLButtonElement && event.key !== 'Escape') return;
    // Escape first closes an open explanation of a chart's lines.
    if (event.key === 'Escape' && hasPopovers && container.current?.querySelector(':popover-open')) return;
    if (live && event.key === ' ') {
      event.preventDefault();
      if (scope.axis.following) scope.axis.pause();
      else scope.axis.follow();
    } else if (axisKey(scope.axis, event, live || scope.axis.following)) event.preventDefault();
  };
  return (
    <div
      ref={container}
      class={`charts ${look}`}
      role="group"
      tabIndex={0}
      aria-label={`Charts. Arrows move the cursor, Escape releases it; Shift with arrows moves the window; plus and minus zoom; ${live ? 'Space pauses; Home shows all, End follows.' : 'Home shows all, End moves to its end.'}`}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}
