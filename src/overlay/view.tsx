/**
 * The view of watched calls: connections and streams, the charts of one stream, and the possible actions on that
 * stream.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { AxisToolbar, ChartFigure, Charts } from '../boards/chart_figure.js';
import { chartTheme } from '../boards/theme.js';
import type { StreamState } from '../watch/index.js';
import { ActionsPanel } from './actions_panel.js';
import { LogPanel } from './log_panel.js';
import type { Model } from './model.js';
import { NumbersTable } from './numbers_table.js';
import { boardsOf, filtersOf } from './stream_boards.js';
import { ConnectionBlock } from './streams_list.js';

const NONE: readonly string[] = [];

function StreamCharts({ stream, model }: { stream: StreamState; model: Model }) {
  const { scope } = model;
  const hidden = useSignal<readonly string[]>([]);
  const boards = boardsOf(stream);
  const who = `${stream.flow} ${stream.shadows.length}`;
  useEffect(() => scope.setFilters(filtersOf(stream)), [who]);
  return (
    <>
      <AxisToolbar scope={scope} live />
      <Charts scope={scope} live>
        {boards.map((board, index) => (
          <ChartFigure
            key={`${board.id} ${who}`}
            board={board}
            scope={scope}
            without={NONE}
            timeLabels={index === boards.length - 1}
            hidden={hidden.value}
            onHide={(ids) => (hidden.value = ids)}
          />
        ))}
      </Charts>
    </>
  );
}

const NONE_YET =
  'No connection found yet. New connections appear here at once; one that the page opened earlier appears as soon as the page uses it.';
const ALL_CLOSED =
  'All connections are closed. New ones appear here at once; the recording can still be downloaded.';

export function View({ model }: { model: Model }) {
  const state = model.state.value;
  const theme = chartTheme.value;
  useEffect(() => model.scope.setTheme(theme), [theme]);
  const { stream } = model;
  const { connections: all = [], notices = [], incidents = [] } = state ?? {};
  const connections = all.filter((connection) => connection.state !== 'closed' && connection.state !== 'new');
  const wereAny = all.some((connection) => connection.state === 'closed');
  const empty = connections.length === 0 && <p class="empty">{wereAny ? ALL_CLOSED : NONE_YET}</p>;
  const named = new Set(connections.map(({ page }) => page)).size > 1;
  if (empty !== false && notices.length === 0 && incidents.length === 0) return empty;
  return (
    <div class="view">
      <nav aria-label="Connections and streams">
        {empty}
        {connections.map((connection) => (
          <ConnectionBlock key={connection.endpoint} connection={connection} model={model} named={named} />
        ))}
        {notices.map(({ code, level, message, fix }) => (
          <p key={code} class={`notice ${level}`}>
            {message} <span class="soft">To do: {fix}.</span>
          </p>
        ))}
        <LogPanel model={model} />
      </nav>
      <div class="pictures">{stream !== null && <StreamCharts stream={stream} model={model} />}</div>
      {stream !== null && (
        <div class="tools">
          <ActionsPanel key={stream.flow} model={model} stream={stream} />
          <NumbersTable stream={stream} />
        </div>
      )}
    </div>
  );
}
