/**
 * The most important values of the call, as a text table. The values are those at the cursor or, without a
 * cursor, at the end of the charts' window.
 */

import {
  besideId,
  formatCount,
  formatMs,
  formatRate,
  formatRatio,
  shadowId,
  stripState,
} from '../../charts/index.js';
import type { Scope } from '../../boards/scope.js';
import type { DrawnController } from '../../boards/recorded_controllers.js';
import { momentText } from './moment_text.js';

function used(rateBps: number, capacityBps: number): string {
  const ratio = rateBps / capacityBps;
  if (!Number.isFinite(ratio)) return 'at the far side';
  // Lines can break only between the two numbers, so that a tile needs no more than two lines.
  const [share, capacity] = [`${(ratio * 100).toFixed(0)} % of`, formatRate(capacityBps)];
  return [share, capacity].map((text) => text.replaceAll(' ', '\u00a0')).join(' ');
}

interface SummaryProps {
  scope: Scope;
  /** Whether the values are those of the sample, and not of a call or a recording. */
  isSample: boolean;
  /** Whether new values keep arriving. */
  isLive: boolean;
  /** The location of the queue: `shaper`, `in-page`, or any other text if the location is unknown. */
  bottleneck: string;
  /** Whether the controller only watches. */
  observes: boolean;
  inCharge: DrawnController;
  shadows: readonly DrawnController[];
  /** The traffic that shares the bottleneck. */
  beside: readonly { flow: number; name: string }[];
  /** The controller whose internals are shown. */
  detailed: DrawnController;
}

const QUEUE_AT: Readonly<Record<string, string>> = {
  shaper: 'at the shaper',
  'in-page': 'in-page bottleneck',
};

type Row = readonly [name: string, value: string, note: string, alarm?: boolean, title?: string | undefined];

/**
 * Calls of this page measure the RTT of whole frames. This RTT exceeds the link's RTT plus the queuing delay.
 */
const RTT_OF_FRAMES =
  'From the time a frame is sent to the time the feedback on its last packet is back: the link’s round-trip time, the wait in the queue, and the time that sending the whole frame takes';
/** The detector can signal overuse while the rate still grows: in live calls, other inputs count, too. */
const DETECTOR =
  'The detector’s signal, and the state of the rate controller. The two may differ: in live calls, the rate follows the capacity that the frames’ arrival times show or, beside TCP, the losses';

/** Which values the tiles show: those at the cursor, at the end of the charts, or the newest. */
function shownText({ scope, isSample, isLive }: SummaryProps): string {
  if (isSample) return 'of a sample: a simulated call, not yours';
  const cursorUs = scope.cursorUs.value;
  if (cursorUs !== null) return `at ${momentText(cursorUs)}`;
  if (!scope.following.value) return `at ${momentText(scope.fromUs.value + scope.windowS.value * 1e6)}`;
  return isLive ? 'now' : 'at the end';
}

/** The rows with values from inside a controller. */
function insideRow(controller: string, at: (id: string) => number): readonly Row[] {
  if (controller === 'gcc') {
    const signal = stripState('signal', at('signal'));
    const state = `state: ${stripState('state', at('state'))}`;
    return [['Detector', signal, state, signal === 'overuse', DETECTOR]];
  }
  if (controller === 'nada')
    return [['x_curr', formatMs(at('x_curr')), `mode: ${stripState('mode', at('mode'))}`]];
  if (controller === 'lcc')
    return [
      [
        'D_ave',
        formatMs(at('d_ave')),
        `target ${formatMs(at('t_a'))}, ${stripState('action', at('action'))}`,
      ],
    ];
  return [];
}

const rowOf = ([name, value, note, alarm, title]: Row) => (
  <tr key={`${name} ${name === 'Shadow' ? note : ''}`} class={alarm ? 'alarm' : ''} title={title}>
    <th scope="row">{name}</th>
    <td class="value">{value}</td>
    <td class="note">{note}</td>
  </tr>
);

export function Summary(props: SummaryProps) {
  const { scope, bottleneck, observes, inCharge, shadows, beside, detailed } = props;
  const values = scope.values.value;
  const at = (id: string): number => values[id] ?? NaN;
  const asked = shadows.length > 0 ? `${inCharge.name} ${observes ? 'would ask for' : 'asks for'}` : '';
  const rows: readonly Row[] = [
    ['Received', formatRate(at('received')), used(at('received'), at('capacity'))],
    ['Target', formatRate(at('target')), asked || (observes ? 'would be asked for' : 'asked for')],
    ['Queue', formatMs(at('queue')), QUEUE_AT[bottleneck] ?? 'at the bottleneck', at('queue') > 150],
    ['RTT', formatMs(at('rtt')), 'round trip', false, bottleneck in QUEUE_AT ? RTT_OF_FRAMES : undefined],
    [
      'Loss',
      formatRatio(at('loss')),
      `${formatCount(at('drops'))} dropped ${scope.cursorUs.value === null ? 'in view' : 'up to the cursor'}`,
      at('loss') > 0.02,
      'The share of packets lost according to the receiver’s latest report, and the packets that the bottleneck dropped from the left edge of the charts to the time of the values',
    ],
    ...insideRow(detailed.controller, at),
  ];
  const shown = shownText(props);
  // These rows appear and disappear during a call. They are beside the row `Values`, so that nothing else moves.
  const others: readonly Row[] = [
    ...beside.map(({ flow, name }): Row => {
      const rate = at(besideId(flow));
      return [name, formatRate(rate), used(rate, at('capacity'))];
    }),
    ...shadows.map(({ flow, name }): Row => [
      'Shadow',
      formatRate(at(shadowId(flow))),
      `${name} would ask for`,
    ]),
  ];
  return (
    <table class="summary">
      <caption class="visually-hidden">Values at the cursor, or the newest</caption>
      <tbody>{rows.map(rowOf)}</tbody>
      <tbody class="others">
        <tr class={shown === 'now' ? 'shown' : 'shown past'}>
          <th scope="row">Values</th>
          <td class="value">{shown}</td>
        </tr>
        {others.map(rowOf)}
      </tbody>
    </table>
  );
}
