/** The charts of a call. */
import { DelayChart, DetectorChart, LossChart, RateChart, StripChart } from '../../charts/index.js';
import type { Scope } from '../scope/scope.js';
import { change, settings } from '../settings.js';
import { AxisToolbar, ChartFigure, Charts, useNarrow, type Board } from './chart_figure.js';

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

/** In `control` mode the browser's estimate is a constant floor that says nothing. */
const IN_CONTROL = ['browser'];
const NONE: readonly string[] = [];

export function ChartBoard({ scope, inControl, live }: { scope: Scope; inControl: boolean; live: boolean }) {
  const isNarrow = useNarrow();
  return (
    <>
      <AxisToolbar scope={scope} live={live} />
      <Charts scope={scope}>
        {BOARDS.map((board, index) => (
          <ChartFigure
            key={board.id}
            board={board}
            scope={scope}
            without={inControl ? IN_CONTROL : NONE}
            timeLabels={isNarrow || index === BOARDS.length - 1}
            hidden={settings.value.hide}
            onHide={(hide) => change({ hide: [...hide] })}
          />
        ))}
      </Charts>
    </>
  );
}
