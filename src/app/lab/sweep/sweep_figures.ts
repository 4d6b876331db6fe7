/** What the runs of a sweep measured, as curves over the swept setting. */
import type { FlowMetrics, WindowMetrics } from '../../../core/simulation.js';
import type { CurveFigure, FigureAxis } from '../../../figures/figure.js';
import { queuing } from '../../../runs/flow_columns.js';
import type { Swept } from './sweep.js';
import type { Sweepable } from './sweepable.js';

/** Colour numbers: the first call is blue, as in the small charts, and the curve for all flows together is grey. */
const [OWN, ALL] = [0, 6];
/** A sweep's axis with a positive start is logarithmic if its end is more than this many times the start. */
const WIDEST_LINEAR = 10;

/** The first call or, without a call, the first flow. Undefined if there is only one flow. */
export const ownFlow = ({ flows }: WindowMetrics): FlowMetrics | undefined =>
  flows.length > 1 ? (flows.find(({ kind }) => kind === 'media') ?? flows[0]) : undefined;

interface Curve {
  all: (whole: WindowMetrics) => number;
  own: (flow: FlowMetrics, whole: WindowMetrics) => number;
}

/**
 * Figures of queuing delay and share of the link. Each has a curve for all flows together and, if there are
 * several flows, another for the flow that `ownFlow` returns.
 */
export function sweepFigures(
  { group, label, unit, from, to }: Sweepable,
  results: readonly Swept[],
): readonly CurveFigure[] {
  const x: FigureAxis = {
    label: `${group}: ${label}`,
    unit,
    logarithmic: from > 0 && to > from * WIDEST_LINEAR,
  };
  const first = results[0] && ownFlow(results[0].whole);
  const figure = (title: string, y: FigureAxis, { all, own }: Curve): CurveFigure => ({
    kind: 'curves',
    title,
    x,
    y,
    series: [
      { label: 'all flows', colour: ALL, points: results.map(({ value, whole }) => [value, all(whole)]) },
      ...(first === undefined
        ? []
        : [
            {
              label: first.name,
              colour: OWN,
              points: results.map(({ value, whole }): [number, number | null] => {
                const flow = ownFlow(whole);
                return [value, flow === undefined ? null : own(flow, whole)];
              }),
            },
          ]),
    ],
  });
  return [
    figure(
      'Queuing delay',
      { label: '95th percentile', unit: 'ms', min: 0 },
      {
        all: ({ forward }) => forward.queueDelayUs.p95 / 1e3,
        own: (flow) => queuing(flow).p95 / 1e3,
      },
    ),
    figure(
      'Share of the link',
      { label: 'of the capacity', unit: '%', min: 0 },
      {
        all: ({ forward }) => forward.utilisation * 100,
        own: (flow, whole) => (flow.receiveRateBps / whole[flow.direction].capacityBps) * 100,
      },
    ),
  ];
}
