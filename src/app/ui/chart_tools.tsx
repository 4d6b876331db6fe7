/** The buttons that save a chart as a file. */
import type { Board } from '../../boards/chart_figure.js';
import { chartTheme } from '../../boards/theme.js';
import type { TimeChart } from '../../charts/index.js';
import type { Picture } from '../../charts/picture.js';
import { csvOf, pictureOf, pngOf, svgOf } from '../chart_files.js';
import { inFileName, saveAs } from '../files.js';
import { messageOf, notify } from '../notices.js';

interface ChartToolsProps {
  /** The chart's name, as the page shows it. */
  title: string;
  /** The name of the chart's files without the extension. */
  file: string;
  picture: () => Picture;
  /** Returns the chart's numbers; null if the chart has no numbers. */
  csv: (() => string) | null;
}

async function save(name: string, make: () => Blob | Promise<Blob>): Promise<void> {
  try {
    saveAs(await make(), name);
  } catch (error) {
    notify('error', 'chart', `${name} was not saved: ${messageOf(error)}.`, 'Try again.');
  }
}

export function ChartTools({ title, file, picture, csv }: ChartToolsProps) {
  const files = [
    { kind: 'PNG', about: 'Save as a picture (PNG)', make: () => pngOf(picture()) },
    { kind: 'SVG', about: 'Save as a drawing of any size (SVG)', make: () => svgOf(picture()) },
    ...(csv === null
      ? []
      : [
          {
            kind: 'CSV',
            about: 'Save the numbers that are drawn (CSV)',
            make: () => new Blob([csv()], { type: 'text/csv' }),
          },
        ]),
  ];
  return (
    <span class="chart-tools">
      {files.map(({ kind, about, make }) => (
        <button
          key={kind}
          type="button"
          class="quiet"
          aria-label={`${kind} of ${title}`}
          title={about}
          onClick={() => void save(`${file}.${kind.toLowerCase()}`, make)}
        >
          {kind}
        </button>
      ))}
    </span>
  );
}

/**
 * The tools of one chart of a run. The run's name is part of the files' names. The title of a picture ends with
 * `caption`, by default the run's name. A strip (coloured bands that show states over time) has no numbers, so it
 * offers no CSV.
 */
export const chartToolsOf =
  (run: string, caption = run) =>
  ({ id, title, strip }: Board, chart: TimeChart) => (
    <ChartTools
      title={title}
      file={`ccscope-${id}${run && `-${inFileName(run).toLowerCase()}`}`}
      picture={() => pictureOf(caption ? `${title} – ${caption}` : title, chart, chartTheme.peek(), strip)}
      csv={strip === undefined ? () => csvOf(chart) : null}
    />
  );

/** The tools of one chart, without the name of a run. */
export const chartTools = chartToolsOf('');
