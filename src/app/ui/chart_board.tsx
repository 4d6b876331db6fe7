/** The charts of a call. */
import { callBoards } from '../../boards/call_boards.js';
import type { Scope } from '../../boards/scope.js';
import { change, settings } from '../settings.js';
import { AxisToolbar, ChartFigure, Charts, useNarrow } from '../../boards/chart_figure.js';
import type { DrawnController } from '../../boards/recorded_controllers.js';
import { Wheel } from '../../boards/wheel.js';
import { chartTools } from './chart_tools.js';

/**
 * The series that are left out in `control` mode. In this mode, the browser's estimate is only a constant lower
 * bound.
 */
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
  /** The controller whose internals are shown. */
  detailed: DrawnController;
}

export function ChartBoard({ scope, inControl, live, inCharge, shadows, beside, detailed }: BoardProps) {
  const isNarrow = useNarrow();
  const shown = callBoards(inCharge, shadows, detailed, beside);
  // A chart cannot change its series. This text is part of the key of the chart of rates, so that a new chart
  // is made when the controllers or the other traffic change.
  const who = [
    inCharge.controller,
    ...[...beside, ...shadows].map(({ flow, name }) => `${flow} ${name}`),
  ].join();
  return (
    <>
      <AxisToolbar scope={scope} live={live} />
      <Wheel>
        <Charts scope={scope} live={live}>
          {shown.map((board, index) => (
            <ChartFigure
              key={board.id === 'rates' ? `rates ${who}` : `${board.id} ${board.strip?.table ?? ''}`}
              board={board}
              tools={chartTools}
              scope={scope}
              without={inControl ? IN_CONTROL : NONE}
              timeLabels={isNarrow || index === 0 || index === shown.length - 1}
              hidden={settings.value.hide}
              onHide={(hide) => change({ hide: [...hide] })}
            />
          ))}
        </Charts>
      </Wheel>
    </>
  );
}
