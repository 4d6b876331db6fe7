/** The charts of a run: first those of all flows at the bottleneck, then those of the controller of one flow. */
import { useEffect } from 'preact/hooks';

import {
  FlowDelayChart,
  FlowRateChart,
  LossChart,
  RateChart,
  StripChart,
  type DrawnFlow,
  type FlowDelayOptions,
  type FlowRateOptions,
} from '../charts/index.js';
import type { MakeChart, Scope } from '../boards/scope.js';
import {
  AxisToolbar,
  ChartFigure,
  Charts,
  useNarrow,
  type Board,
  type ChartTools,
} from '../boards/chart_figure.js';
import { INSIDE } from '../boards/inside_boards.js';
import { detailedFlow, drawnFlows } from './flows.js';
import type { FlowInfo } from './run.js';

function flowBoards(
  flows: readonly DrawnFlow[],
  options: FlowRateOptions & FlowDelayOptions,
): readonly Board[] {
  return [
    {
      id: 'rates',
      title: 'Rates',
      unit: 'Mbps',
      about: 'what each flow receives, against the capacity',
      make: (...args) => new FlowRateChart(...args, flows, options),
    },
    {
      id: 'delays',
      title: 'Delay',
      unit: 'ms',
      about: 'how long packets queue at the bottleneck, and each flow’s round trip',
      make: (...args) => new FlowDelayChart(...args, flows, options),
    },
  ];
}

const lossBoard = ({ name }: FlowInfo, isAlone: boolean): Board => ({
  id: 'losses',
  title: 'Loss',
  unit: '%',
  about: `the share of packets that ${name} lost, and all packets dropped at the bottleneck`,
  make: (...args) => new LossChart(...args, isAlone ? undefined : name),
});

/** The charts of a flow's controller: its target rate and its internal values. */
function controllerBoards({ name, controller, direction }: FlowInfo, fitCapacity: boolean): readonly Board[] {
  const seen = controller === undefined ? undefined : INSIDE[controller];
  return [
    {
      id: 'control',
      title: `Controller of ${name}`,
      unit: 'Mbps',
      about: 'what it asks for, and why',
      make: (...args) =>
        new RateChart(...args, {
          fitCapacity,
          gcc: controller === 'gcc',
          backward: direction === 'backward',
        }),
    },
    ...(seen === undefined
      ? []
      : [
          seen.picture,
          {
            id: 'states',
            title: 'States',
            unit: '',
            about: seen.about,
            make: (...args: Parameters<MakeChart>) => new StripChart(...args, seen.strip),
            strip: seen.strip,
          },
        ]),
  ];
}

/**
 * With more flows than this, the rate axis does not include the capacity: the curve of a single flow would be too
 * low to see.
 */
const MANY_FLOWS = 10;

/** With more charts than this, the first chart also has time labels, since the last chart is out of view. */
const MANY_BOARDS = 3;

/** The charts that show all flows. */
const OF_FLOWS: ReadonlySet<string> = new Set(['rates', 'delays']);

/** Series without data in simulations. Only live calls have a bandwidth estimate of the browser. */
const WITHOUT = ['browser'];

interface RunChartsProps {
  flows: readonly FlowInfo[];
  scope: Scope;
  /** The names of the flows to draw. Empty: the first few flows. */
  draw?: readonly string[];
  /** The name of the flow whose controller to show. Empty: the first flow with a controller. */
  detailed?: string;
  /** The ids of the charts to show. Default: all. */
  only?: readonly string[];
  /** Whether the bottleneck has one queue per flow. The delay chart then shows each flow's waiting time. */
  flowQueues?: boolean;
  /** Additional tools of each chart, which appear after its legend. */
  tools?: ChartTools;
  /** The hidden series. */
  hidden: readonly string[];
  onHide: (hidden: readonly string[]) => void;
}

export function RunCharts(props: RunChartsProps) {
  const { flows, scope, draw = [], detailed = '', only, flowQueues = false, tools, hidden, onHide } = props;
  const isNarrow = useNarrow();
  const drawn = drawnFlows(flows, draw);
  const detail = detailedFlow(flows, detailed);
  const number = detail?.flow ?? null;
  const link = detail?.direction === 'backward' ? 1 : 0;
  const fitCapacity = flows.length <= MANY_FLOWS;
  const backward = flows.some(({ direction }) => direction === 'backward');
  useEffect(() => {
    const flow = number === null ? undefined : byFlow(number);
    scope.setFilters({
      ...(flow && { group: flow, nada: flow, lcc: flow, rate: flow, feedback: flow }),
      queue: { column: 'link', value: link },
    });
  }, [number, link]);
  const boards = [
    ...flowBoards(drawn, { backward, fitCapacity, flowQueues }),
    ...(detail === null
      ? []
      : [lossBoard(detail, flows.length === 1), ...controllerBoards(detail, fitCapacity)]),
  ].filter(({ id }) => only === undefined || only.includes(id));
  const who = drawn.map(({ flow, name, look }) => `${flow} ${name} ${look}`).join();
  return (
    <>
      <AxisToolbar scope={scope} />
      <Charts scope={scope} look="lab">
        {boards.map((board, index) => (
          <ChartFigure
            key={`${board.id} ${fitCapacity} ${backward} ${flowQueues} ${flows.length === 1} ${OF_FLOWS.has(board.id) ? who : `${detail?.name ?? ''} ${detail?.controller ?? ''} ${link}`}`}
            board={board}
            {...(tools && { tools })}
            scope={scope}
            without={WITHOUT}
            timeLabels={
              isNarrow || index === boards.length - 1 || (index === 0 && boards.length > MANY_BOARDS)
            }
            hidden={hidden}
            onHide={onHide}
          />
        ))}
      </Charts>
    </>
  );
}

const byFlow = (value: number) => ({ column: 'flow', value });
