/** What all charts of a call show behind their lines: freezes. */
import type { Plugin } from 'chart.js';

import { inPlot } from '../../charts/index.js';
import type { ChartTheme } from '../../charts/theme.js';
import type { EvidenceCharts } from '../../calls/evidence_page.js';

/** The colours change with the page's; the plugin reads them when it draws. */
export interface Look {
  theme: ChartTheme;
}

/** Freezes as shades. */
export const freezesPlugin = ({ freezes }: EvidenceCharts, look: Look): Plugin<'line'> => ({
  id: 'freezes',
  beforeDatasetsDraw: (chart) =>
    inPlot(chart, (x) => {
      const { ctx, chartArea } = chart;
      ctx.fillStyle = look.theme.colours.red;
      ctx.globalAlpha = 0.13;
      for (const { fromUs, toUs } of freezes)
        ctx.fillRect(x(fromUs), chartArea.top, Math.max(1, x(toUs) - x(fromUs)), chartArea.height);
    }),
});
