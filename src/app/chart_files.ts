/** Charts as files: a picture, and the numbers that are drawn. */
import type { ChartTheme, TimeChart } from '../charts/index.js';

const TITLE_PX = 22;
const EDGE_PX = 8;

/** The chart as it is drawn now, with its title and its legend, as a PNG. */
export async function pngOf(title: string, chart: TimeChart, theme: ChartTheme): Promise<Blob> {
  const { canvas, series } = chart;
  const ratio = canvas.width / canvas.clientWidth;
  const picture = document.createElement('canvas');
  picture.width = canvas.width;
  picture.height = canvas.height + TITLE_PX * ratio;
  const ctx = picture.getContext('2d');
  if (ctx === null) throw new Error('this browser gives no canvas to draw on');
  ctx.fillStyle = theme.background;
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.drawImage(canvas, 0, TITLE_PX * ratio);
  ctx.scale(ratio, ratio);
  ctx.textBaseline = 'middle';
  ctx.font = 'bold 12px system-ui, sans-serif';
  ctx.fillStyle = theme.colours.ink;
  ctx.fillText(title, EDGE_PX, TITLE_PX / 2);
  let x = EDGE_PX + ctx.measureText(title).width + 2 * EDGE_PX;
  ctx.font = '11px system-ui, sans-serif';
  for (const { id, label, colour } of series) {
    if (!chart.isVisible(id)) continue;
    ctx.fillStyle = theme.colours[colour];
    ctx.fillText(label, x, TITLE_PX / 2);
    x += ctx.measureText(label).width + EDGE_PX;
  }
  return new Promise((resolve, reject) =>
    picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be made')))),
  );
}

/** A field of CSV (RFC 4180). */
const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Axes show multiples of the unit of the values. */
const VALUE_UNITS: Readonly<Record<string, string>> = { Mbps: 'bps', '%': 'ratio' };

/** The points of a chart, one a row, without its gaps. They are thinned as in the chart; the trace has all rows. */
export function csvOf(chart: TimeChart): string {
  const rows = chart.series.flatMap(({ id, label }) => {
    const unit = chart.axisUnitOf(id);
    return chart
      .pointsOf(id)
      .filter(({ y }) => !Number.isNaN(y))
      .map(({ x, y }) => [field(label), VALUE_UNITS[unit] ?? unit, x, y].join(','));
  });
  return ['series,unit,time_s,value', ...rows, ''].join('\r\n');
}
