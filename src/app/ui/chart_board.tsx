/** The charts of a call. */
import { DelayChart, LossChart, RateChart, StripChart } from '../../charts/index.js';
import type { MakeChart, Scope } from '../../boards/scope.js';
import { change, settings } from '../settings.js';
import { AxisToolbar, ChartFigure, Charts, useNarrow, type Board } from '../../boards/chart_figure.js';
import type { DrawnController } from './flow_names.js';
import { INSIDE } from '../../boards/inside_boards.js';
import { chartTools } from './chart_tools.js';

function boards(
  inCharge: DrawnController,
  shadows: readonly DrawnController[],
  detailed: DrawnController,
  beside: BoardProps['beside'],
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

/** In `control` mode the browser's estimate is a constant floor that says nothing. */
const IN_CONTROL = ['browser'];
const NONE: readonly string[] = [];

interface BoardProps {
  scope: Scope;
  inControl: boolean;
  live: boolean;
  inCharge: DrawnController;
  shadows: readonly DrawnController[];
  /** The traffic that shares the bottleneck. */
  beside: readonly { flow: number; name: string }[];
  /** The flow whose controller is shown. */
  detailed: DrawnController;
}

export function ChartBoard({ scope, inControl, live, inCharge, shadows, beside, detailed }: BoardProps) {
  const isNarrow = useNarrow();
  const shown = boards(inCharge, shadows, detailed, beside);
  // A chart keeps the series that it was made with.
  const who = [
    inCharge.controller,
    ...[...beside, ...shadows].map(({ flow, name }) => `${flow} ${name}`),
  ].join();
  return (
    <>
      <AxisToolbar scope={scope} live={live} />
      <Charts scope={scope}>
        {shown.map((board, index) => (
          <ChartFigure
            key={board.id === 'rates' ? `rates ${who}` : `${board.id} ${board.strip?.table ?? ''}`}
            board={board}
            tools={chartTools}
            scope={scope}
            without={inControl ? IN_CONTROL : NONE}
            timeLabels={isNarrow || index === shown.length - 1}
            hidden={settings.value.hide}
            onHide={(hide) => change({ hide: [...hide] })}
          />
        ))}
      </Charts>
    </>
  );
}
