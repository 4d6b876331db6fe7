/** What all charts of a call show beside their lines: changes of the link and freezes. */
import type { Chart, Plugin } from 'chart.js';

import type { ChartTheme } from '../../charts/theme.js';
import type { EvidenceCharts } from '../../calls/evidence_page.js';

/** The colours change with the page's; the plugin reads them when it draws. */
export interface Look {
  theme: ChartTheme;
}

const inPlot = (chart: Chart, draw: (x: (timeUs: number) => number) => void): void => {
  const { ctx, chartArea } = chart;
  const scale = chart.scales['x'];
  if (!scale) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
  ctx.clip();
  draw((timeUs) => scale.getPixelForValue(timeUs / 1e6));
  ctx.restore();
};

/** Freezes as shades behind the lines, changes of the link as dashes. */
export function marksPlugin({ freezes, marks }: EvidenceCharts, look: Look): Plugin<'line'> {
  const shade = (chart: Chart): void =>
    inPlot(chart, (x) => {
      const { ctx, chartArea } = chart;
      ctx.fillStyle = look.theme.colours.red;
      ctx.globalAlpha = 0.13;
      for (const { fromUs, toUs } of freezes)
        ctx.fillRect(x(fromUs), chartArea.top, Math.max(1, x(toUs) - x(fromUs)), chartArea.height);
    });
  const dash = (chart: Chart): void =>
    inPlot(chart, (x) => {
      const { ctx, chartArea } = chart;
      ctx.strokeStyle = look.theme.text;
      ctx.setLineDash([3, 4]);
      ctx.beginPath();
      // The first is how the link began.
      for (const { timeUs } of marks.slice(1)) {
        ctx.moveTo(x(timeUs), chartArea.top);
        ctx.lineTo(x(timeUs), chartArea.bottom);
      }
      ctx.stroke();
    });
  return { id: 'marks', beforeDatasetsDraw: shade, afterDatasetsDraw: dash };
}
