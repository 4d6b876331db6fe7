/** The charts of a recorded call. */
import { useEffect } from 'preact/hooks';

import { callBoards } from '../boards/call_boards.js';
import { AxisToolbar, ChartFigure, Charts, useNarrow } from '../boards/chart_figure.js';
import type { Scope } from '../boards/scope.js';
import type { RecordedCall } from './recording.js';

interface CallChartsProps {
  call: RecordedCall;
  scope: Scope;
  /** The charts that are shown, by their ids. */
  only: readonly string[];
  hidden: readonly string[];
  onHide: (hidden: readonly string[]) => void;
}

const NONE: readonly string[] = [];

export function CallCharts({ call, scope, only, hidden, onHide }: CallChartsProps) {
  const isNarrow = useNarrow();
  const { inCharge, shadows, beside, filters } = call;
  const boards = callBoards(inCharge, shadows, inCharge, beside).filter(({ id }) => only.includes(id));
  useEffect(() => scope.setFilters(filters), [filters]);
  return (
    <>
      <AxisToolbar scope={scope} />
      <Charts scope={scope}>
        {boards.map((board, index) => (
          <ChartFigure
            key={`${board.id} ${inCharge.flow}`}
            board={board}
            scope={scope}
            without={NONE}
            timeLabels={isNarrow || index === boards.length - 1}
            hidden={hidden}
            onHide={onHide}
          />
        ))}
      </Charts>
    </>
  );
}
