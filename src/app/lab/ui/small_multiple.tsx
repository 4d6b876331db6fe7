/** One value of a sweep as a small chart: the rate that each flow received, and the queuing delay. */
import { Fragment } from 'preact';

import { chartTheme } from '../../../boards/theme.js';
import { colourOf, formatMs, formatRate, formatRatio } from '../../../charts/index.js';
import { drawnFlows } from '../../../runs/flows.js';
import { queuing } from '../../../runs/flow_columns.js';
import type { Line, Swept } from '../sweep/sweep.js';
import { ownFlow } from '../sweep/sweep_figures.js';

interface SmallMultipleProps {
  swept: Swept;
  /** The value as text, such as `2 Mbps`. */
  title: string;
  /** `topBps` and `topMs`: the upper ends of the rate and delay scales. All charts of a sweep share them. */
  topBps: number;
  topMs: number;
  /** Whether the network currently has this value. */
  isNow: boolean;
  onTake: () => void;
}

const [WIDTH, RATES, DELAYS] = [180, 70, 34];

function path({ timeS, values }: Line, durationS: number, top: number, height: number): string {
  let isPen = false;
  return timeS
    .map((s, i) => {
      const value = values[i] ?? NaN;
      if (Number.isNaN(value)) {
        isPen = false;
        return '';
      }
      const [x, y] = [(s / durationS) * WIDTH, height - Math.min(1, value / top) * height];
      const command = isPen ? 'L' : 'M';
      isPen = true;
      return `${command}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

export function SmallMultiple({ swept, title, topBps, topMs, isNow, onTake }: SmallMultipleProps) {
  const { whole, flows, durationS, rates, queueDelayMs } = swept;
  const { colours, grid } = chartTheme.value;
  const used = formatRatio(whole.forward.utilisation);
  const own = ownFlow(whole);
  const p95 = formatMs(whole.forward.queueDelayUs.p95 / 1e3);
  const shares = whole.flows
    .slice(0, 3)
    .map(({ name, receiveRateBps }) => `${name} ${formatRate(receiveRateBps)}`);
  return (
    <li class="small-multiple">
      <button type="button" title={`Take ${title}`} onClick={onTake}>
        <span>
          <b>{title}</b> {isNow && <span class="count">present value</span>}
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${RATES + DELAYS + 6}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={`M0 ${RATES}h${WIDTH}M0 ${RATES + 6 + DELAYS}h${WIDTH}`} stroke={grid} />
          {drawnFlows(flows, []).map(({ flow, look }) => (
            <path
              key={flow}
              d={path(rates.get(flow) ?? { timeS: [], values: [] }, durationS, topBps, RATES)}
              stroke={colours[colourOf(look)]}
            />
          ))}
          <g transform={`translate(0 ${RATES + 6})`}>
            <path d={path(queueDelayMs, durationS, topMs, DELAYS)} stroke={colours.ink} />
          </g>
        </svg>
        <span class="figures">
          <span>{used} used</span>
          <br />
          {own === undefined ? (
            <span>queue p95 {p95}</span>
          ) : (
            <>
              <span>queue p95: all flows {p95},</span>{' '}
              <span>
                {own.name} {formatMs(queuing(own).p95 / 1e3)}
              </span>
            </>
          )}
          <br />
          {shares.map((share, index) => (
            <Fragment key={share}>
              <span>
                {share}
                {index < shares.length - 1 && ','}
              </span>{' '}
            </Fragment>
          ))}
        </span>
      </button>
    </li>
  );
}
