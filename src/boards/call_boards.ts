/** The charts of a running or recorded call. */
import { DelayChart, LossChart, RateChart, StripChart } from '../charts/index.js';
import type { Board } from './chart_figure.js';
import { INSIDE } from './inside_boards.js';
import type { DrawnController } from './recorded_controllers.js';
import type { MakeChart } from './scope.js';

/**
 * A call's charts, from top to bottom. `beside` is the traffic that shares the bottleneck. `detailed` is the
 * controller whose internals are shown.
 */
export function callBoards(
  inCharge: DrawnController,
  shadows: readonly DrawnController[],
  detailed: DrawnController,
  beside: readonly { flow: number; name: string }[],
): readonly Board[] {
  const gcc = inCharge.controller === 'gcc';
  const seen = INSIDE[detailed.controller];
  const whose = shadows.length > 0 ? `, of ${detailed.name}` : '';
  const told =
    shadows.length > 0 ? `, and what ${shadows.map(({ name }) => name).join(', ')} would ask for` : '';
  return [
    {
      id: 'rates',
      title: 'Rates',
      unit: 'Mbps',
      about: `what is asked for, sent and received, against what the link can carry${told}`,
      make: (...args) => new RateChart(...args, { shadows, beside, gcc }),
    },
    {
      id: 'delays',
      title: 'Delay',
      unit: 'ms',
      about: 'how long packets queue at the bottleneck, and the round-trip time',
      make: (...args) => new DelayChart(...args),
    },
    ...(seen === undefined
      ? []
      : [
          { ...seen.picture, about: `${seen.picture.about}${whose}` },
          {
            id: 'states',
            title: 'Controller',
            unit: '',
            about: `${seen.about}${whose}`,
            make: (...args: Parameters<MakeChart>) => new StripChart(...args, seen.strip),
            strip: seen.strip,
          },
        ]),
    {
      id: 'losses',
      title: 'Loss',
      unit: '%',
      about: 'the share of packets lost, and packets dropped at the bottleneck',
      make: (...args) => new LossChart(...args),
    },
  ];
}
