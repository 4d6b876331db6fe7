/** Downloads of a chart. */
import type { Board } from '../../boards/chart_figure.js';
import { chartTheme } from '../../boards/theme.js';
import type { TimeChart } from '../../charts/index.js';
import { csvOf, pngOf } from '../chart_files.js';
import { saveAs } from '../files.js';
import { messageOf, notify } from '../notices.js';

async function savePng({ id, title }: Board, chart: TimeChart): Promise<void> {
  try {
    saveAs(await pngOf(title, chart, chartTheme.peek()), `ccscope-${id}.png`);
  } catch (error) {
    notify('error', 'chart', `The picture was not saved: ${messageOf(error)}.`, 'Try again.');
  }
}

/** Strips show states, not numbers; the trace has them. */
export const chartTools = (board: Board, chart: TimeChart) => (
  <span class="chart-tools">
    <button
      type="button"
      class="quiet"
      aria-label={`PNG of ${board.title}`}
      title="Save as a picture (PNG)"
      onClick={() => void savePng(board, chart)}
    >
      PNG
    </button>
    {board.strip === undefined && (
      <button
        type="button"
        class="quiet"
        aria-label={`CSV of ${board.title}`}
        title="Save the numbers that are drawn (CSV)"
        onClick={() => saveAs(new Blob([csvOf(chart)], { type: 'text/csv' }), `ccscope-${board.id}.csv`)}
      >
        CSV
      </button>
    )}
  </span>
);
