/**
 * "Compare with the simulation": the button below the facts of the call, and the table of differences between the
 * call and its simulation.
 */
import { useEffect, useMemo } from 'preact/hooks';

import type { Scope } from '../../boards/scope.js';
import { formatMs, formatRate, formatRatio, formatTime } from '../../charts/index.js';
import type { Quantity, SeriesDistance } from '../../twin/comparison.js';
import type { Recorder } from '../session/recorder.js';
import { change, settings } from '../settings.js';
import { TwinComparison, type TwinState } from './comparison.js';

/**
 * The comparison of the shown recording with its simulation. The page keeps only one comparison, and removes it when
 * another recording is shown.
 */
export function useTwin(recorder: Recorder, scope: Scope, running: boolean): TwinComparison {
  const twin = useMemo(() => new TwinComparison(recorder, scope), [recorder, scope]);
  const { kind, version } = recorder.shown.value;
  const isWhole = kind === 'file' || (kind === 'call' && !running && recorder.hasRows.value);
  const isByItself = settings.value.compare && isWhole;
  useEffect(() => twin.remove(), [twin, version]);
  useEffect(() => {
    if (isByItself) void twin.compare();
  }, [twin, version, isByItself]);
  return twin;
}

interface TwinActionProps {
  twin: TwinComparison;
  /** Why the shown recording can never be compared; null if a comparison may be possible. */
  problem: { message: string; fix: string } | null;
}

/** The button, and the comparison's progress. */
export function TwinAction({ twin, problem }: TwinActionProps) {
  const state: TwinState = problem === null ? twin.state.value : { kind: 'refused', ...problem };
  return (
    <div class="twin-action">
      {state.kind === 'running' ? (
        <>
          <progress aria-label="Simulating the call" value={state.share} />
          <button type="button" onClick={() => twin.remove()}>
            Cancel
          </button>
        </>
      ) : (
        <button type="button" disabled={problem !== null} onClick={() => void twin.compare()}>
          {state.kind === 'done' ? 'Compare again' : 'Compare with the simulation'}
        </button>
      )}
      {state.kind === 'done' && (
        <button type="button" onClick={() => twin.remove()}>
          Remove the simulation
        </button>
      )}
      <span aria-live="polite" class="hint">
        {toldOf(state)}
      </span>
    </div>
  );
}

function toldOf(state: TwinState): string {
  if (state.kind === 'running') return 'Simulating the same schedule.';
  if (state.kind === 'refused') return `It cannot be compared: ${state.message}. To compare: ${state.fix}.`;
  return state.kind === 'done' ? 'The faint lines are the simulation.' : '';
}

const FORMATS: Readonly<Record<Quantity, (value: number) => string>> = {
  rate: formatRate,
  time: (us) => formatMs(us / 1e3),
  share: formatRatio,
};

const signed = (value: number, format: (value: number) => string): string =>
  `${value < 0 ? '−' : value > 0 ? '+' : ''}${format(Math.abs(value))}`;

function Row({ series, scope }: { series: SeriesDistance; scope: Scope }) {
  const { name, quantity, distance } = series;
  const format = FORMATS[quantity];
  const { call, twin, offset, apart, relative, most } = distance;
  const at = formatTime(Math.round(most.fromUs / 1e5) / 10);
  const share = relative === null || quantity === 'share' ? '' : ` (${formatRatio(relative)})`;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{format(call)}</td>
      <td>{format(twin)}</td>
      <td>{signed(offset, format)}</td>
      <td>
        {format(apart)}
        {share}
      </td>
      <td>
        <button
          type="button"
          aria-label={`${name} part most at ${at}: show it in the charts`}
          onClick={() => scope.axis.jumpTo(most.fromUs + 0.5e6)}
        >
          {at}
        </button>{' '}
        {format(most.call)} / {format(most.twin)}
      </td>
    </tr>
  );
}

/** The table of the differences between the call and its simulation. */
export function TwinPanel({ twin, scope }: { twin: TwinComparison; scope: Scope }) {
  const state = twin.state.value;
  if (state.kind !== 'done') return null;
  const { distances, fromUs, toUs, assumed } = state;
  const [from, to] = [fromUs, toUs].map((us) => formatTime(Math.round(us / 1e5) / 10));
  return (
    <details class="panel twin" open>
      <summary>
        The call and its simulation{' '}
        <span class="hint">
          from {from} to {to}
        </span>
      </summary>
      <div class="twin-table">
        <table>
          <caption class="hint">
            Averages over the seconds of the call. Apart: the average of the differences, second by second,
            without their signs.
          </caption>
          <thead>
            <tr>
              <th scope="col">Series</th>
              <th scope="col">Call</th>
              <th scope="col">Simulation</th>
              <th scope="col">Simulation less call</th>
              <th scope="col">Apart</th>
              <th scope="col">Part most at, call / simulation</th>
            </tr>
          </thead>
          <tbody>
            {distances.map((series) => (
              <Row key={series.name} series={series} scope={scope} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        The simulation had the link, the controller and the frame rate of the call, with every change; it does
        not know how busy the machine was, what the pictures showed, or which packets chance dropped.
        {assumed.length > 0 && ` The simulation assumed ${assumed.join('; ')}.`}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.value.compare}
          onChange={({ currentTarget }) => change({ compare: currentTarget.checked })}
        />{' '}
        Compare each recording by itself
      </label>
    </details>
  );
}
